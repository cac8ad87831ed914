/// The inverse DCT of a block's lowest coefficients to 4 × 4 samples, with vectors of four.
enum FourByFour {
    private typealias Lines = (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)

    /// Transforms 16 coefficients in column-major order to samples at `target`.
    @inline(__always)
    static func write(_ values: UnsafePointer<Int32>, to target: UnsafeMutablePointer<UInt8>, stride: Int) {
        let columns = (column(values, 0), column(values, 1), column(values, 2), column(values, 3))
        let rows = transformed(transposed(transformed(columns)))
        let bytes = SIMD16(
            lowHalf: bytes(rows.0, rows.1),
            highHalf: bytes(rows.2, rows.3))
        // Safe because both sides are plain bits of equal size.
        let packed = unsafeBitCast(bytes, to: SIMD4<UInt32>.self)
        let raw = UnsafeMutableRawPointer(target)
        for row in 0..<4 { raw.storeBytes(of: packed[row], toByteOffset: row &* stride, as: UInt32.self) }
    }

    @inline(__always)
    private static func column(_ values: UnsafePointer<Int32>, _ index: Int) -> SIMD4<Float> {
        SIMD4(UnsafeRawPointer(values + 4 &* index).loadUnaligned(as: SIMD4<Int32>.self))
    }

    /// A one-dimensional transform (T.81, A.3.3) of four lines at once; each sample is the mean of two of eight.
    ///
    /// The factors are those of ``ReducedBlock``, which are integers times 4096.
    @inline(__always)
    private static func transformed(_ lines: Lines) -> Lines {
        let average = 0.35355339 * lines.0
        let two = 0.32664074 * lines.2
        let outer = 0.45306372 * lines.1 + 0.15909482 * lines.3
        let inner = 0.18766514 * lines.1 - 0.38408888 * lines.3
        let (middle, ends) = (average - two, average + two)
        return (ends + outer, middle + inner, middle - inner, ends - outer)
    }

    @inline(__always)
    private static func transposed(_ lines: Lines) -> Lines {
        let even = (
            SIMD8(lowHalf: lines.0, highHalf: lines.1).evenHalf,
            SIMD8(lowHalf: lines.2, highHalf: lines.3).evenHalf
        )
        let odd = (
            SIMD8(lowHalf: lines.0, highHalf: lines.1).oddHalf,
            SIMD8(lowHalf: lines.2, highHalf: lines.3).oddHalf
        )
        let evens = SIMD8(lowHalf: even.0, highHalf: even.1)
        let odds = SIMD8(lowHalf: odd.0, highHalf: odd.1)
        return (evens.evenHalf, odds.evenHalf, evens.oddHalf, odds.oddHalf)
    }

    /// Adds 128, rounds to nearest and clamps to 0…255.
    @inline(__always)
    private static func bytes(_ one: SIMD4<Float>, _ other: SIMD4<Float>) -> SIMD8<UInt8> {
        // Adding 3 × 2²² leaves no bits for a fraction, so the integer is in the lowest bits.
        let rounded = SIMD8(lowHalf: one, highHalf: other) + Float(3 << 22 + 128)
        // Safe because both sides are plain bits of equal size.
        let whole = SIMD8<Int16>(truncatingIfNeeded: unsafeBitCast(rounded, to: SIMD8<UInt32>.self))
        let positive = whole & ~(whole &>> 15)
        let rest = 255 &- positive
        return SIMD8(truncatingIfNeeded: positive &+ (rest & (rest &>> 15)))
    }
}
