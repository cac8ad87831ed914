import AlcedoCodecs

/// Decides when there is a preview of an image that is loading; without a clock or threads.
///
/// A large JPEG begins with its EXIF thumbnail. A progressive JPEG has one for each complete scan; any other image has one
/// whenever half as many bytes again have come, so that all of them together cost no more than three times the last one.
/// Rows do not replace a thumbnail, which shows the whole image, unless it is damaged.
struct PreviewSchedule {
    /// A preview that can be decoded.
    struct Preview: Equatable {
        /// The number of bytes it needs.
        var length: Int
        /// The number of complete scans of a progressive JPEG; nil for other images.
        var scans: Int?
        /// Whether it is the EXIF thumbnail.
        var isThumbnail = false

        /// The blur radius in pixels: 10 for the first scan, decreasing, and 0 from the sixth scan on.
        var blurRadius: Double { scans.map { $0 < 6 ? Double(max(2, 14 - 4 * $0)) : 0 } ?? 0 }
    }

    /// Fewer bytes are all headers, or of an image that is complete before a preview is.
    static let firstLength = 4 << 10

    private let onlyLatest: Bool
    private var finder = JPEGScanFinder()
    private var seenScans = 0
    private var hasThumbnail: Bool?
    private var nextLength = Self.firstLength
    private var pending: [Preview] = []

    init(onlyLatest: Bool) { self.onlyLatest = onlyLatest }

    /// Whether more bytes may lead to more previews.
    var needsMoreData: Bool {
        finder.needsMoreData || finder.isProgressive != true && hasThumbnail != true
    }

    /// Whether there is a preview to decode.
    var hasPending: Bool { !pending.isEmpty }

    /// Receives all bytes so far.
    mutating func receive(_ bytes: RawSpan) {
        finder.parse(bytes)
        addThumbnail(bytes)
        if finder.isProgressive == true {
            addScans()
        } else if !finder.needsMoreData, hasThumbnail != true, bytes.byteCount >= nextLength {
            pending.append(Preview(length: bytes.byteCount))
            nextLength = bytes.byteCount + bytes.byteCount / 2
        }
        if onlyLatest, pending.count > 1 { pending.removeFirst(pending.count - 1) }
    }

    /// Dequeues the next preview to decode.
    mutating func next() -> Preview? { pending.isEmpty ? nil : pending.removeFirst() }

    /// The thumbnail does not decode: previews are made of the image itself, as if there were none.
    mutating func thumbnailHasFailed() { hasThumbnail = false }

    /// Discards pending previews.
    mutating func stop() { pending = [] }

    /// Looks for a thumbnail once, when the headers up to the frame's have come.
    private mutating func addThumbnail(_ bytes: RawSpan) {
        guard hasThumbnail == nil, let end = finder.frameEnd, end <= bytes.byteCount else { return }
        hasThumbnail = JPEGCodec.thumbnail(in: bytes.extracting(first: end)) != nil
        if hasThumbnail == true { pending.append(Preview(length: end, isThumbnail: true)) }
    }

    /// The start of a scan completes the scans before it.
    private mutating func addScans() {
        let starts = finder.scanStarts
        for index in max(seenScans, 1)..<max(starts.count, seenScans, 1) {
            pending.append(Preview(length: starts[index], scans: index))
        }
        seenScans = starts.count
    }
}
