/// The fields of a TIFF structure that describe a picture: those of EXIF (JEITA CP-3451), or of a TIFF file.
///
/// Three directories are read: the first one, EXIF's and GPS's. Each is where one field says and is read
/// once, so there are no loops. Left out are thumbnails, maker notes, whose offsets only their makers know,
/// and what says where pixels are.
struct EXIFStructure: Equatable {
    struct Field: Equatable {
        var tag: Int
        var type: Int

        /// In the byte order of the structure.
        var value: [UInt8]
    }

    var isBig: Bool
    var image: [Field] = []
    var photo: [Field] = []
    var location: [Field] = []

    /// Of a TIFF file: other kinds of metadata, and the colour profile.
    private(set) var xmp: [UInt8]?
    private(set) var iptc: [UInt8]?
    private(set) var resources: [UInt8]?
    private(set) var profile: [UInt8]?

    /// More than any camera writes into one directory.
    private static let mostFields = 1024

    /// One without fields.
    init(isBig: Bool = false) { self.isBig = isBig }

    /// Reads a structure; values of more than `limit` bytes in all are left out.
    ///
    /// Nil if `source` does not start with a byte order.
    init?(_ source: MetadataSource, limit: Int) {
        guard var reader = DirectoryReader(source, limit: limit) else { return nil }
        isBig = reader.isBig
        for entry in reader.entries(at: reader.first) {
            switch entry.tag {
            case EXIFTag.photo:
                photo = reader.fields(at: reader.offset(entry)) { !EXIFTag.unmovable.contains($0) }
            case EXIFTag.location: location = reader.fields(at: reader.offset(entry)) { _ in true }
            case EXIFTag.xmp: xmp = reader.value(entry)
            case EXIFTag.iptc: iptc = reader.value(entry)
            case EXIFTag.resources: resources = reader.value(entry)
            case EXIFTag.profile: profile = reader.value(entry)
            case let tag where EXIFTag.descriptive.contains(tag):
                guard let value = reader.value(entry) else { continue }
                image.append(Field(tag: tag, type: entry.type, value: value))
            default: continue
            }
        }
    }

    init?(_ bytes: [UInt8]) { self.init(MetadataSource(bytes), limit: bytes.count * 2) }

    /// Reads directories in the classic or the large form (BigTIFF).
    private struct DirectoryReader {
        struct Entry {
            var tag: Int
            var type: Int
            var count: Int
            /// The bytes of the value, or of its offset.
            var place: [UInt8]
        }

        let source: MetadataSource
        let isBig: Bool
        private let isLarge: Bool
        private var rest: Int
        private var visited: Set<Int> = []

        init?(_ source: MetadataSource, limit: Int) {
            let mark = source.bytes(0..<min(4, source.count)) ?? []
            switch mark {
            case Array("II*\0".utf8): (isBig, isLarge) = (false, false)
            case Array("MM\0*".utf8): (isBig, isLarge) = (true, false)
            case Array("II+\0".utf8): (isBig, isLarge) = (false, true)
            case Array("MM\0+".utf8): (isBig, isLarge) = (true, true)
            default: return nil
            }
            (self.source, rest) = (source, limit)
        }

        var first: Int? { isLarge ? number(8, 8) : number(4, 4) }

        private func number(_ offset: Int, _ width: Int) -> Int? {
            source.number(offset, width, isBig: isBig)
        }

        /// The entries of the directory at `start`, as far as it is there; none if it was read before.
        mutating func entries(at start: Int?) -> [Entry] {
            let (head, length) = isLarge ? (8, 20) : (2, 12)
            guard let start, start >= TIFFOrder.headerSize, visited.insert(start).inserted,
                let count = number(start, head), source.count - start - head > 0
            else { return [] }
            let available = min(count, EXIFStructure.mostFields, (source.count - start - head) / length)
            guard let bytes = source.bytes(start + head..<start + head + available * length) else {
                return []
            }
            let table = MetadataSource(bytes)
            var seen: Set<Int> = []
            return (0..<available).compactMap { index in
                let place = index * length
                guard let tag = table.number(place, 2, isBig: isBig), seen.insert(tag).inserted,
                    let type = table.number(place + 2, 2, isBig: isBig),
                    let count = table.number(place + 4, isLarge ? 8 : 4, isBig: isBig)
                else { return nil }
                let value = Array(bytes[(place + (isLarge ? 12 : 8))..<place + length])
                return Entry(tag: tag, type: type, count: count, place: value)
            }
        }

        mutating func fields(at start: Int?, where isWanted: (Int) -> Bool) -> [Field] {
            entries(at: start).compactMap { entry in
                guard isWanted(entry.tag), let value = value(entry) else { return nil }
                return Field(tag: entry.tag, type: entry.type, value: value)
            }
        }

        /// The bytes of a value; nil if it is none, too long or beyond the end.
        mutating func value(_ entry: Entry) -> [UInt8]? {
            guard let width = EXIFTag.width(of: entry.type) else { return nil }
            let (length, overflow) = width.multipliedReportingOverflow(by: entry.count)
            guard !overflow, length > 0, length <= rest else { return nil }
            if length <= entry.place.count {
                rest -= length
                return Array(entry.place.prefix(length))
            }
            guard let start = offset(entry), length <= source.count - start,
                let bytes = source.bytes(start..<start + length)
            else { return nil }
            rest -= length
            return bytes
        }

        /// The offset in an entry.
        func offset(_ entry: Entry) -> Int? {
            guard let offset = MetadataSource(entry.place).number(0, entry.place.count, isBig: isBig),
                offset <= source.count
            else { return nil }
            // A BigTIFF may have a directory's offset in four bytes.
            if isLarge, [4, 13].contains(entry.type) {
                return MetadataSource(entry.place).number(0, 4, isBig: isBig)
            }
            return offset
        }
    }
}

// MARK: - Writing

extension EXIFStructure {
    /// The bytes of the structure; nil if it has no fields.
    func serialized() -> [UInt8]? {
        guard !image.isEmpty || !photo.isEmpty || !location.isEmpty else { return nil }
        let head = Array((isBig ? "MM" : "II").utf8) + number(42, 2) + number(TIFFOrder.headerSize, 4)
        return head + directories(at: head.count, beside: []).bytes
    }

    /// The directories as they are at an offset of a file, the first one in front, with fields of the file's own.
    func directories(at start: Int, beside others: [(tag: Int, bytes: [UInt8])]) -> (
        bytes: [UInt8], count: Int
    ) {
        let pointers = (photo.isEmpty ? 0 : 1) + (location.isEmpty ? 0 : 1)
        let own = image.filter { field in !others.contains { $0.tag == field.tag } }
        let photoStart = start + Self.size(own, beside: others.count + pointers)
        let locationStart = photoStart + (photo.isEmpty ? 0 : Self.size(photo, beside: 0))
        var entries = others
        if !photo.isEmpty { entries.append(pointer(EXIFTag.photo, photoStart)) }
        if !location.isEmpty { entries.append(pointer(EXIFTag.location, locationStart)) }
        var bytes = directory(own, at: start, beside: entries)
        if !photo.isEmpty { bytes += directory(photo, at: photoStart, beside: []) }
        if !location.isEmpty { bytes += directory(location, at: locationStart, beside: []) }
        return (bytes, own.count + entries.count)
    }

    /// The same in the other byte order.
    func converted(isBig: Bool) -> EXIFStructure {
        guard isBig != self.isBig else { return self }
        var changed = self
        changed.isBig = isBig
        func swapped(_ fields: [Field]) -> [Field] {
            fields.map { field in
                let unit = EXIFTag.unit(of: field.type)
                let units = stride(from: 0, to: field.value.count, by: unit)
                return Field(
                    tag: field.tag, type: field.type,
                    value: units.flatMap { field.value[$0...].prefix(unit).reversed() })
            }
        }
        changed.image = swapped(image)
        changed.photo = swapped(photo)
        changed.location = swapped(location)
        return changed
    }

    private static func size(_ fields: [Field], beside others: Int) -> Int {
        fields.reduce(2 + 12 * (fields.count + others) + 4) { sum, field in
            field.value.count > 4 ? sum + field.value.count + field.value.count % 2 : sum
        }
    }

    private func pointer(_ tag: Int, _ offset: Int) -> (tag: Int, bytes: [UInt8]) {
        (tag, number(tag, 2) + number(4, 2) + number(1, 4) + number(offset, 4))
    }

    private func directory(
        _ fields: [Field], at start: Int, beside others: [(tag: Int, bytes: [UInt8])]
    ) -> [UInt8] {
        var (entries, values) = (others, [UInt8]())
        let valuesStart = start + 2 + 12 * (fields.count + others.count) + 4
        for field in fields {
            let count = field.value.count / (EXIFTag.width(of: field.type) ?? 1)
            var bytes = number(field.tag, 2) + number(field.type, 2) + number(count, 4)
            if field.value.count > 4 {
                bytes += number(valuesStart + values.count, 4)
                values += field.value
                // Offsets are even.
                if field.value.count % 2 == 1 { values.append(0) }
            } else {
                bytes += field.value + [UInt8](repeating: 0, count: 4 - field.value.count)
            }
            entries.append((field.tag, bytes))
        }
        entries.sort { $0.tag < $1.tag }
        return number(entries.count, 2) + entries.flatMap(\.bytes) + number(0, 4) + values
    }

    private func number(_ value: Int, _ count: Int) -> [UInt8] {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return isBig ? bytes.reversed() : bytes
    }
}

/// The numbers of fields and types.
enum EXIFTag {
    static let (photo, location) = (0x8769, 0x8825)
    static let (xmp, iptc, resources, profile) = (0x02BC, 0x83BB, 0x8649, 0x8773)
    static let (orientation, artist, copyright) = (0x0112, 0x013B, 0x8298)
    static let (width, height) = (0xA002, 0xA003)

    /// Fields of the first directory that say something about the picture and not about its storage.
    static let descriptive: Set = [
        0x010D, 0x010E, 0x010F, 0x0110, orientation, 0x011A, 0x011B, 0x011D, 0x0128, 0x0131, 0x0132, artist,
        0x013C,
        0x0213, 0x4746, 0x4749, copyright, 0x9C9B, 0x9C9C, 0x9C9D, 0x9C9E, 0x9C9F, 0xC614, 0xC62F,
    ]

    /// Fields of the first directory that describe the stored pixels of the file that the structure is in.
    static let stored: Set = [0x011A, 0x011B, 0x0128, 0x0213]

    /// Fields of EXIF's directory whose values have offsets, or are padding: maker notes, interoperability.
    static let unmovable: Set = [0x927C, 0xA005, 0xEA1C]

    private static let widths = [
        1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8,
        18: 8, 129: 1,
    ]

    /// Bytes of a value of a type; nil for one that is unknown.
    static func width(of type: Int) -> Int? { widths[type] }

    /// Bytes of the numbers of which values of a type consist: two in a fraction.
    static func unit(of type: Int) -> Int { type == 5 || type == 10 ? 4 : widths[type] ?? 1 }
}
