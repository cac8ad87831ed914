/// The boxes in a part of a file (ISO/IEC 14496-12, 4.2), up to one that reaches beyond it.
struct MetadataBoxes {
    private(set) var all: [(name: String, whole: Range<Int>, content: Range<Int>)] = []

    private static let mostBoxes = 4096

    init(_ source: MetadataSource, in range: Range<Int>) {
        var offset = range.lowerBound
        while all.count < Self.mostBoxes, let length = source.number(offset, 4),
            let name = source.bytes(offset + 4..<offset + 8)
        {
            var (start, end) = (offset + 8, offset + length)
            if length == 0 { end = range.upperBound }
            if length == 1 {
                guard let long = source.number(offset + 8, 8), long < 1 << 48 else { return }
                (start, end) = (offset + 16, offset + long)
            }
            guard start <= end, end <= range.upperBound else { return }
            all.append((String(decoding: name, as: UTF8.self), offset..<end, start..<end))
            offset = end
        }
    }

    /// The content of the first box of that name.
    func first(_ name: String) -> Range<Int>? { all.first { $0.name == name }?.content }
}

/// The items of a HEIC or AVIF that describe its picture (ISO/IEC 14496-12, 8.11, and ISO/IEC 23008-12, annex A).
struct MetadataItems {
    enum Kind { case exif, xmp }

    struct Item {
        var number: Int

        /// Nil for metadata of another kind, or compressed.
        var kind: Kind?

        /// Where the name of its kind is, in the box.
        var place: Int
    }

    private(set) var all: [Item] = []

    /// Those of a kind that is read, in their order: those of the primary picture, or all if none is.
    private(set) var described: [(number: Int, kind: Kind)] = []

    /// The first colour profile, in the box.
    private(set) var profile: Range<Int>?

    private let bytes: [UInt8]
    /// The bytes of all items: of ``inside`` in the `idat` box, of the others in the file.
    private(set) var extents: [Int: [Range<Int>]] = [:]
    private(set) var inside: Set<Int> = []
    private(set) var idat: Range<Int>?

    /// Whether all items and places have been read, and none of metadata is in another item.
    private(set) var isWhole = false

    /// Limits of items, and of extents of all of them.
    private static let (mostItems, mostExtents) = (1 << 16, 1 << 16)

    /// Reads the content of a `meta` box; nil if it is malformed.
    init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        let source = MetadataSource(bytes)
        guard bytes.count >= 4 else { return nil }
        let boxes = MetadataBoxes(source, in: 4..<bytes.count)
        guard let names = boxes.first("iinf"), let places = boxes.first("iloc") else { return nil }
        idat = boxes.first("idat")
        all = Self.items(source, names)
        var items = all.compactMap { item in item.kind.map { (number: item.number, kind: $0) } }
        let primary = boxes.first("pitm").flatMap { box in
            source.number(box.lowerBound + 4, source.number(box.lowerBound, 1) == 0 ? 2 : 4)
        }
        if let box = boxes.first("iref"), let primary {
            let own = Self.describing(primary, source, box)
            if items.contains(where: { own.contains($0.number) }) {
                items.removeAll { !own.contains($0.number) }
            }
        }
        let head = source.number(names.lowerBound, 1) == 0 ? 2 : 4
        let count = MetadataBoxes(source, in: names.dropFirst(4 + head)).all.count
        isWhole = readPlaces(source, places) && source.number(names.lowerBound + 4, head) == count
        described = items
        if let properties = boxes.first("iprp"),
            let container = MetadataBoxes(source, in: properties).first("ipco")
        {
            profile = MetadataBoxes(source, in: container).all.first { box in
                box.name == "colr"
                    && (source.has("prof", at: box.content.lowerBound)
                        || source.has("rICC", at: box.content.lowerBound))
            }.map { $0.content.dropFirst(4) }
        }
    }

    private static func items(_ source: MetadataSource, _ box: Range<Int>) -> [Item] {
        let head = source.number(box.lowerBound, 1) == 0 ? 6 : 8
        guard box.count >= head else { return [] }
        return MetadataBoxes(source, in: box.dropFirst(head)).all.compactMap { entry in
            let (start, end) = (entry.content.lowerBound, entry.content.upperBound)
            guard entry.name == "infe", let version = source.number(start, 1), version >= 2 else {
                return nil
            }
            let width = version == 2 ? 2 : 4
            guard let number = source.number(start + 4, width), start + 4 + width + 6 <= end else {
                return nil
            }
            let kind = start + 4 + width + 2
            if source.has("Exif", at: kind) { return Item(number: number, kind: .exif, place: kind) }
            guard source.has("mime", at: kind), let rest = source.bytes(kind + 4..<end) else { return nil }
            // Its name, type and encoding; a compressed document is left out.
            let texts = rest.split(separator: 0, maxSplits: 3, omittingEmptySubsequences: false)
            let isXMP =
                texts.count > 1 && texts[1].elementsEqual("application/rdf+xml".utf8)
                && (texts.count < 3 || texts[2].isEmpty)
            return Item(number: number, kind: isXMP ? .xmp : nil, place: kind)
        }
    }

    /// The items that describe the item `primary`.
    private static func describing(_ primary: Int, _ source: MetadataSource, _ box: Range<Int>) -> Set<Int> {
        guard box.count >= 4, let version = source.number(box.lowerBound, 1) else { return [] }
        let width = version == 0 ? 2 : 4
        var found: Set<Int> = []
        for reference in MetadataBoxes(source, in: box.dropFirst(4)).all where reference.name == "cdsc" {
            let start = reference.content.lowerBound
            guard let item = source.number(start, width), let count = source.number(start + width, 2) else {
                continue
            }
            let most = (reference.content.count - width - 2) / width
            for index in 0..<max(0, min(count, most))
            where source.number(start + width + 2 + index * width, width) == primary { found.insert(item) }
        }
        return found
    }

    /// False unless all places have been read.
    private mutating func readPlaces(_ source: MetadataSource, _ box: Range<Int>) -> Bool {
        let described = Set(all.map(\.number))
        var (offset, total) = (box.lowerBound, 0)
        func take(_ width: Int) -> Int? {
            guard width > 0 else { return 0 }
            guard offset + width <= box.upperBound, let number = source.number(offset, width) else {
                return nil
            }
            offset += width
            // Sums of such numbers do not overflow.
            return number < 1 << 48 ? number : nil
        }
        guard let version = take(1), version <= 2, take(3) != nil, let sizes = take(2),
            let count = take(version < 2 ? 2 : 4), count <= Self.mostItems
        else { return false }
        let (offsetWidth, lengthWidth, baseWidth) = (sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15)
        let indexWidth = version == 0 ? 0 : sizes & 15
        for _ in 0..<count {
            guard let item = take(version < 2 ? 2 : 4), let method = version == 0 ? 0 : take(2),
                take(2) != nil,
                let base = take(baseWidth), let count = take(2)
            else { return false }
            total += count
            guard total <= Self.mostExtents else { return false }
            for _ in 0..<count {
                guard take(indexWidth) != nil, let place = take(offsetWidth), let length = take(lengthWidth)
                else {
                    return false
                }
                guard method & 15 <= 1 else {
                    if described.contains(item) { return false }
                    continue
                }
                if method & 15 == 1 { inside.insert(item) }
                extents[item, default: []].append(base + place..<base + place + length)
            }
        }
        return true
    }

    /// The bytes of an item; nil if they are not all there, or more than `limit`.
    func content(of item: Int, in source: MetadataSource, limit: Int) -> [UInt8]? {
        guard let extents = extents[item], extents.reduce(0, { $0 + $1.count }) <= limit else { return nil }
        var content: [UInt8] = []
        for extent in extents {
            if inside.contains(item) {
                guard let idat, extent.upperBound <= idat.count else { return nil }
                content += bytes[idat.lowerBound + extent.lowerBound..<idat.lowerBound + extent.upperBound]
            } else {
                guard let part = source.bytes(extent) else { return nil }
                content += part
            }
        }
        return content.isEmpty ? nil : content
    }
}
