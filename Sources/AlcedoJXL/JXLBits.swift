import AlcedoPixels

/// Reads the fields of a code stream's headers, bit by bit from each byte's lowest (ISO/IEC 18181-1, B.2).
struct JXLBits {
    /// Where the next bit is.
    private(set) var position: Int
    private let bytes: UnsafeRawBufferPointer

    /// Reads `bytes`, which must outlive it, from the byte at `offset` on.
    init(_ bytes: UnsafeRawBufferPointer, from offset: Int) {
        self.bytes = bytes
        position = offset * 8
    }

    /// `count` bits, at most 32.
    mutating func u(_ count: Int) throws(CodecError) -> Int {
        guard count <= bytes.count * 8 - position else { throw .truncated(.jxl) }
        var value = 0
        for index in 0..<count {
            let place = position + index
            value |= (Int(bytes[place >> 3]) >> (place & 7) & 1) << index
        }
        position += count
        return value
    }

    mutating func bool() throws(CodecError) -> Bool { try u(1) == 1 }

    /// One of four kinds of number, each an offset and so many bits.
    mutating func u32(_ kinds: (offset: Int, bits: Int)...) throws(CodecError) -> Int {
        let kind = kinds[try u(2)]
        return try u(kind.bits) + kind.offset
    }

    mutating func u64() throws(CodecError) -> UInt64 {
        switch try u(2) {
        case 0: return 0
        case 1: return UInt64(try u(4) + 1)
        case 2: return UInt64(try u(8) + 17)
        default:
            var value = UInt64(try u(12))
            var shift = UInt64(12)
            while try bool() {
                if shift == 60 { return value | UInt64(try u(4)) << shift }
                value |= UInt64(try u(8)) << shift
                shift += 8
            }
            return value
        }
    }

    mutating func skip(_ count: Int) throws(CodecError) {
        guard count >= 0, count <= bytes.count * 8 - position else { throw .truncated(.jxl) }
        position += count
    }

    mutating func align() throws(CodecError) { try skip((8 - position % 8) % 8) }
}
