import AlcedoPixels

/// Adds items of metadata to a HEIC or AVIF (ISO/IEC 14496-12, 8.11).
///
/// The bytes of the items go to the end of the file. The `meta` box gets longer, so the places of items
/// after it move.
struct HEIFMetadata {
    private let file: [UInt8]
    private let meta: (whole: Range<Int>, content: Range<Int>)
    private let boxes: MetadataBoxes
    private let primary: Int
    private let next: Int

    /// Leaves numbers of two bytes for the items that are added.
    private static let mostItems = 65_000

    /// Nil unless `file` has the structure that libavif and libheif write: one `meta` box, no film, and
    /// lengths of all boxes.
    init?(_ file: [UInt8]) {
        let source = MetadataSource(file)
        let all = MetadataBoxes(source, in: 0..<file.count).all
        guard let last = all.last, last.whole.upperBound == file.count,
            source.number(last.whole.lowerBound, 4) != 0,
            !all.contains(where: { $0.name == "moov" }), let meta = all.first(where: { $0.name == "meta" }),
            meta.content.count >= 4
        else { return nil }
        boxes = MetadataBoxes(source, in: meta.content.dropFirst(4))
        guard let names = boxes.first("iinf"), let box = boxes.first("pitm"),
            let primary = source.number(box.lowerBound + 4, source.number(box.lowerBound, 1) == 0 ? 2 : 4)
        else { return nil }
        let head = source.number(names.lowerBound, 1) == 0 ? 6 : 8
        guard names.count >= head else { return nil }
        let numbers = MetadataBoxes(source, in: names.dropFirst(head)).all.compactMap { entry in
            source.number(
                entry.content.lowerBound + 4, source.number(entry.content.lowerBound, 1) ?? 0 < 3 ? 2 : 4)
        }
        (self.file, self.meta, self.primary) = (file, (meta.whole, meta.content), primary)
        next = (numbers.max() ?? 0) + 1
        // Numbers of two bytes are written, and places of four.
        guard next <= Self.mostItems, primary < 1 << 16, file.count < 1 << 31,
            source.number(names.lowerBound + 4, head - 4) == numbers.count,
            boxes.all.last?.whole.upperBound == meta.content.upperBound
        else { return nil }
    }

    /// The file with the EXIF and XMP of `blocks`; nil if its places can't be moved.
    func adding(_ blocks: MetadataBlocks) -> [UInt8]? {
        var items: [(name: [UInt8], content: [UInt8])] = []
        if let exif = blocks.exif { items.append((Array("Exif\0".utf8), [0, 0, 0, 0] + exif)) }
        if let xmp = blocks.xmp { items.append((Array("mime\0application/rdf+xml\0".utf8), xmp)) }
        guard !items.isEmpty else { return file }
        // The length does not depend on where the items are.
        guard let draft = box(with: items, movedBy: 0) else { return nil }
        let shift = draft.count - meta.whole.count
        guard let box = box(with: items, movedBy: shift) else { return nil }
        var result = file
        result.replaceSubrange(meta.whole, with: box)
        return result + MetadataBlocks.box("mdat", items.flatMap(\.content))
    }

    /// The `meta` box.
    private func box(with items: [(name: [UInt8], content: [UInt8])], movedBy shift: Int) -> [UInt8]? {
        var content = Array(file[meta.content.prefix(4)])
        for box in boxes.all {
            switch box.name {
            case "iinf": content += names(box.content, items.map(\.name))
            case "iloc":
                guard let places = places(box.content, items.map(\.content.count), movedBy: shift) else {
                    return nil
                }
                content += places
            case "iref":
                guard file[box.content.lowerBound...].first == 0 else { return nil }
                content += MetadataBlocks.box("iref", Array(file[box.content]) + references(items.count))
            default: content += file[box.whole]
            }
        }
        guard boxes.first("iloc") != nil else { return nil }
        if boxes.first("iref") == nil {
            content += MetadataBlocks.box("iref", [0, 0, 0, 0] + references(items.count))
        }
        return MetadataBlocks.box("meta", content)
    }

    private func names(_ box: Range<Int>, _ added: [[UInt8]]) -> [UInt8] {
        let width = file[box.lowerBound] == 0 ? 2 : 4
        let source = MetadataSource(file)
        let count = (source.number(box.lowerBound + 4, width) ?? 0) + added.count
        var content = Array(file[box.prefix(4)]) + MetadataBlocks.big(count, width)
        content += file[box.dropFirst(4 + width)]
        for (index, name) in added.enumerated() {
            // Version 2, hidden as it is no picture.
            content += MetadataBlocks.box(
                "infe", [2, 0, 0, 1] + MetadataBlocks.big(next + index, 2) + [0, 0] + name)
        }
        return MetadataBlocks.box("iinf", content)
    }

    /// The items describe the primary one.
    private func references(_ count: Int) -> [UInt8] {
        (0..<count).flatMap { index in
            MetadataBlocks.box(
                "cdsc", MetadataBlocks.big(next + index, 2) + [0, 1] + MetadataBlocks.big(primary, 2))
        }
    }

    private func places(_ box: Range<Int>, _ lengths: [Int], movedBy shift: Int) -> [UInt8]? {
        let source = MetadataSource(file)
        var offset = box.lowerBound
        func take(_ width: Int) -> Int? {
            guard width > 0 else { return 0 }
            guard offset + width <= box.upperBound, let number = source.number(offset, width) else {
                return nil
            }
            offset += width
            // Sums of such numbers do not overflow.
            return number < 1 << 48 ? number : nil
        }
        guard let version = take(1), version <= 2, take(3) != nil, let sizes = take(2) else { return nil }
        let itemWidth = version < 2 ? 2 : 4
        guard let count = take(itemWidth), count <= Self.mostItems else { return nil }
        let (offsetWidth, lengthWidth, baseWidth) = (sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15)
        let indexWidth = version == 0 ? 0 : sizes & 15
        guard offsetWidth >= 4, lengthWidth >= 4 else { return nil }
        var content =
            Array(file[box.prefix(6)]) + MetadataBlocks.big(count + lengths.count, itemWidth)
        for _ in 0..<count {
            guard let item = take(itemWidth), let method = version == 0 ? 0 : take(2), let source = take(2),
                let base = take(baseWidth), let extents = take(2)
            else { return nil }
            content += MetadataBlocks.big(item, itemWidth)
            if version > 0 { content += MetadataBlocks.big(method, 2) }
            let moves = method & 15 == 0 && source == 0
            // Without a base of its own an item's extents have the whole offset.
            let isBaseMoved = moves && base >= meta.whole.upperBound
            content +=
                MetadataBlocks.big(source, 2)
                + MetadataBlocks.big(base + (isBaseMoved ? shift : 0), baseWidth)
            content += MetadataBlocks.big(extents, 2)
            for _ in 0..<extents {
                guard let index = take(indexWidth), let place = take(offsetWidth),
                    let length = take(lengthWidth)
                else { return nil }
                let isMoved = moves && !isBaseMoved && base + place >= meta.whole.upperBound
                content += MetadataBlocks.big(index, indexWidth)
                content += MetadataBlocks.big(place + (isMoved ? shift : 0), offsetWidth)
                content += MetadataBlocks.big(length, lengthWidth)
            }
        }
        // Behind the header of a box at the end.
        var place = file.count + shift + 8
        for (index, length) in lengths.enumerated() {
            content += MetadataBlocks.big(next + index, itemWidth)
            if version > 0 { content += [0, 0] }
            content +=
                [0, 0] + MetadataBlocks.big(0, baseWidth) + [0, 1] + MetadataBlocks.big(0, indexWidth)
            content += MetadataBlocks.big(place, offsetWidth) + MetadataBlocks.big(length, lengthWidth)
            place += length
        }
        return MetadataBlocks.box("iloc", content)
    }
}
