import AlcedoPixels

// Checks before a library sees the items: libheif follows references without end, copies an item as often as its bytes are
// listed, and goes through all items for each of them.
extension HEIFItems {
    /// Levels of items that are composed from others; more are for nothing but to exhaust the stack.
    private static let mostLevels = 16
    /// How often the items may list the bytes of the file.
    private static let mostCopies = 2
    /// How often an item may be cropped, turned and mirrored: once each, says the standard; libheif does it for each.
    private static let mostTransforms = 8

    /// How many items a picture needs.
    ///
    /// One of 50 megapixels has 200 tiles of 512 by 512 pixels, as telephones write them, or 800 of 256 by 256, twice
    /// that with alpha or depth, and a few more items. libheif 1.15 reads 2048 in 0.1 s, and 9000 in 2 s.
    private static func mostItems(_ limits: DecodeLimits) -> Int {
        max(2048, 64 + limits.pixelsPerFrame / (1 << 16) * 2)
    }

    /// What is wrong with bytes whose items can't be read.
    static func malformed(_ format: EncodedFormat, _ bytes: RawSpan) -> CodecError {
        HEIFBoxes.areComplete(bytes)
            ? .corrupt(format, reason: "its boxes are malformed") : .truncated(format)
    }

    /// Throws if so many items are more than a picture needs.
    static func check(count: Int, _ format: EncodedFormat, _ limits: DecodeLimits) throws(CodecError) {
        let most = mostItems(limits)
        guard count <= most else {
            throw .unsupported(format, reason: "it has \(count) items, more than \(most)")
        }
    }

    /// Throws if items are too many, refer to each other in a circle or through too many levels, are turned again and
    /// again, or list the same bytes again and again.
    func check(_ format: EncodedFormat, byteCount: Int, _ limits: DecodeLimits) throws(CodecError) {
        try Self.check(count: count, format, limits)
        if let most = transforms.values.lazy.map(\.count).max(), most > Self.mostTransforms {
            throw .corrupt(format, reason: "an image in it is cropped, mirrored or turned \(most) times")
        }
        var levels: [Int: Int?] = [:]
        for item in Set(parts.keys).union(auxiliaries.keys).union(thumbnails.keys) {
            guard self.levels(below: item, level: 0, &levels) != nil else {
                throw .corrupt(
                    format,
                    reason:
                        "its images refer to each other in a circle, or through over \(Self.mostLevels) levels"
                )
            }
        }
        let copied = copiedBytes(format, byteCount: byteCount)
        guard copied / Self.mostCopies <= byteCount else {
            throw .corrupt(format, reason: "its items list \(copied) bytes, the file has \(byteCount)")
        }
    }

    /// The bytes that a library copies: libheif those of any item, libavif those of an item in several pieces.
    func copiedBytes(_ format: EncodedFormat, byteCount: Int) -> Int {
        extents.values.reduce(0) { sum, extents in
            guard format != .avif || extents.count > 1 else { return sum }
            return extents.reduce(sum) { $0 + $1.clamped(to: 0..<byteCount).count }
        }
    }

    /// Levels of items below one; nil in a circle, which `known` marks, or if there are too many.
    private func levels(below item: Int, level: Int, _ known: inout [Int: Int?]) -> Int? {
        if let levels = known[item] { return levels }
        guard level < Self.mostLevels else { return nil }
        known[item] = .some(nil)
        var most = 0
        for other in [parts, auxiliaries, thumbnails].flatMap({ $0[item] ?? [] }) {
            guard let levels = levels(below: other, level: level + 1, &known), levels < Self.mostLevels
            else { return nil }
            most = max(most, levels + 1)
        }
        known[item] = most
        return most
    }

    // MARK: - Derived images

    /// Pictures of which the primary image and its auxiliary images are composed.
    var tileCount: Int {
        guard let primary else { return 0 }
        return ([primary] + (auxiliaries[primary] ?? [])).reduce(0) { $0 + (parts[$1]?.count ?? 0) }
    }

    /// What crops, turns and mirrors the primary image; nil if it is of none of these kinds.
    func transforms(ofPrimary kinds: [StaticString]) -> [HEIFTransform]? {
        guard let primary, kinds.contains(where: { HEIFBoxes.name($0) == self.kinds[primary] }) else {
            return nil
        }
        return transforms[primary] ?? []
    }

    /// The area of a grid or an overlay (ISO/IEC 23008-12, 6.6.2), as its data has it; 0 for any other item, nil if the data
    /// is malformed.
    func canvas(of item: Int, _ bytes: RawSpan) -> Int? {
        let start: Int
        switch kinds[item] {
        // The number of rows and columns, or the background, precedes the size.
        case HEIFBoxes.name("grid"): start = 4
        case HEIFBoxes.name("iovl"): start = 10
        default: return 0
        }
        let head = self.head(of: item, bytes, count: start + 8)
        guard head.count > 1 else { return nil }
        var reader = HEIFReader(range: start..<max(start, head.count))
        let width = head[1] & 1 == 1 ? 4 : 2
        guard let columns = reader.number(head.span.bytes, width),
            let rows = reader.number(head.span.bytes, width)
        else { return nil }
        return PixelSize(width: columns, height: rows).area
    }

    private func head(of item: Int, _ bytes: RawSpan, count: Int) -> [UInt8] {
        var head: [UInt8] = []
        for extent in extents[item] ?? [] where head.count < count {
            let range = extent.clamped(to: 0..<bytes.byteCount).prefix(count - head.count)
            head += bytes.extracting(range).withUnsafeBytes { [UInt8]($0) }
        }
        return head
    }
}
