import AlcedoPixels

/// The items of a file's `meta` box, with types, locations and references (ISO/IEC 14496-12, 8.11).
struct HEIFItems {
    private(set) var kinds: [Int: Int] = [:]
    var extents: [Int: [Range<Int>]] = [:]
    private(set) var primary: Int?
    /// The parts from which an item is composed, each as often as it is used.
    private(set) var parts: [Int: [Int]] = [:]
    /// The pictures of an item that aren't its colours, such as its alpha.
    private(set) var auxiliaries: [Int: [Int]] = [:]
    private(set) var thumbnails: [Int: [Int]] = [:]
    /// The largest size of any item; nil without one.
    private(set) var largest: PixelSize?
    /// Decoder configurations for HEVC.
    private(set) var configurations: [Int: [Range<Int>]] = [:]
    /// The boxes that crop, turn and mirror an item, in the order in which they apply.
    private(set) var transforms: [Int: [HEIFTransform]] = [:]
    /// The properties of each item that say how deep its samples are, and what they mean.
    private(set) var descriptions: [Int: [HEIFBoxes.Box]] = [:]

    /// The limit of items, and for all of them together of extents, of references, of properties and of what names those.
    private static let mostItems = 1 << 16
    /// Kinds of references that an item may have without counting for more.
    private static let mostReferences = 4

    /// How many items are named, placed and given properties, or refer to others, each kind with its repetitions.
    private(set) var count = 0

    private var reader: HEIFReader
    private var referenceCount = 0
    private var associationCount = 0

    /// Nil if there is no such box, or one that is malformed.
    init?(_ bytes: RawSpan) {
        guard let meta = HEIFBoxes.find("meta", in: 0..<bytes.byteCount, bytes) else { return nil }
        self.init(meta: meta, bytes)
    }

    /// Those in the content of a `meta` box; nil if it is malformed.
    init?(meta: Range<Int>, _ bytes: RawSpan) {
        guard meta.count >= 4 else { return nil }
        reader = HEIFReader(range: meta)
        let boxes = HEIFBoxes.all(in: meta.dropFirst(4), bytes)
        let data = boxes.first { $0.kind == HEIFBoxes.name("idat") }?.content
        for box in boxes {
            reader = HEIFReader(range: box.content)
            let isSound =
                switch box.kind {
                case HEIFBoxes.name("pitm"): readPrimary(bytes)
                case HEIFBoxes.name("iinf"): readKinds(bytes)
                case HEIFBoxes.name("iloc"): readPlaces(bytes, data: data)
                case HEIFBoxes.name("iref"): readReferences(bytes)
                case HEIFBoxes.name("iprp"): readProperties(box.content, bytes)
                default: true
                }
            guard isSound else { return nil }
        }
    }

    /// Where the last byte of any item is, and the one after it.
    var end: Int { extents.values.joined().reduce(0) { max($0, $1.upperBound) } }

    // MARK: - Boxes

    private mutating func readPrimary(_ bytes: RawSpan) -> Bool {
        guard let version = reader.version(bytes) else { return false }
        primary = reader.number(bytes, version == 0 ? 2 : 4)
        return primary != nil
    }

    private mutating func readKinds(_ bytes: RawSpan) -> Bool {
        guard let version = reader.version(bytes), let count = reader.number(bytes, version == 0 ? 2 : 4),
            count <= Self.mostItems
        else { return false }
        let entries = HEIFBoxes.all(in: reader.rest, bytes)
        guard entries.count <= Self.mostItems else { return false }
        self.count = max(self.count, entries.count)
        for entry in entries where entry.kind == HEIFBoxes.name("infe") {
            var fields = HEIFReader(range: entry.content)
            guard let version = fields.version(bytes), version >= 2,
                let item = fields.number(bytes, version == 2 ? 2 : 4), fields.number(bytes, 2) != nil,
                let kind = fields.number(bytes, 4)
            else { continue }
            kinds[item] = kind
        }
        return true
    }

    private mutating func readPlaces(_ bytes: RawSpan, data: Range<Int>?) -> Bool {
        guard let version = reader.version(bytes), version <= 2, let sizes = reader.number(bytes, 2),
            let count = reader.number(bytes, version < 2 ? 2 : 4), count <= Self.mostItems
        else { return false }
        self.count = max(self.count, count)
        let (offsetSize, lengthSize) = (sizes >> 12, sizes >> 8 & 15)
        var places = 0
        let (baseSize, indexSize) = (sizes >> 4 & 15, version == 0 ? 0 : sizes & 15)
        for _ in 0..<count {
            guard let item = reader.number(bytes, version < 2 ? 2 : 4),
                let method = version == 0 ? 0 : reader.number(bytes, 2), reader.number(bytes, 2) != nil,
                let base = reader.number(bytes, baseSize), let count = reader.number(bytes, 2)
            else { return false }
            // Places may take no bytes at all.
            places += count
            guard places <= Self.mostItems else { return false }
            for _ in 0..<count {
                guard reader.number(bytes, indexSize) != nil,
                    let offset = reader.number(bytes, offsetSize),
                    let length = reader.number(bytes, lengthSize)
                else { return false }
                let origin = method & 15 == 1 ? data?.lowerBound ?? 0 : 0
                let (sum, overflow) = (origin + base).addingReportingOverflow(offset)
                guard !overflow, sum < 1 << 48, length < 1 << 48 else { return false }
                // No length stands for the rest of the file.
                let end = length == 0 && lengthSize == 0 ? max(sum, bytes.byteCount) : sum + length
                extents[item, default: []].append(sum..<end)
            }
        }
        return true
    }

    private mutating func readReferences(_ bytes: RawSpan) -> Bool {
        guard let version = reader.version(bytes) else { return false }
        let width = version == 0 ? 2 : 4
        let references = HEIFBoxes.all(in: reader.rest, bytes)
        count = max(count, references.count / Self.mostReferences)
        for box in references {
            let (isPart, isThumbnail) = (
                box.kind == HEIFBoxes.name("dimg"), box.kind == HEIFBoxes.name("thmb")
            )
            guard isPart || isThumbnail || box.kind == HEIFBoxes.name("auxl") else { continue }
            var fields = HEIFReader(range: box.content)
            guard let item = fields.number(bytes, width), let count = fields.number(bytes, 2) else {
                return false
            }
            referenceCount += count
            guard referenceCount <= Self.mostItems else { return false }
            for _ in 0..<count {
                guard let other = fields.number(bytes, width) else { return false }
                if isPart {
                    parts[item, default: []].append(other)
                } else if isThumbnail {
                    thumbnails[other, default: []].append(item)
                } else {
                    auxiliaries[other, default: []].append(item)
                }
            }
        }
        return true
    }

    private mutating func readProperties(_ range: Range<Int>, _ bytes: RawSpan) -> Bool {
        guard let properties = HEIFBoxes.find("ipco", in: range, bytes) else { return true }
        var decoders: [Int: Range<Int>] = [:]
        var transforms: [Int: HEIFTransform] = [:]
        var descriptions: [Int: HEIFBoxes.Box] = [:]
        let boxes = HEIFBoxes.all(in: properties, bytes)
        guard boxes.count <= Self.mostItems else { return false }
        for (index, box) in boxes.enumerated() {
            if box.kind == HEIFBoxes.name("hvcC") { decoders[index + 1] = box.content }
            if HEIFColors.properties.contains(box.kind) { descriptions[index + 1] = box }
            transforms[index + 1] = HEIFTransform(box.kind, box.content, bytes)
            guard box.kind == HEIFBoxes.name("ispe") else { continue }
            var fields = HEIFReader(range: box.content.dropFirst(4))
            guard let width = fields.number(bytes, 4), let height = fields.number(bytes, 4) else {
                return false
            }
            let size = PixelSize(width: width, height: height)
            if size.area > largest?.area ?? 0 { largest = size }
        }
        for box in HEIFBoxes.all(in: range, bytes) where box.kind == HEIFBoxes.name("ipma") {
            reader = HEIFReader(range: box.content)
            guard readAssociations(of: decoders, transforms, descriptions, bytes) else { return false }
        }
        return true
    }

    /// Which properties each item has, numbered from 1.
    private mutating func readAssociations(
        of decoders: [Int: Range<Int>], _ transforms: [Int: HEIFTransform],
        _ descriptions: [Int: HEIFBoxes.Box], _ bytes: RawSpan
    ) -> Bool {
        guard let head = reader.number(bytes, 4), let count = reader.number(bytes, 4),
            count <= Self.mostItems
        else { return false }
        self.count = max(self.count, count)
        let (itemSize, indexSize) = (head >> 24 == 0 ? 2 : 4, head & 1 == 1 ? 2 : 1)
        for _ in 0..<count {
            guard let item = reader.number(bytes, itemSize), let count = reader.number(bytes, 1) else {
                return false
            }
            associationCount += count
            guard associationCount <= Self.mostItems else { return false }
            for _ in 0..<count {
                guard let index = reader.number(bytes, indexSize) else { return false }
                // The highest bit is the essential flag.
                let number = index & (indexSize == 2 ? 0x7FFF : 0x7F)
                if let decoder = decoders[number] {
                    configurations[item, default: []].append(decoder)
                }
                if let description = descriptions[number] {
                    self.descriptions[item, default: []].append(description)
                }
                if let transform = transforms[number] {
                    self.transforms[item, default: []].append(transform)
                }
            }
        }
        return true
    }
}

/// Reads big-endian numbers one after the other, as far as a box goes.
struct HEIFReader {
    private(set) var rest: Range<Int>

    init(range: Range<Int>) { rest = range }

    /// A number of `count` bytes, at most 8; nil if there are no more, or it is not one that `Int` has.
    mutating func number(_ bytes: RawSpan, _ count: Int) -> Int? {
        guard count <= rest.count, rest.upperBound <= bytes.byteCount else { return nil }
        var value: UInt64 = 0
        for index in rest.prefix(min(count, 8)) {
            value = value << 8 | UInt64(bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self))
        }
        rest = rest.dropFirst(count)
        return Int(exactly: value).flatMap { $0 < 1 << 56 ? $0 : nil }
    }

    /// Of the four bytes with which most boxes start, the first.
    mutating func version(_ bytes: RawSpan) -> Int? { number(bytes, 4).map { $0 >> 24 } }
}

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
