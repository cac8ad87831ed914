/// Adds EXIF metadata to JPEGs.
package enum EXIFBuilder {
    /// `photograph` with an EXIF block that has an orientation and a thumbnail.
    package static func add(
        thumbnail: [UInt8], orientation: UInt8 = 1, isBig: Bool = true, to photograph: [UInt8]
    ) -> [UInt8] {
        let body = Array("Exif\0\0".utf8) + structure(thumbnail, orientation, isBig)
        let length = body.count + 2
        let marker: [UInt8] = [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)]
        return Array(photograph[..<2] + marker + body + photograph[2...])
    }

    /// A TIFF structure of two directories, followed by the thumbnail.
    package static func structure(
        _ thumbnail: [UInt8], _ orientation: UInt8 = 1, _ isBig: Bool = true
    ) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let bytes = (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) }
            return isBig ? bytes.reversed() : bytes
        }
        func entry(_ tag: Int, _ type: Int, _ value: [UInt8]) -> [UInt8] {
            number(tag, 2) + number(type, 2) + number(1, 4) + value
        }
        var bytes: [UInt8] = Array((isBig ? "MM" : "II").utf8) + number(42, 2) + number(8, 4)
        bytes += number(1, 2) + entry(0x0112, 3, number(Int(orientation), 2) + [0, 0]) + number(26, 4)
        bytes += number(2, 2) + entry(0x0201, 4, number(56, 4))
        bytes += entry(0x0202, 4, number(thumbnail.count, 4)) + number(0, 4)
        return bytes + thumbnail
    }
}
