import AlcedoPixels
import AlcedoRaster
import AlcedoTestSupport
import Glibc
import Testing

/// A space whose colours are those of sRGB by another name.
private struct SameColors: StandardConversion {
    func standard(_ bitmap: Bitmap) throws(CodecError) -> Bitmap {
        let samples = bitmap.withDeepSamples { Array($0) } ?? []
        var result = try PixelBuilder(size: bitmap.size, alpha: bitmap.alpha)
        result.withUnsafeMutableBytes { output in
            for index in output.indices {
                output[index] = UInt8(
                    (Int(samples[index / 4 * 4 + [2, 1, 0, 3][index % 4]]) + 128) / 257)
            }
        }
        return result.freeze()
    }

    func levels(of colors: [Double], in space: ColorSpace) -> [Double]? { colors }

    func hasStandardCurve(_ space: ColorSpace) -> Bool { true }
}

/// Against the exact results, in levels of 65,535.
struct `Processing deep bitmaps` {
    private static let colors = DeepColors(.displayP3, SameColors())
    /// A thousandth.
    private static let tolerance = 65.0

    private func picture(
        _ width: Int, _ height: Int, _ alpha: Bitmap.Alpha, areBytes: Bool = false
    ) throws -> Bitmap {
        var random = SeededGenerator(seed: UInt64(width * 1000 + height))
        var pixels = try PixelBuilder(
            size: PixelSize(width: width, height: height), alpha: alpha, deep: Self.colors)
        pixels.withUnsafeMutableBytes { output in
            let samples = output.bindMemory(to: SIMD4<UInt16>.self)
            for index in samples.indices {
                func level(_ most: UInt16) -> UInt16 {
                    areBytes
                        ? .random(in: 0...most / 257, using: &random) * 257
                        : .random(in: 0...most, using: &random)
                }
                let isWhole = alpha == .opaque || index % 5 == 0
                let opacity = isWhole ? .max : index % 7 == 0 ? 0 : level(.max)
                samples[index] = SIMD4(level(opacity), level(opacity), level(opacity), opacity)
            }
        }
        return pixels.freeze()
    }

    /// Red, green, blue and alpha of each pixel.
    private func levels(_ bitmap: Bitmap) -> [SIMD4<Double>] {
        let samples = bitmap.withDeepSamples { $0.map(Double.init) } ?? []
        return stride(from: 0, to: samples.count, by: 4)
            .map { SIMD4(samples[$0], samples[$0 + 1], samples[$0 + 2], samples[$0 + 3]) }
    }

    private func difference(_ bitmap: Bitmap, _ exact: [SIMD4<Double>]) -> Double {
        let found = levels(bitmap)
        guard found.count == exact.count else { return .infinity }
        return zip(found, exact)
            .map { pair in
                let difference = pair.0 - pair.1
                return max(difference.max(), -difference.min())
            }
            .max() ?? .infinity
    }

    private static let color = RasterColor(red: 0.8, green: 0.3, blue: 0.1, alpha: 0.4)

    private func premultiplied(_ color: RasterColor) -> SIMD4<Double> {
        SIMD4(color.red * color.alpha, color.green * color.alpha, color.blue * color.alpha, color.alpha)
            * 65535
    }

    @Test(arguments: [Bitmap.Alpha.opaque, .premultiplied])
    func `a deep bitmap is tinted, overlaid and flattened within a level`(_ alpha: Bitmap.Alpha) throws {
        let source = try picture(37, 20, alpha)
        let (before, color) = (levels(source), premultiplied(Self.color))
        let tinted = try source.tinted(with: Self.color)
        #expect(tinted.colorSpace == .displayP3)
        #expect(difference(tinted, before.map { color + $0 * (1 - Self.color.alpha) }) < 0.6)
        let overlaid = try source.overlaid(with: Self.color, fraction: 0.3)
        #expect(difference(overlaid, before.map { $0 * 0.3 + color * (0.7 * $0.w / 65535) }) < 0.6)
        let white = RasterColor(red: 1, green: 1, blue: 1)
        let flat = try source.flattened(onto: white)
        #expect(flat.isDeep && flat.alpha == .opaque)
        #expect(difference(flat, before.map { $0 + (65535 - $0.w) }) < 0.6)
    }

    @Test(arguments: BlendMode.allCases)
    func `a deep bitmap is blended within a thousandth of the formulas`(_ mode: BlendMode) throws {
        let grounds: [RasterColor?] = [
            nil, Self.color, RasterColor(red: 0.2, green: 0.6, blue: 0.4),
            RasterColor(red: 0, green: 1, blue: 0.5),
        ]
        for alpha in [Bitmap.Alpha.opaque, .premultiplied] {
            let source = try picture(19, 13, alpha)
            for ground in grounds {
                for opacity in [1, 0.35] {
                    let result = try source.blended(mode, opacity: opacity, over: ground)
                    #expect(result.isDeep)
                    let color = ground.map { SIMD3($0.red, $0.green, $0.blue) } ?? .zero
                    let exact = levels(source).map { pixel -> SIMD4<Double> in
                        let unit = pixel / 65535
                        let straight = unit.w > 0 ? SIMD3(unit.x, unit.y, unit.z) / unit.w : .zero
                        let (mixed, opaque) = ReferenceBlending(mode: mode)
                            .composite(straight, unit.w * opacity, on: color, ground?.alpha ?? 0)
                        return SIMD4(mixed, opaque) * 65535
                    }
                    let worst = difference(result, exact)
                    #expect(worst < Self.tolerance, "\(alpha), \(opacity)")
                }
            }
        }
    }

    @Test(arguments: [0.3, 1.7, 12.5], [(1, 20), (40, 33)])
    func `a deep bitmap is blurred within two levels`(_ radius: Double, _ size: (Int, Int)) throws {
        let source = try picture(size.0, size.1, .premultiplied)
        let exactWidth: Double = max(2, radius) * 3 * (2 * Double.pi).squareRoot() / 4
        var width = Int((exactWidth + 0.5).rounded(.down))
        if width % 2 == 0 { width += 1 }
        let passes = radius < 0.5 ? 1 : radius < 1.5 ? 2 : 3
        var values = levels(source)
        for isVertical in [true, false] {
            for _ in 0..<passes {
                values = values.indices.map { index in
                    let (x, y) = (index % size.0, index / size.0)
                    var sum = SIMD4<Double>.zero
                    for offset in -(width / 2)...width / 2 {
                        let row = isVertical ? max(0, min(size.1 - 1, y + offset)) : y
                        let column = isVertical ? x : max(0, min(size.0 - 1, x + offset))
                        sum += values[row * size.0 + column]
                    }
                    return sum / Double(width)
                }
            }
        }
        let worst = difference(try source.blurred(radius: radius), values)
        #expect(worst < 2, "\(worst)")
    }

    @Test(arguments: [
        ColorControls(brightness: 0.1), ColorControls(contrast: 1.3), ColorControls(exposure: 1),
        .blackAndWhite, ColorControls(saturation: 1.6),
        ColorControls(brightness: 0.05, contrast: 0.9, saturation: 0.4, exposure: 0.3),
    ])
    func `a deep bitmap's colours are adjusted in light`(_ controls: ColorControls) throws {
        let source = try picture(50, 40, .opaque)
        func light(_ value: Double) -> Double {
            value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        func level(_ light: Double) -> Double {
            let light = max(0, min(light, 1))
            return light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
        }
        let exact = levels(source).map { pixel -> SIMD4<Double> in
            let lights = [pixel.x, pixel.y, pixel.z].map { light($0 / 65535) }
            let luma = 0.2126 * lights[0] + 0.7152 * lights[1] + 0.0722 * lights[2]
            let results = lights.map { light -> Double in
                var light = luma + (light - luma) * controls.saturation
                light = (light + controls.brightness - 0.5) * controls.contrast + 0.5
                return level(light * pow(2, controls.exposure)) * 65535
            }
            return SIMD4(results[0], results[1], results[2], 65535)
        }
        let worst = difference(try source.adjusted(controls), exact)
        #expect(worst < Self.tolerance, "\(worst)")
    }

    /// Samples that bytes have too.
    @Test(arguments: [nil, RasterColor(red: 0.2, green: 0.6, blue: 0.4), color])
    func `a deep bitmap gets round corners and borders as one of bytes does`(_ background: RasterColor?)
        throws
    {
        let source = try picture(40, 30, .premultiplied, areBytes: true)
        let radii = CornerRadii(topLeft: 9.5, topRight: 0, bottomLeft: 3, bottomRight: 14)
        let deep = try source.roundedCorners(radii: radii, background: background)
        #expect(deep.isDeep)
        let bytes = try source.standard().roundedCorners(radii: radii, background: background)
        #expect(try deep.standard().largestDifference(to: bytes) <= 1)
        let border = try source.bordered(Self.color, lineWidth: 3.4, radii: radii)
        let expected = try source.standard().bordered(Self.color, lineWidth: 3.4, radii: radii)
        #expect(border.isDeep)
        #expect(try border.standard().largestDifference(to: expected) <= 2)
    }

    // MARK: - In light

    private func light(_ pixel: SIMD4<Double>) -> SIMD4<Double> {
        guard pixel.w > 0 else { return .zero }
        var result = SIMD4(repeating: 1.0)
        for channel in 0..<3 {
            let value = pixel[channel] / pixel.w
            result[channel] = value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return result * pixel.w
    }

    private func encoded(_ light: SIMD4<Double>) -> SIMD4<Double> {
        guard light.w > 0 else { return .zero }
        var result = SIMD4(repeating: 1.0)
        for channel in 0..<3 {
            let value = min(max(light[channel] / light.w, 0), 1)
            result[channel] = value <= 0.0031308 ? value * 12.92 : 1.055 * pow(value, 1 / 2.4) - 0.055
        }
        return result * light.w
    }

    @Test(arguments: [Bitmap.Alpha.opaque, .premultiplied])
    func `curves are applied to the light of a deep bitmap`(_ alpha: Bitmap.Alpha) throws {
        let bitmap = try picture(40, 30, alpha)
        let exact = levels(bitmap)
            .map { pixel in
                var light = light(pixel / 65535)
                if light.w > 0 {
                    for channel in 0..<3 { light[channel] = pow(light[channel] / light.w, 1.7) * light.w }
                }
                return encoded(light) * 65535
            }
        let toned = try bitmap.toned { pow($0, 1.7) }
        #expect(toned.colorSpace == .displayP3 && difference(toned, exact) < Self.tolerance)
    }

    @Test(arguments: [Bitmap.Alpha.opaque, .premultiplied])
    func `the light of a deep bitmap is blurred`(_ alpha: Bitmap.Alpha) throws {
        let (width, height, reach) = (23, 17, 2)
        let bitmap = try picture(width, height, alpha)
        let lights = levels(bitmap).map { light($0 / 65535) }
        let exact = (0..<width * height)
            .map { index in
                var sum = SIMD4<Double>.zero
                for y in -reach...reach {
                    for x in -reach...reach {
                        let column = min(max(index % width + x, 0), width - 1)
                        sum += lights[min(max(index / width + y, 0), height - 1) * width + column]
                    }
                }
                return encoded(sum / Double((2 * reach + 1) * (2 * reach + 1))) * 65535
            }
        let blurred = try bitmap.boxBlurredInLight(reach: reach)
        #expect(blurred.isDeep && difference(blurred, exact) < Self.tolerance)
        #expect(try bitmap.blurredInLight(radius: 3).isDeep)
    }
}
