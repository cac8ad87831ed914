/// The data sets of IPTC's Information Interchange Model (IIM, version 4).
struct IPTCRecords {
    private struct DataSet {
        var record: UInt8
        var number: UInt8
        var whole: Range<Int>
        var value: Range<Int>
    }

    private let bytes: [UInt8]
    private var sets: [DataSet] = []

    private static let mostSets = 4096

    /// Reads as many as are there.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        let span = bytes.span.bytes
        var offset = 0
        while sets.count < Self.mostSets, bytes.indices.contains(offset), bytes[offset] == 0x1C,
            let record = span.u8(offset + 1), let number = span.u8(offset + 2),
            var length = span.u16BE(offset + 3)
        {
            var start = offset + 5
            if length & 0x8000 != 0 {
                // So many bytes have the length.
                let width = length & 0x7FFF
                guard (1...4).contains(width), start + width <= bytes.count else { return }
                length = bytes[start..<start + width].reduce(0) { $0 << 8 | Int($1) }
                start += width
            }
            guard length <= bytes.count - start else { return }
            sets.append(
                DataSet(
                    record: UInt8(record), number: UInt8(number), whole: offset..<start + length,
                    value: start..<start + length))
            offset = start + length
        }
    }

    /// The texts of a data set of the application record, at most `count`.
    func texts(of number: UInt8, count: Int, length: Int) -> [String] {
        sets.lazy.filter { $0.record == 2 && $0.number == number }.prefix(count).map { set in
            MetadataText.trimmed(MetadataText.text(bytes[set.value.prefix(length)]))
        }.filter { !$0.isEmpty }
    }

    /// The data sets without those that name places, and without what is no data set; nil if there are no others.
    var withoutLocation: [UInt8]? {
        let kept = sets.filter { $0.record != 2 || !Self.locations.contains($0.number) }
        // Record 1 is the envelope, which describes only the records after it.
        return kept.contains { $0.record != 1 } ? kept.flatMap { bytes[$0.whole] } : nil
    }

    /// Content location, city, sub-location, state, and country.
    private static let locations: Set<UInt8> = [26, 27, 90, 92, 95, 100, 101]
}

/// Photoshop's image resources, which have IPTC's records in a JPEG, and in some TIFFs and PNGs.
enum PhotoshopResources {
    private static let iptcNumber = 0x0404
    private static let mostResources = 4096

    /// The first resource of IPTC's records.
    static func iptc(in bytes: [UInt8]) -> [UInt8]? {
        let span = bytes.span.bytes
        var offset = 0
        for _ in 0..<mostResources {
            guard span.has("8BIM", at: offset), let number = span.u16BE(offset + 4),
                let name = span.u8(offset + 6)
            else { return nil }
            // The name has its length in front, and both together an even number of bytes.
            let place = offset + 6 + (1 + name + 1) / 2 * 2
            guard let length = span.u32BE(place), length <= bytes.count - place - 4 else { return nil }
            let body = place + 4..<place + 4 + length
            if number == iptcNumber, length > 0 { return Array(bytes[body]) }
            offset = body.upperBound + length % 2
        }
        return nil
    }

    /// A resource of these records.
    static func resource(of iptc: [UInt8]) -> [UInt8] {
        let length = (0..<4).map { UInt8(truncatingIfNeeded: iptc.count >> (24 - 8 * $0)) }
        return Array("8BIM".utf8) + [UInt8(iptcNumber >> 8), UInt8(iptcNumber & 0xFF), 0, 0] + length + iptc
            + [UInt8](repeating: 0, count: iptc.count % 2)
    }
}

/// Texts of unknown encodings.
enum MetadataText {
    /// UTF-8 if the bytes are that, else Latin-1, as the programs of its time wrote.
    static func text(_ bytes: some Collection<UInt8>) -> String {
        String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// Without white space and zeros at both ends.
    static func trimmed(_ text: String) -> String {
        func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar.value == 0 || scalar.properties.isWhitespace }
        let scalars = text.unicodeScalars.drop(while: isBlank)
        guard let last = scalars.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(String.UnicodeScalarView(scalars[...last]))
    }
}
