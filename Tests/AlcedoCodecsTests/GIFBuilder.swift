/// Writes GIFs of known content, with codes that are never compressed.
struct GIFBuilder {
    private(set) var bytes: [UInt8]

    /// Four colours: black, red, green, blue.
    static let colors: [UInt32] = [0xFF00_0000, 0xFFFF_0000, 0xFF00_FF00, 0xFF00_00FF]

    init(width: Int, height: Int, loop: Int? = nil) {
        bytes = Array("GIF89a".utf8) + Self.u16(width) + Self.u16(height) + [0x91, 0, 0]
        bytes += Self.table(Self.colors)
        if let loop {
            bytes += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8)
            bytes += [3, 1] + Self.u16(loop) + [0]
        }
    }

    mutating func control(disposal: Int = 0, delay: Int = 0, transparent: Int? = nil) {
        bytes += [0x21, 0xF9, 4, UInt8(disposal << 2) | (transparent == nil ? 0 : 1)] + Self.u16(delay)
        bytes += [UInt8(transparent ?? 0), 0]
    }

    /// A frame whose pixels, row by row as they are stored, are `pixels`.
    mutating func frame(
        _ left: Int,
        _ top: Int,
        _ width: Int,
        _ height: Int,
        _ pixels: [Int],
        colors: [UInt32]? = nil,
        interlaced: Bool = false
    ) {
        bytes += [0x2C] + Self.u16(left) + Self.u16(top) + Self.u16(width) + Self.u16(height)
        bytes.append((colors == nil ? 0 : 0x81) | (interlaced ? 0x40 : 0))
        if let colors { bytes += Self.table(colors) }
        bytes += [2] + Self.blocks(Self.codes(pixels)) + [0]
    }

    /// A frame all of one colour.
    mutating func frame(_ left: Int, _ top: Int, _ width: Int, _ height: Int, fill: Int) {
        frame(left, top, width, height, [Int](repeating: fill, count: width * height))
    }

    mutating func trailer() { bytes.append(0x3B) }

    private static func u16(_ value: Int) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }

    private static func table(_ colors: [UInt32]) -> [UInt8] {
        colors.flatMap { [UInt8($0 >> 16 & 0xFF), UInt8($0 >> 8 & 0xFF), UInt8($0 & 0xFF)] }
    }

    /// Codes of three bits: a clear code (4) before each pair of pixels keeps them from growing; 5 ends.
    private static func codes(_ pixels: [Int]) -> [UInt8] {
        var codes: [Int] = []
        for (index, pixel) in pixels.enumerated() {
            if index % 2 == 0 { codes.append(4) }
            codes.append(pixel)
        }
        if codes.isEmpty { codes.append(4) }
        codes.append(5)
        var bytes: [UInt8] = []
        for (index, code) in codes.enumerated() {
            let bit = index * 3
            while bytes.count <= (bit + 2) / 8 { bytes.append(0) }
            bytes[bit / 8] |= UInt8(truncatingIfNeeded: code << (bit % 8))
            if bit % 8 > 5 { bytes[bit / 8 + 1] |= UInt8(code >> (8 - bit % 8)) }
        }
        return bytes
    }

    private static func blocks(_ bytes: [UInt8]) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: 255).flatMap { start in
            let block = bytes[start..<min(start + 255, bytes.count)]
            return [UInt8(block.count)] + block
        }
    }
}
