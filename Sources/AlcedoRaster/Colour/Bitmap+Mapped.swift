public import AlcedoPixels

/// A function of single pixels, applied to four at a time.
protocol PixelMap {
    /// Maps each lane independently.
    func callAsFunction(_ pixels: SIMD4<UInt32>) -> SIMD4<UInt32>
}

extension Bitmap {
    consuming func mapped(alpha: Alpha, _ map: some PixelMap) throws(CodecError) -> Bitmap {
        precondition(self.alpha != .straight, "only premultiplied and opaque bitmaps can be drawn on")
        let count = byteCount
        return try rewriting(alpha: alpha) { source, target in
            var offset = 0
            while offset &+ 16 <= count {
                let pixels = source.load(fromByteOffset: offset, as: SIMD4<UInt32>.self)
                target.storeBytes(of: map(pixels), toByteOffset: offset, as: SIMD4<UInt32>.self)
                offset &+= 16
            }
            while offset < count {
                let pixel = SIMD4(repeating: source.load(fromByteOffset: offset, as: UInt32.self))
                target.storeBytes(of: map(pixel)[0], toByteOffset: offset, as: UInt32.self)
                offset &+= 4
            }
        }
    }
}

extension Bitmap {
    /// Returns a copy whose pixels `body` changes in place.
    ///
    /// A pixel is its blue, green, red and alpha byte, in this order; colours are premultiplied and must not exceed
    /// alpha. The top row comes first, and each row has ``width`` pixels. The span is valid only inside `body`, which
    /// writes the kind of alpha that is given, by default this bitmap's.
    ///
    /// - Precondition: neither alpha is ``Alpha/straight``.
    /// - Throws: ``CodecError/outOfMemory(byteCount:)`` if there is no memory for it.
    public consuming func edited(
        alpha newAlpha: Alpha? = nil,
        _ body: (inout MutableSpan<SIMD4<UInt8>>) -> Void
    ) throws(CodecError) -> Bitmap {
        precondition(alpha != .straight && newAlpha != .straight, "straight alpha is for encoders only")
        return try editing(alpha: newAlpha ?? alpha) { output in
            var pixels = output.bindMemory(to: SIMD4<UInt8>.self).mutableSpan
            body(&pixels)
        }
    }
}

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
