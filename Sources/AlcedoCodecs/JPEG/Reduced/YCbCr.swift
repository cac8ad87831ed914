/// Turns luma and chroma into pixels (JFIF 1.02), eight at a time, to within one level.
enum YCbCr {
    /// Writes `count` pixels.
    static func convert(
        _ luma: UnsafePointer<UInt8>,
        _ blues: UnsafePointer<UInt8>,
        _ reds: UnsafePointer<UInt8>,
        to pixels: UnsafeMutablePointer<UInt32>,
        count: Int
    ) {
        var x = 0
        while x &+ 8 <= count {
            let eight = converted(lanes(luma + x), lanes(blues + x), lanes(reds + x))
            UnsafeMutableRawPointer(pixels + x).storeBytes(of: eight, as: SIMD16<Int16>.self)
            x &+= 8
        }
        while x < count {
            let one = converted(
                SIMD8(repeating: Int16(luma[x])), SIMD8(repeating: Int16(blues[x])),
                SIMD8(repeating: Int16(reds[x])))
            pixels[x] =
                UInt32(UInt16(bitPattern: one[1])) << 16 | UInt32(UInt16(bitPattern: one[0]))
            x &+= 1
        }
    }

    /// Blue and green in the lower bytes of every other lane and in the upper ones; red and 255 likewise in the next.
    @inline(__always)
    private static func converted(
        _ luma: SIMD8<Int16>,
        _ blue: SIMD8<Int16>,
        _ red: SIMD8<Int16>
    ) -> SIMD16<Int16> {
        // In sixteenths, and one half to round.
        let light = luma &* 16 &+ 8
        let (blue, red) = ((blue &- 128) &* 128, (red &- 128) &* 128)
        // 8192 times 1.772, 0.344136, 0.714136 and 1.402.
        let b = byte((light &+ upperHalf(blue, 14516)) &>> 4)
        // Two products that are rounded down are subtracted.
        let g = byte((light &- 1 &- upperHalf(blue, 2819) &- upperHalf(red, 5850)) &>> 4)
        let r = byte((light &+ upperHalf(red, 11485)) &>> 4)
        var pixels = SIMD16<Int16>.zero
        pixels.evenHalf = b | g &* 256
        pixels.oddHalf = r | SIMD8(repeating: -256)
        return pixels
    }

    @inline(__always)
    private static func lanes(_ bytes: UnsafePointer<UInt8>) -> SIMD8<Int16> {
        SIMD8(truncatingIfNeeded: UnsafeRawPointer(bytes).loadUnaligned(as: SIMD8<UInt8>.self))
    }

    @inline(__always)
    private static func upperHalf(_ lanes: SIMD8<Int16>, _ factor: Int16) -> SIMD8<Int16> {
        let factors = SIMD8<Int32>(truncatingIfNeeded: SIMD8<Int16>(repeating: factor))
        let product = SIMD8<Int32>(truncatingIfNeeded: lanes) &* factors
        return SIMD8(truncatingIfNeeded: product &>> SIMD8(repeating: 16))
    }

    /// Within 0…255; written such that the compiler finds the instructions for it.
    @inline(__always)
    private static func byte(_ lanes: SIMD8<Int16>) -> SIMD8<Int16> {
        let positive = lanes & ~(lanes &>> 15)
        let rest = 255 &- positive
        return positive &+ (rest & (rest &>> 15))
    }
}
