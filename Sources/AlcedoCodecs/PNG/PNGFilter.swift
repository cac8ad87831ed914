/// The row filters of PNG, reversed.
///
/// Works on four channels at a time, in the order of the result; three channels are expanded to four.
enum PNGFilter: UInt8 {
    case none = 0
    case sub = 1
    case up = 2
    case average = 3
    case paeth = 4

    /// Reverses the filter of a row.
    ///
    /// - Parameters:
    ///   - row: the filtered bytes, with at least one readable byte before them.
    ///   - kind: the channels of the bytes.
    ///   - above: the unfiltered row above, or zeros; not `target`.
    ///   - target: the BGRA output. It may overlap `row` if no pixel is overwritten before it is read.
    ///   - count: pixels.
    @inline(__always)
    func undo<Pixel: PNGPixel>(
        _ row: UnsafeRawPointer,
        of kind: Pixel.Type,
        above: UnsafePointer<UInt32>,
        into target: UnsafeMutablePointer<UInt32>,
        count: Int
    ) {
        switch self {
        case .none:
            for x in 0..<count { target[x] = Pixel.read(row, x) | Pixel.opacity }
        case .sub:
            var left: UInt32 = 0
            for x in 0..<count {
                left = Self.sum(left, Pixel.read(row, x))
                target[x] = left | Pixel.opacity
            }
        case .up:
            for x in 0..<count { target[x] = Self.sum(above[x], Pixel.read(row, x)) | Pixel.opacity }
        case .average:
            var left: UInt32 = 0
            for x in 0..<count {
                left = Self.sum(Self.mean(left, above[x]), Pixel.read(row, x))
                target[x] = left | Pixel.opacity
            }
        case .paeth:
            var left = SIMD4<Int16>.zero
            var corner = SIMD4<Int16>.zero
            for x in 0..<count {
                let top = Self.lanes(above[x])
                left = (Self.nearest(left, top, corner) &+ Self.lanes(Pixel.read(row, x))) & 0xFF
                corner = top
                target[x] = Self.pixel(left) | Pixel.opacity
            }
        }
    }

    /// Adds four bytes, each modulo 256.
    @inline(__always)
    private static func sum(_ one: UInt32, _ other: UInt32) -> UInt32 {
        ((one & 0x7F7F_7F7F) &+ (other & 0x7F7F_7F7F)) ^ ((one ^ other) & 0x8080_8080)
    }

    /// The mean of each of four bytes, rounded down.
    @inline(__always)
    private static func mean(_ one: UInt32, _ other: UInt32) -> UInt32 {
        (one & other) &+ (((one ^ other) & 0xFEFE_FEFE) &>> 1)
    }

    /// The Paeth predictor: the first of the three that is nearest to `left + above - corner`.
    @inline(__always)
    private static func nearest(
        _ left: SIMD4<Int16>,
        _ above: SIMD4<Int16>,
        _ corner: SIMD4<Int16>
    ) -> SIMD4<Int16> {
        let fromLeft = above &- corner
        let fromAbove = left &- corner
        let toLeft = magnitude(fromLeft)
        let toAbove = magnitude(fromAbove)
        let toCorner = magnitude(fromLeft &+ fromAbove)
        // All ones where the difference is negative.
        let isNotLeft = ((toAbove &- toLeft) | (toCorner &- toLeft)) &>> 15
        let isCorner = (toCorner &- toAbove) &>> 15
        let other = above ^ ((above ^ corner) & isCorner)
        return left ^ ((left ^ other) & isNotLeft)
    }

    @inline(__always)
    private static func magnitude(_ values: SIMD4<Int16>) -> SIMD4<Int16> {
        let sign = values &>> 15
        return (values ^ sign) &- sign
    }

    @inline(__always)
    private static func lanes(_ pixel: UInt32) -> SIMD4<Int16> {
        // Safe because both are four bytes of plain bits.
        SIMD4(truncatingIfNeeded: unsafeBitCast(pixel, to: SIMD4<UInt8>.self))
    }

    @inline(__always)
    private static func pixel(_ lanes: SIMD4<Int16>) -> UInt32 {
        // Safe because both are four bytes of plain bits.
        unsafeBitCast(SIMD4<UInt8>(truncatingIfNeeded: lanes), to: UInt32.self)
    }
}

/// The layout of a pixel in a PNG.
protocol PNGPixel {
    /// Bytes per pixel.
    static var size: Int { get }

    /// The alpha bits of a pixel without alpha.
    static var opacity: UInt32 { get }

    /// The pixel at `index` as BGRA; alpha is undefined in a layout without alpha.
    static func read(_ row: UnsafeRawPointer, _ index: Int) -> UInt32
}

enum PNGRGB: PNGPixel {
    static let size = 3
    static var opacity: UInt32 { 0xFF00_0000 }

    @inline(__always)
    static func read(_ row: UnsafeRawPointer, _ index: Int) -> UInt32 {
        // Loads from one byte before the pixel: it always exists, and the byte after the pixel may not.
        UInt32(bigEndian: (row + (index &* 3 &- 1)).loadUnaligned(as: UInt32.self))
    }
}

enum PNGRGBA: PNGPixel {
    static let size = 4
    static var opacity: UInt32 { 0 }

    @inline(__always)
    static func read(_ row: UnsafeRawPointer, _ index: Int) -> UInt32 {
        let pixel = UInt32(bigEndian: (row + index &* 4).loadUnaligned(as: UInt32.self))
        return pixel &>> 8 | pixel &<< 24
    }
}
