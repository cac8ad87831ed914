import AlcedoCodecs
import AlcedoRaster

/// Decides when there is a preview of an image that is loading; without a clock or threads.
///
/// A large JPEG starts with its EXIF thumbnail. A progressive JPEG has one for each complete scan; any other image has one
/// whenever half as many bytes again have come, so that all of them together cost no more than three times the last one.
/// Rows do not replace a thumbnail, which shows the whole image, unless it is damaged.
struct PreviewSchedule {
    /// A preview that can be decoded.
    struct Preview: Equatable {
        var length: Int
        /// The number of complete scans of a progressive JPEG; nil for other images.
        var scans: Int?
        /// Whether it is the EXIF thumbnail.
        var isThumbnail = false

        /// The blur radius in pixels, by Kingfisher's formula: 10 for the first scan, then less, 0 from the sixth on.
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

    var hasPending: Bool { !pending.isEmpty }

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

    mutating func next() -> Preview? { pending.isEmpty ? nil : pending.removeFirst() }

    /// The thumbnail does not decode: previews are created from the image itself, as if there were none.
    mutating func thumbnailHasFailed() { hasThumbnail = false }

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

extension PreviewSchedule.Preview {
    /// Decodes the preview from the received bytes, upright; missing pixels are transparent or coarse.
    ///
    /// Throws ``CodecError/truncated(_:)`` if the bytes have no pixels yet, and ``CodecError/unsupported(_:reason:)`` for a format
    /// that has no previews.
    func decode(
        _ pieces: [[UInt8]], limits: DecodeLimits, with resources: DecodeResources
    ) throws(CodecError) -> (bitmap: Bitmap, size: PixelSize) {
        let bytes = joined(pieces)
        let span = bytes.span.bytes
        let codec = try resources.codecs.codec(for: span, within: limits)
        guard let format = codec.format(of: span) else { throw .unknownFormat }
        guard codec.decodesTruncated else {
            throw .unsupported(format, reason: "it has no previews")
        }
        let info = try codec.info(of: span, limits: limits)
        guard isThumbnail else {
            let options = DecodeOptions(allowsTruncation: true, limits: limits)
            let bitmap = try Self.decode(span, info, options, codec, resources.budget)
            return (try bitmap.oriented(info.orientation), info.uprightSize)
        }
        guard let range = JPEGCodec.thumbnail(in: span) else { throw .truncated(format) }
        let thumbnail = span.extracting(range)
        let thumbnailInfo = try codec.info(of: thumbnail, limits: limits)
        let options = DecodeOptions(limits: limits)
        let bitmap = try Self.decode(thumbnail, thumbnailInfo, options, codec, resources.budget)
        return (try bitmap.oriented(info.orientation), info.uprightSize)
    }

    /// Decodes to the size that the headers state.
    private static func decode(
        _ bytes: RawSpan, _ info: ImageInfo, _ options: DecodeOptions, _ codec: any ImageCodec,
        _ budget: DecodeBudget
    ) throws(CodecError) -> Bitmap {
        // Before memory is reserved: headers allow more pixels, for images that are decoded to fewer.
        try options.limits.check(frame: info.size, of: info.format)
        let memory = codec.memory(of: bytes, info: info, options: options)
        // The copy that is turned upright may be the larger part.
        let cost = memory.result + max(memory.beside, memory.result)
        return try budget.withReservation(of: cost) { () throws(CodecError) in
            let bitmap = try codec.decode(bytes, options: options)
            try info.check(bitmap)
            return bitmap
        }
    }

    private func joined(_ pieces: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length)
        for piece in pieces where bytes.count < length { bytes += piece.prefix(length - bytes.count) }
        return bytes
    }
}
