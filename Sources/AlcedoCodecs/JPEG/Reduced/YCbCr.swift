/// Converts YCbCr to BGRA (JFIF 1.02), eight pixels at a time, with an error of at most 1 of 255.
enum YCbCr {
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

    /// Even lanes of the result hold blue and green, odd ones red and 255, each in the low and the high byte.
    @inline(__always)
    private static func converted(
        _ luma: SIMD8<Int16>,
        _ blue: SIMD8<Int16>,
        _ red: SIMD8<Int16>
    ) -> SIMD16<Int16> {
        // In sixteenths, plus one half for rounding.
        let light = luma &* 16 &+ 8
        let (blue, red) = ((blue &- 128) &* 128, (red &- 128) &* 128)
        // 8192 times 1.772, 0.344136, 0.714136 and 1.402.
        let b = byte((light &+ upperHalf(blue, 14516)) &>> 4)
        // Both products are rounded down; −1 compensates for their subtraction.
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

    /// Clamps to 0…255, in a form that the compiler vectorises.
    @inline(__always)
    private static func byte(_ lanes: SIMD8<Int16>) -> SIMD8<Int16> {
        let positive = lanes & ~(lanes &>> 15)
        let rest = 255 &- positive
        return positive &+ (rest & (rest &>> 15))
    }
}
