package import AlcedoPixels

/// Pixels of four 16-bit samples each: red, green, blue and alpha, or what a ``ColorLayout`` says.
package typealias DeepPixels = UnsafeMutableBufferPointer<SIMD4<UInt16>>

/// Converts pixels of 16-bit samples to the requested layout of 8 bits in sRGB.
///
/// Colours are converted and multiplied by alpha before they are cut, and cut with ordered dithering, in which a level of
/// 255 that a pixel had already stays as it is. What a pixel becomes depends on its place and on nothing before it, so that
/// bands, tiles, passes and previews agree.
package struct DeepConverter {
    package enum Alpha {
        case none
        case straight
        case premultiplied
    }

    private let transform: DeepTransform?
    private let alpha: Alpha
    private let keepsStraightAlpha: Bool
    private let isDithered: Bool

    /// `transform` converts from RGBA or grey; nil for sRGB.
    package init(_ transform: DeepTransform?, alpha: Alpha, options: DecodeOptions) {
        self.transform = transform
        self.alpha = alpha
        keepsStraightAlpha = options.keepsStraightAlpha
        isDithered = options.limits.isDithered
    }

    /// The alpha of an image, given whether all of it is opaque.
    package func alpha(isOpaque: Bool) -> Bitmap.Alpha {
        if isOpaque { return .opaque }
        return keepsStraightAlpha ? .straight : .premultiplied
    }

    /// Writes `pixels`, which it changes, as BGRA; returns whether all are opaque.
    ///
    /// The first pixel is at `place` in the image; the others follow every `step` columns, and so do those of `target`.
    package func callAsFunction(
        _ pixels: DeepPixels, to target: UnsafeMutablePointer<UInt32>, at place: (x: Int, y: Int),
        step: Int = 1
    ) -> Bool {
        if alpha == .premultiplied { Self.unpremultiply(pixels) }
        switch transform?.method {
        case .light(let tables):
            let (columns, offset) = (tables.columns, tables.offset)
            return SRGBLevels.all.withNumbers { levels in
                tables.withNumbers { red, green, blue in
                    write(pixels, to: target, place, step) { pixel in
                        var light = offset + columns.0 * red[Int(pixel.x)]
                        light += columns.1 * green[Int(pixel.y)] + columns.2 * blue[Int(pixel.z)]
                        light.clamp(lowerBound: .zero, upperBound: .one)
                        light = light * 65535 + 0.5
                        return SIMD4(levels[Int(light.x)], levels[Int(light.y)], levels[Int(light.z)], 255)
                    }
                }
            }
        case .littleCMS(let transform):
            transform.apply(to: pixels)
        case nil: break
        }
        return write(pixels, to: target, place, step) { pixel in
            SIMD4(Float(pixel.z), Float(pixel.y), Float(pixel.x), 65535) * (255 / 65535)
        }
    }

    /// `color` gives a pixel's blue, green and red from 0 to 255, and 255.
    @inline(__always)
    private func write(
        _ pixels: DeepPixels, to target: UnsafeMutablePointer<UInt32>, _ place: (x: Int, y: Int),
        _ step: Int, color: (SIMD4<UInt16>) -> SIMD4<Float>
    ) -> Bool {
        let thresholds = isDithered ? OrderedDither.row(place.y) : SIMD8(repeating: 0.5)
        var all: UInt32 = .max
        for index in pixels.indices {
            let pixel = pixels[index]
            var values = color(pixel)
            if alpha != .none {
                let opacity = Float(pixel.w) * (1 / 65535)
                if keepsStraightAlpha { values.w *= opacity } else { values *= opacity }
            }
            // Colours stay below alpha, as all have the same threshold.
            values += thresholds[(place.x + index * step) & 7]
            let result =
                UInt32(values.x) | UInt32(values.y) << 8 | UInt32(values.z) << 16 | UInt32(values.w) << 24
            all &= result
            target[index * step] = result
        }
        return all >= 0xFF00_0000
    }

    /// Multiplies the colours by alpha, rounding to nearest.
    package static func premultiply(_ pixels: DeepPixels) {
        for index in pixels.indices {
            let pixel = pixels[index]
            let alpha = UInt32(pixel.w)
            guard alpha != 65535 else { continue }
            func multiplied(_ level: UInt16) -> UInt16 { UInt16((UInt32(level) * alpha + 32767) / 65535) }
            pixels[index] = SIMD4(multiplied(pixel.x), multiplied(pixel.y), multiplied(pixel.z), pixel.w)
        }
    }

    /// Divides the colours by alpha, rounding to nearest; the exact inverse of ``premultiply(_:)`` on its results.
    package static func unpremultiply(_ pixels: DeepPixels) {
        for index in pixels.indices {
            let pixel = pixels[index]
            let alpha = UInt32(pixel.w)
            guard alpha != 0, alpha != 65535 else { continue }
            func divided(_ level: UInt16) -> UInt16 {
                UInt16(min((UInt32(level) * 65535 + alpha / 2) / alpha, 65535))
            }
            pixels[index] = SIMD4(divided(pixel.x), divided(pixel.y), divided(pixel.z), pixel.w)
        }
    }
}

/// Bayer's matrix of 8 × 8 thresholds.
///
/// Its means over squares of 2, 4 and 8 pixels are even, so a picture that is reduced gets back what lies between two levels.
enum OrderedDither {
    private static let rows = (0..<8).map { y in
        SIMD8(
            (0..<8).map { x in
                var rank = 0
                for bit in 0..<3 { rank = rank << 2 | ((x ^ y) >> bit & 1) << 1 | y >> bit & 1 }
                return (Float(rank) + 0.5) / 64
            })
    }

    /// What is added to the numbers of row `y` before they are cut, from 1/128 to 127/128.
    static func row(_ y: Int) -> SIMD8<Float> { rows[y & 7] }
}
