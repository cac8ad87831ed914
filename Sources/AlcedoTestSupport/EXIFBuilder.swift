/// Creates EXIF metadata, and adds it to JPEGs.
package enum EXIFBuilder {
    /// `photograph` with an EXIF block that has an orientation and a thumbnail.
    package static func add(
        thumbnail: [UInt8], orientation: UInt8 = 1, isBig: Bool = true, to photograph: [UInt8]
    ) -> [UInt8] {
        insert(structure(thumbnail, orientation, isBig), in: photograph)
    }

    /// A JPEG with an EXIF block of this TIFF structure after its first marker.
    package static func insert(_ structure: [UInt8], in photograph: [UInt8]) -> [UInt8] {
        let body = Array("Exif\0\0".utf8) + structure
        let length = body.count + 2
        let marker: [UInt8] = [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)]
        return Array(photograph[..<2]) + marker + body + Array(photograph[2...])
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

extension EXIFBuilder {
    /// A TIFF structure of one directory with these tags.
    package static func tags(
        orientation: UInt8? = nil, artist: String? = nil, copyright: String? = nil, isBig: Bool = true
    ) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return isBig ? bytes.reversed() : bytes
        }
        var entries: [(tag: Int, type: Int, count: Int, value: [UInt8])] = []
        if let orientation { entries.append((0x0112, 3, 1, number(Int(orientation), 2) + [0, 0])) }
        for (tag, text) in [(0x013B, artist), (0x8298, copyright)] {
            guard let text else { continue }
            let bytes = Array(text.utf8) + [0]
            entries.append((tag, 2, bytes.count, bytes))
        }
        var (directory, values) = (number(entries.count, 2), [UInt8]())
        let start = 8 + 2 + entries.count * 12 + 4
        for entry in entries {
            directory += number(entry.tag, 2) + number(entry.type, 2) + number(entry.count, 4)
            if entry.value.count <= 4 {
                directory += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
            } else {
                directory += number(start + values.count, 4)
                values += entry.value + [UInt8](repeating: 0, count: entry.value.count % 2)
            }
        }
        return Array((isBig ? "MM" : "II").utf8) + number(42, 2) + number(8, 4) + directory + number(0, 4)
            + values
    }

    /// A TIFF structure whose EXIF directory says how many pixels the picture has: the width in 16 bits, the
    /// height in 32.
    package static func pixels(
        _ width: Int, _ height: Int, orientation: UInt8 = 1, isBig: Bool = true
    ) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return isBig ? bytes.reversed() : bytes
        }
        func entry(_ tag: Int, _ type: Int, _ value: [UInt8]) -> [UInt8] {
            number(tag, 2) + number(type, 2) + number(1, 4) + value
        }
        var bytes: [UInt8] = Array((isBig ? "MM" : "II").utf8) + number(42, 2) + number(8, 4)
        bytes += number(2, 2) + entry(0x0112, 3, number(Int(orientation), 2) + [0, 0])
        bytes += entry(0x8769, 4, number(38, 4)) + number(0, 4)
        bytes += number(2, 2) + entry(0xA002, 3, number(width, 2) + [0, 0])
        return bytes + entry(0xA003, 4, number(height, 4)) + number(0, 4)
    }
}
