public import AlcedoPixels

extension Bitmap {
    /// Adjusts colours; returns `self` if `controls` change nothing.
    ///
    /// A deep bitmap stays deep if its space has sRGB's curve. Works on straight colours and keeps alpha. Each
    /// channel of an opaque pixel is within one level of the exact value.
    ///
    /// - Precondition: ``alpha`` is not ``Alpha/straight``.
    /// - Throws: ``CodecError/outOfMemory(byteCount:)`` if there is no memory for it.
    public consuming func adjusted(_ controls: ColorControls) throws(CodecError) -> Bitmap {
        let controls = controls.bounded
        if controls == ColorControls() { return self }
        if let light = deepLight() {
            return try mappedDeep(alpha: alpha, DeepMatrix(ColorMatrix(controls), in: light))
        }
        if controls.saturation == 1 {
            return try recoloured(ChannelTable { $0 * controls.gain + controls.offset })
        }
        if controls.saturation == 0, abs(controls.gain) <= 4 { return try recoloured(GreyTable(controls)) }
        return try recoloured(MixTable(ColorMatrix(controls)))
    }

    /// Multiplies each colour by a matrix; otherwise like ``adjusted(_:)``.
    ///
    /// - Parameters:
    ///   - matrix: the weights.
    ///   - encoded: whether to multiply sRGB-encoded values instead of linear light.
    /// - Returns: the recoloured bitmap.
    /// - Precondition: ``alpha`` is not ``Alpha/straight``.
    /// - Throws: ``CodecError/outOfMemory(byteCount:)`` if there is no memory for it.
    public consuming func recoloured(
        by matrix: ColorMatrix, encoded: Bool = false
    ) throws(CodecError) -> Bitmap {
        if isDeep, encoded { return try mappedDeep(alpha: alpha, DeepMatrix(matrix.bounded, in: nil)) }
        if let light = deepLight() {
            return try mappedDeep(alpha: alpha, DeepMatrix(matrix.bounded, in: light))
        }
        return try recoloured(MixTable(matrix.bounded, encoded: encoded))
    }

    /// The curve of a deep bitmap; nil for 8 bits, and for a space whose curve isn't sRGB's.
    func deepLight() -> DeepLight? {
        guard let deep, deep.conversion.hasStandardCurve(deep.space) else { return nil }
        return .standard
    }

    /// Applies a tone curve to the linear light of each channel; otherwise like ``adjusted(_:)``.
    ///
    /// - Parameter curve: maps linear light to linear light, both from 0 to 1; called once for each of 256 levels, or of
    ///   65,536 of a deep bitmap.
    /// - Precondition: ``alpha`` is not ``Alpha/straight``.
    /// - Returns: the toned bitmap.
    /// - Throws: ``CodecError/outOfMemory(byteCount:)`` if there is no memory for it.
    public consuming func toned(_ curve: (Double) -> Double) throws(CodecError) -> Bitmap {
        if deepLight() != nil { return try mappedDeep(alpha: alpha, DeepTone(curve)) }
        return try recoloured(
            ChannelTable { light in
                let result = curve(light)
                return result.isNaN ? light : result
            })
    }

    /// Applies `map` to the straight colour of each pixel.
    private consuming func recoloured(_ map: borrowing some ColorMap & ~Copyable) throws(CodecError) -> Bitmap
    {
        precondition(alpha != .straight, "only premultiplied and opaque bitmaps can be adjusted")
        let count = size.area
        return try rewriting(alpha: alpha) { source, target in
            let source = source.assumingMemoryBound(to: UInt32.self)
            let target = target.assumingMemoryBound(to: UInt32.self)
            let opacity: UInt32 = 0xFF00_0000
            let reciprocals = Reciprocals()
            for index in 0..<count {
                let pixel = source[index]
                if pixel >= opacity {
                    target[index] =
                        opacity | map(Int(pixel & 255), Int(pixel >> 8 & 255), Int(pixel >> 16 & 255))
                } else if pixel < 1 << 24 {
                    target[index] = 0
                } else {
                    let alpha = pixel >> 24
                    let color = map(
                        reciprocals.straight(pixel & 255, alpha),
                        reciprocals.straight(pixel >> 8 & 255, alpha),
                        reciprocals.straight(pixel >> 16 & 255, alpha)
                    )
                    let pair = multiplied(color & 255, alpha) | multiplied(color >> 8 & 255, alpha) << 8
                    target[index] = pixel & opacity | pair | multiplied(color >> 16 & 255, alpha) << 16
                }
            }
        }
    }
}

/// 2²⁴ ÷ alpha for each alpha: multiplying by it is exact for these operands, and faster than a division.
private struct Reciprocals: ~Copyable {
    private let table = Table<UInt64>(count: 256) { $0 == 0 ? 0 : ((1 << 24) + UInt64($0) - 1) / UInt64($0) }

    /// Unpremultiplies a channel, rounded.
    @inline(__always)
    func straight(_ channel: UInt32, _ alpha: UInt32) -> Int {
        let dividend = UInt64(channel &* 255 &+ alpha / 2)
        return min(255, Int((dividend &* table[Int(alpha)]) >> 24))
    }
}

@inline(__always)
private func multiplied(_ channel: UInt32, _ alpha: UInt32) -> UInt32 {
    let sum = channel &* alpha &+ 128
    return (sum &+ sum >> 8) >> 8
}
