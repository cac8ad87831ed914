import AlcedoPixels

extension Bitmap {
    /// Sharpens by an unsharp mask of `sigma` pixels on the lightness.
    ///
    /// What differs from its surroundings by less than 2 % stays, so that noise does not grow; the rest is amplified
    /// three times, to at most 10 % lighter and 20 % darker, which limits halos. Colours keep their hue. Transparent
    /// surroundings are not darker: the edges of a cut-out of one colour keep it.
    consuming func sharpened(sigma: Double) throws(CodecError) -> Bitmap {
        guard sigma > 0 else { return self }
        let (count, kind) = (size.area, alpha)
        let soft = try Bitmap.copy(of: self).blurred(sigma: sigma)
        if isDeep { return try sharpenedDeep(soft: soft) }
        let table = SharpeningTable()
        let result = try editing(alpha: kind) { pixels in
            let soft = soft.unsafeBaseAddress
            for offset in stride(from: 0, to: count * 4, by: 4) {
                let difference = Self.difference(
                    UnsafeRawPointer(pixels.baseAddress ?? .init(mutating: soft)) + offset, soft + offset)
                let change = table[difference]
                guard change != 0 else { continue }
                let limit = Int(pixels[offset + 3])
                for channel in 0..<3 {
                    let value = Int(pixels[offset + channel]) + change
                    pixels[offset + channel] = UInt8(min(max(value, 0), limit))
                }
            }
        }
        withExtendedLifetime(soft) {}
        return result
    }

    /// As ``sharpened(sigma:)``, in samples of 16 bits.
    private consuming func sharpenedDeep(soft: Bitmap) throws(CodecError) -> Bitmap {
        let count = size.area
        return try editingDeep { pixels in
            let soft = soft.storage.bindMemory(to: SIMD4<UInt16>.self)
            for index in 0..<count {
                let (own, around) = (SIMD4<Float>(pixels[index]), SIMD4<Float>(soft[index]))
                guard around.w > 0 else { continue }
                // In levels of 255, as the limits are.
                let difference = (Self.luma(own) - Self.luma(around) * own.w / around.w) / 257
                let change = SharpeningTable.change(Double(difference))
                guard change != 0 else { continue }
                var pixel = own + Float(change * 257)
                pixel.clamp(lowerBound: .zero, upperBound: SIMD4(repeating: own.w))
                pixel.w = own.w
                pixels[index] = SIMD4<UInt16>(pixel, rounding: .toNearestOrEven)
            }
        }
    }

    /// The luma of red, green and blue by BT.709.
    private static func luma(_ pixel: SIMD4<Float>) -> Float {
        pixel.x * 0.2126 + pixel.y * 0.7152 + pixel.z * 0.0722
    }

    /// How much lighter a pixel is than its surroundings would be at its alpha.
    private static func difference(_ pixel: UnsafeRawPointer, _ soft: UnsafeRawPointer) -> Int {
        let alpha = Int(pixel.load(fromByteOffset: 3, as: UInt8.self))
        let softAlpha = Int(soft.load(fromByteOffset: 3, as: UInt8.self))
        let (own, around) = (luma(pixel), luma(soft))
        guard alpha != softAlpha else { return own - around }
        guard softAlpha > 0 else { return 0 }
        let difference = own - around * alpha / softAlpha
        // Thin surroundings are rounded to few levels, which the ratio enlarges; so much is no difference.
        let uncertainty = 2 * max(0, alpha - softAlpha) / softAlpha
        return difference.signum() * min(255, max(0, abs(difference) - uncertainty))
    }

    /// The luma of a pixel by BT.709, premultiplied.
    private static func luma(_ pixel: UnsafeRawPointer) -> Int {
        let parts = pixel.load(as: SIMD4<UInt8>.self)
        return (Int(parts[0]) * 4732 + Int(parts[1]) * 46871 + Int(parts[2]) * 13933 + 32768) >> 16
    }

    private static func copy(of bitmap: borrowing Bitmap) throws(CodecError) -> Bitmap {
        var copy = try PixelBuilder(size: bitmap.size, alpha: bitmap.alpha, deep: bitmap.deep)
        copy.withUnsafeMutableBytes { $0.copyMemory(from: bitmap.storage) }
        return copy.freeze()
    }
}

/// How much lighter a pixel gets for each difference to its surroundings.
private struct SharpeningTable {
    private var changes: [Int] = []

    init() {
        changes = (-255...255).map { Int(Self.change(Double($0)).rounded()) }
    }

    static func change(_ difference: Double) -> Double {
        let change = max(0, (abs(difference) - 5.1) * 3)
        return difference > 0 ? min(change, 25.5) : -min(change, 51)
    }

    subscript(difference: Int) -> Int { changes[difference + 255] }
}
