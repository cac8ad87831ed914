package import AlcedoPixels

/// The pictures of a file that has several: directories of a TIFF, sizes of an icon, items of a HEIC or an AVIF.
///
/// Each becomes a file whose first picture it is, by a change of a few bytes that say which one is. So no library meets it here, and codecs,
/// limits, worker processes and metadata work as for any file.
package struct FilePages: Sendable, Equatable {
    private enum Page: Equatable {
        /// The number at a place of the file.
        case number([UInt8], at: Int)

        /// An icon of its directory's entry, and of the bytes from a place on.
        case icon(entry: Range<Int>, start: Int)
    }

    private let pages: [Page]

    /// How many there are, at least two.
    package var count: Int { pages.count }

    /// More directories or items than a file for people has.
    private static let most = 4096

    /// Reads the structure of a file; nil if it has one picture, or is damaged.
    package init?(_ bytes: RawSpan, format: EncodedFormat) {
        pages = MetadataSource.lending(bytes) { source in
            switch format {
            case .tiff: Self.directories(source)
            case .ico: Self.icons(source)
            case .heic, .avif: Self.items(source)
            default: []
            }
        }
        guard pages.count > 1 else { return nil }
    }

    /// The file with the picture at an index, from 0.
    package func file(at index: Int, of bytes: RawSpan) -> [UInt8] {
        bytes.withUnsafeBytes { buffer in
            switch pages[index] {
            case .number(let number, let place):
                var file = [UInt8](buffer)
                file.replaceSubrange(place..<place + number.count, with: number)
                return file
            case .icon(let entry, let start):
                // The head of a directory of one image, which follows the entry.
                var file = [UInt8](buffer[..<4]) + [1, 0]
                file += buffer[entry].dropLast(4)
                file += [22, 0, 0, 0]
                file += buffer[start...]
                return file
            }
        }
    }

    /// The places of a TIFF's directories, each of which says where the next one is (TIFF 6.0, section 2).
    private static func directories(_ source: MetadataSource) -> [Page] {
        let isBig = source.has("MM", at: 0)
        guard let version = source.number(2, 2, isBig: isBig), version == 42 || version == 43 else {
            return []
        }
        // A BigTIFF has longer numbers.
        let (width, first, count, entry) = version == 42 ? (4, 4, 2, 12) : (8, 8, 8, 20)
        var (pages, seen, offset) = ([Page](), Set<Int>(), source.number(first, width, isBig: isBig) ?? 0)
        while offset > 0, pages.count < most, seen.insert(offset).inserted,
            // A classic TIFF has no more; the 64 bits of a BigTIFF could overflow the place after them.
            let fields = source.number(offset, count, isBig: isBig), fields < 1 << 16
        {
            let bytes = (0..<width).map { UInt8(truncatingIfNeeded: offset >> (8 * $0)) }
            pages.append(.number(isBig ? bytes.reversed() : bytes, at: first))
            offset = source.number(offset + count + fields * entry, width, isBig: isBig) ?? 0
        }
        return pages
    }

    private static func icons(_ source: MetadataSource) -> [Page] {
        (0..<(source.number(4, 2, isBig: false) ?? 0)).compactMap { index in
            let entry = 6 + index * 16
            guard index < most, let start = source.number(entry + 12, 4, isBig: false), start < source.count
            else { return nil }
            return .icon(entry: entry..<entry + 16, start: start)
        }
    }

    /// The pictures of a `meta` box that are no part of another one: no tile, thumbnail, alpha or depth (ISO/IEC 23008-12).
    private static func items(_ source: MetadataSource) -> [Page] {
        let file = MetadataBoxes(source, in: 0..<source.count)
        // The frames of a sequence are not items.
        guard file.first("moov") == nil, let meta = file.first("meta"), meta.count > 4 else { return [] }
        let boxes = MetadataBoxes(source, in: meta.dropFirst(4))
        guard let primary = boxes.first("pitm"), let names = boxes.first("iinf") else { return [] }
        let width = source.number(primary.lowerBound, 1) == 0 ? 2 : 4
        let parts = boxes.first("iref").map { Self.parts(source, $0) } ?? []
        let head = source.number(names.lowerBound, 1) == 0 ? 6 : 8
        guard names.count >= head, primary.count >= 4 + width else { return [] }
        return MetadataBoxes(source, in: names.dropFirst(head)).all.compactMap { entry in
            guard entry.name == "infe", let item = picture(source, entry.content), !parts.contains(item),
                item < 1 << (8 * width)
            else { return nil }
            let bytes = (0..<width).reversed().map { UInt8(truncatingIfNeeded: item >> (8 * $0)) }
            return .number(bytes, at: primary.lowerBound + 4)
        }
    }

    private static let kinds: [StaticString] = ["hvc1", "hev1", "av01", "grid", "iovl", "iden"]

    /// The number of an item if it is a picture that is not hidden.
    private static func picture(_ source: MetadataSource, _ entry: Range<Int>) -> Int? {
        let start = entry.lowerBound
        guard let version = source.number(start, 1), version == 2 || version == 3,
            let flags = source.number(start + 3, 1), flags & 1 == 0
        else { return nil }
        let width = version == 2 ? 2 : 4
        let kind = start + 4 + width + 2
        guard kind + 4 <= entry.upperBound, kinds.contains(where: { source.has($0, at: kind) }) else {
            return nil
        }
        return source.number(start + 4, width)
    }

    /// The items that are thumbnails or auxiliary pictures of others, or of which others are made.
    private static func parts(_ source: MetadataSource, _ box: Range<Int>) -> Set<Int> {
        guard box.count >= 4 else { return [] }
        let width = source.number(box.lowerBound, 1) == 0 ? 2 : 4
        var parts: Set<Int> = []
        for reference in MetadataBoxes(source, in: box.dropFirst(4)).all {
            let start = reference.content.lowerBound
            guard let item = source.number(start, width) else { continue }
            if reference.name == "thmb" || reference.name == "auxl" { parts.insert(item) }
            guard reference.name == "dimg" else { continue }
            let count = (reference.content.count - width - 2) / width
            for index in 0..<max(0, count) {
                if let part = source.number(start + width + 2 + index * width, width) { parts.insert(part) }
            }
        }
        return parts
    }
}
