import AlcedoPixels
import AlcedoRaster
import AlcedoTestSupport
import Testing

/// Takes the upper byte of each sample.
private struct UpperBytes: StandardConversion {
    func standard(_ bitmap: Bitmap) throws(CodecError) -> Bitmap {
        let samples = bitmap.withDeepSamples { Array($0) } ?? []
        var result = try PixelBuilder(size: bitmap.size, alpha: bitmap.alpha)
        result.withUnsafeMutableBytes { output in
            for index in output.indices {
                output[index] = UInt8(samples[index / 4 * 4 + [2, 1, 0, 3][index % 4]] >> 8)
            }
        }
        return result.freeze()
    }

    func levels(of colors: [Double], in space: ColorSpace) -> [Double]? { nil }

    func hasStandardCurve(_ space: ColorSpace) -> Bool { false }
}

struct `Deep bitmaps in geometry` {
    private static let colors = DeepColors(.displayP3, UpperBytes())

    /// Assorted samples; where there is alpha, colours don't exceed it.
    private func picture(_ width: Int, _ height: Int, _ alpha: Bitmap.Alpha = .opaque) throws -> Bitmap {
        var random = SeededGenerator(seed: UInt64(width * 1000 + height))
        let size = PixelSize(width: width, height: height)
        var pixels = try PixelBuilder(size: size, alpha: alpha, deep: Self.colors)
        pixels.withUnsafeMutableBytes { output in
            let samples = output.bindMemory(to: SIMD4<UInt16>.self)
            for index in samples.indices {
                let opacity: UInt16
                if alpha == .opaque {
                    opacity = .max
                } else {
                    // Cut-outs, in which the filter overshoots, and what is between.
                    let isHard = Bool.random(using: &random)
                    opacity =
                        isHard ? (index / 7 % 2 == 0 ? 0 : .max) : .random(in: 0...UInt16.max, using: &random)
                }
                func level() -> UInt16 { .random(in: 0...opacity, using: &random) }
                samples[index] = SIMD4(level(), level(), level(), opacity)
            }
        }
        return pixels.freeze()
    }

    private func samples(_ bitmap: Bitmap) -> [UInt16] { bitmap.withDeepSamples { Array($0) } ?? [] }

    @Test(arguments: ImageOrientation.allCases)
    func `a deep bitmap is turned as one of bytes is`(_ orientation: ImageOrientation) throws {
        let bitmap = try picture(37, 70, .premultiplied)
        let turned = try bitmap.oriented(orientation)
        #expect(turned.colorSpace == .displayP3 && turned.alpha == .premultiplied)
        #expect(try turned.standard().hasSamePixels(as: bitmap.standard().oriented(orientation)))
        // The lower bytes move with the upper ones.
        #expect(samples(turned).reduce(0) { $0 + Int($1) } == samples(bitmap).reduce(0) { $0 + Int($1) })
    }

    @Test func `a cropped deep bitmap has the samples of its part`() throws {
        let bitmap = try picture(30, 20)
        let part = try bitmap.cropped(x: 3, y: 4, width: 10, height: 7)
        #expect(part.isDeep && part.size == PixelSize(width: 10, height: 7))
        for y in 0..<7 {
            let row = samples(bitmap)[((y + 4) * 30 + 3) * 4..<((y + 4) * 30 + 13) * 4]
            #expect(samples(part)[y * 40..<(y + 1) * 40].elementsEqual(row))
        }
    }

    @Test(
        arguments: [Bitmap.Alpha.opaque, .premultiplied],
        [
            (100, 80, 31, 25), (100, 80, 13, 7), (64, 300, 64, 20), (40, 30, 101, 77), (9, 9, 1, 1),
            (333, 5, 7, 5),
        ]
    )
    func `a deep bitmap is resized by the exact filter`(_ alpha: Bitmap.Alpha, _ sizes: (Int, Int, Int, Int))
        throws
    {
        let bitmap = try picture(sizes.0, sizes.1, alpha)
        let target = PixelSize(width: sizes.2, height: sizes.3)
        let result = try bitmap.resized(to: target)
        #expect(result.colorSpace == .displayP3 && result.alpha == alpha && result.size == target)
        let exact = ReferenceResampler.resize(
            samples(bitmap).map { Double($0) }, bitmap.size, to: target, most: 65535)
        let found = samples(result)
        let worst = zip(found, exact).map { abs(Double($0) - $1) }.max() ?? 0
        // A pixel of a few hundred weights.
        #expect(worst < 0.6)
        #expect(found.indices.allSatisfy { found[$0] <= found[$0 / 4 * 4 + 3] })
    }

    @Test func `a flat deep bitmap keeps its colour when it is resized`() throws {
        var pixels = try PixelBuilder(
            size: PixelSize(width: 90, height: 70), alpha: .opaque, deep: Self.colors)
        pixels.withUnsafeMutableBytes { output in
            output.bindMemory(to: SIMD4<UInt16>.self).update(repeating: SIMD4(12_345, 1, 65_535, 65_535))
        }
        let result = try pixels.freeze().resized(to: PixelSize(width: 23, height: 41))
        #expect(Set(samples(result)) == [12_345, 1, 65_535])
    }

    @Test func `a deep bitmap becomes 8 bits where a colour is drawn that its space can't have`() throws {
        let bitmap = try picture(40, 30, .premultiplied)
        let color = RasterColor(red: 1, green: 0, blue: 0, alpha: 0.5)
        #expect(try bitmap.blurred(radius: 2).isDeep)
        #expect(
            try bitmap.tinted(with: color).hasSamePixels(as: bitmap.standard().tinted(with: color)))
        let radii = CornerRadii(topLeft: 5, topRight: 5, bottomLeft: 5, bottomRight: 5)
        let rounded = try bitmap.roundedCorners(radii: radii, background: color)
        #expect(
            try rounded.hasSamePixels(
                as: bitmap.standard().roundedCorners(radii: radii, background: color)))
        #expect(try bitmap.roundedCorners(radii: radii, background: nil).isDeep)
    }

    @Test func `a deep bitmap takes eight bytes a pixel, and the bytes of its profile`() throws {
        #expect(try picture(20, 10).memoryCount == 1600)
        let colors = DeepColors(.icc([UInt8](repeating: 0, count: 500)), UpperBytes())
        let builder = try PixelBuilder(
            size: PixelSize(width: 20, height: 10), alpha: .opaque, deep: colors)
        #expect(builder.freeze().memoryCount == 2100)
    }
}
