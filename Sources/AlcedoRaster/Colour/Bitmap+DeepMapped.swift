import AlcedoPixels

/// A function of single pixels of 16-bit samples.
protocol DeepPixelMap {
    /// Maps red, green, blue and alpha, premultiplied, from 0 to 1.
    func callAsFunction(_ pixel: FloatLanes) -> FloatLanes
}

extension Bitmap {
    /// Maps the pixels of a deep bitmap; colours are cut to their alpha.
    consuming func mappedDeep(alpha: Alpha, _ map: some DeepPixelMap) throws(CodecError) -> Bitmap {
        precondition(self.alpha != .straight, "only premultiplied and opaque bitmaps can be drawn on")
        let count = size.area
        return try rewritingDeep(alpha: alpha) { source, target in
            for index in 0..<count { target[index] = DeepPixel.samples(map(DeepPixel.unit(source[index]))) }
        }
    }

    /// A colour of sRGB in the space of a deep bitmap: red, green, blue and alpha, premultiplied, from 0 to 1.
    ///
    /// Nil for a space that can't be converted to, and for 8 bits.
    func deepColor(_ color: RasterColor) -> FloatLanes? {
        let components = color.components
        guard let deep,
            let levels = deep.conversion.levels(
                of: [components.x, components.y, components.z], in: deep.space)
        else { return nil }
        let opacity = color.premultiplied[3]
        return FloatLanes(SIMD4(SIMD3(levels) * opacity, opacity))
    }

    /// The samples of a colour of sRGB in the space of a deep bitmap, premultiplied; nil for a space that can't be
    /// converted to, and for 8 bits.
    package func deepPixel(_ color: RasterColor) -> SIMD4<UInt16>? { deepColor(color).map(DeepPixel.samples) }
}

/// Conversions between samples of 16 bits and numbers from 0 to 1.
enum DeepPixel {
    @inline(__always)
    static func unit(_ samples: SIMD4<UInt16>) -> FloatLanes {
        FloatLanes(Float(samples.x), Float(samples.y), Float(samples.z), Float(samples.w)) * (1 / 65535)
    }

    /// Rounds to the nearest level, at most that of alpha.
    @inline(__always)
    static func samples(_ pixel: FloatLanes) -> SIMD4<UInt16> {
        let alpha = laneMinimum(laneMaximum(FloatLanes(repeating: pixel.w), .zero), FloatLanes(repeating: 1))
        let levels = laneMinimum(laneMaximum(pixel, .zero), alpha) * 65535 + 0.5
        return SIMD4(UInt16(levels.x), UInt16(levels.y), UInt16(levels.z), UInt16(levels.w))
    }
}

/// Adds multiples of a colour to multiples of pixels.
struct DeepMix: DeepPixelMap {
    /// The weight of a pixel.
    var kept: Float
    /// Premultiplied.
    var color: FloatLanes
    /// The weight of the colour, and how much of a pixel's alpha is added to it.
    var added: Float
    var addedByAlpha: Float

    @inline(__always)
    func callAsFunction(_ pixel: FloatLanes) -> FloatLanes {
        pixel * kept + color * (added + addedByAlpha * pixel.w)
    }
}
