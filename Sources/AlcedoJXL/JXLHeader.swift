import AlcedoCodecs
import AlcedoPixels

/// The depth and the colours in the header of a code stream (ISO/IEC 18181-1, annex D), read without libjxl.
struct JXLHeader {
    private(set) var colors = StoredColors(bits: 8, codePoints: .sRGB)

    /// Reads `codestream`, which must outlive it.
    init(_ codestream: UnsafeRawBufferPointer) throws(CodecError) {
        var bits = JXLBits(codestream, from: 2)
        try Self.skipSize(&bits)
        // All as by default: 8 bits of sRGB.
        guard try !bits.bool() else { return }
        if try bits.bool() { try Self.skipExtra(&bits) }
        (colors.bits, colors.isFloat) = try Self.readDepth(&bits)
        // Whether 16 bits suffice for samples.
        try bits.skip(1)
        for _ in 0..<(try bits.u32((0, 0), (1, 0), (2, 4), (1, 12))) { try Self.skipChannel(&bits) }
        // Whether it is in libjxl's own colour space.
        try bits.skip(1)
        colors.codePoints = try Self.readEncoding(&bits)
    }

    /// `SizeHeader`.
    private static func skipSize(_ bits: inout JXLBits) throws(CodecError) {
        let isSmall = try bits.bool()
        func skipSide(_ bits: inout JXLBits) throws(CodecError) {
            if isSmall { return try bits.skip(5) }
            _ = try bits.u32((1, 9), (1, 13), (1, 18), (1, 30))
        }
        try skipSide(&bits)
        if try bits.u(3) == 0 { try skipSide(&bits) }
    }

    /// Orientation, the size that was intended, a preview and an animation.
    private static func skipExtra(_ bits: inout JXLBits) throws(CodecError) {
        try bits.skip(3)
        if try bits.bool() { try skipSize(&bits) }
        if try bits.bool() {
            let isDivided = try bits.bool()
            func skipSide(_ bits: inout JXLBits) throws(CodecError) {
                _ =
                    isDivided
                    ? try bits.u32((16, 0), (32, 0), (1, 5), (33, 9))
                    : try bits.u32((1, 6), (65, 8), (321, 10), (1345, 12))
            }
            try skipSide(&bits)
            if try bits.u(3) == 0 { try skipSide(&bits) }
        }
        guard try bits.bool() else { return }
        _ = try bits.u32((100, 0), (1000, 0), (1, 10), (1, 30))
        _ = try bits.u32((1, 0), (1001, 0), (1, 8), (1, 10))
        _ = try bits.u32((0, 0), (0, 3), (0, 16), (0, 32))
        try bits.skip(1)
    }

    private static func readDepth(
        _ bits: inout JXLBits
    ) throws(CodecError) -> (bits: Int, isFloat: Bool) {
        guard try bits.bool() else { return (try bits.u32((8, 0), (10, 0), (12, 0), (1, 6)), false) }
        let depth = try bits.u32((32, 0), (16, 0), (24, 0), (1, 6))
        // Bits of the exponent.
        try bits.skip(4)
        return (depth, true)
    }

    /// `ExtraChannelInfo`.
    private static func skipChannel(_ bits: inout JXLBits) throws(CodecError) {
        if try bits.bool() { return }
        let kind = try bits.u32((0, 0), (1, 0), (2, 4), (18, 6))
        _ = try readDepth(&bits)
        _ = try bits.u32((0, 0), (3, 0), (4, 0), (1, 3))
        let name = try bits.u32((0, 0), (0, 4), (16, 5), (48, 10))
        try bits.skip(name * 8)
        switch kind {
        // Whether alpha is premultiplied; the four numbers of a spot colour; the number of a mosaic's channel.
        case 0: try bits.skip(1)
        case 2: try bits.skip(64)
        case 5: _ = try bits.u32((1, 0), (0, 2), (3, 4), (19, 8))
        default: break
        }
    }

    /// `ColourEncoding`; nil for a profile, and for colours without code points.
    private static func readEncoding(_ bits: inout JXLBits) throws(CodecError) -> ColorSpace? {
        func enumerated(_ bits: inout JXLBits) throws(CodecError) -> Int {
            try bits.u32((0, 0), (1, 0), (2, 4), (18, 6))
        }
        func point(_ bits: inout JXLBits) throws(CodecError) -> RGBEncoding.Point {
            func number(_ bits: inout JXLBits) throws(CodecError) -> Double {
                let number = try bits.u32((0, 19), (524_288, 19), (1_048_576, 20), (2_097_152, 21))
                return Double(number & 1 == 0 ? number / 2 : -(number + 1) / 2) / 1e6
            }
            return RGBEncoding.Point(try number(&bits), try number(&bits))
        }
        if try bits.bool() { return .sRGB }
        let hasProfile = try bits.bool()
        let space = try enumerated(&bits)
        // Red, green and blue, or grey.
        guard !hasProfile, space < 2 else { return nil }
        var encoding = RGBEncoding(primaries: 1, transfer: 13)
        switch try enumerated(&bits) {
        case 1: break
        case 2: encoding.white = try point(&bits)
        case 11: encoding.white = RGBEncoding.Point(0.314, 0.351)
        default: return nil
        }
        if space == 0 {
            let number = try enumerated(&bits)
            switch number {
            case 1: break
            case 2:
                (encoding.red, encoding.green, encoding.blue) =
                    (try point(&bits), try point(&bits), try point(&bits))
            case 9, 11:
                let known = RGBEncoding(primaries: number == 9 ? 9 : 12, transfer: 13)
                (encoding.red, encoding.green, encoding.blue) = (known.red, known.green, known.blue)
            default: return nil
            }
        }
        if try bits.bool() {
            encoding.transfer = .gamma(1e7 / Double(max(1, try bits.u(24))))
        } else {
            switch try enumerated(&bits) {
            // That of BT.709 has other light here than in other files, but the same name.
            case 1: return ColorSpace(primaries: encoding.primariesNumber ?? 1, transfer: 1)
            case 8: encoding.transfer = .linear
            case 13: break
            case 16: encoding.transfer = .pq
            case 18: encoding.transfer = .hlg
            default: return nil
            }
        }
        let found = encoding.space
        if case .codePoints = found { return found }
        return nil
    }
}

extension RGBEncoding {
    /// The code point of the primaries and the white.
    fileprivate var primariesNumber: Int? {
        var encoding = self
        encoding.transfer = .sRGB
        guard case .codePoints(let primaries, _) = encoding.space else { return nil }
        return Int(primaries)
    }
}
