import CLcms2

/// A conversion of 16-bit samples to sRGB, cached for all images with the same colours.
///
/// As ``ColorTransform``, but it converts before samples are cut to 8 bits. Code points are converted by their functions,
/// curves and matrices by tables of 65,536 lights, and other profiles by Little CMS without its optimisations, which are up
/// to 19 of 255 off.
package final class DeepTransform: Sendable {
    enum Method {
        case light(LightTables)
        /// Converts 16 bits in place; a fourth sample stays as it is.
        case littleCMS(LittleCMSTransform)
    }

    let method: Method

    /// `encoding` is what to convert to: sRGB, or other primaries with its curve.
    private init?(
        _ colors: borrowing SourceProfile, _ layout: ColorLayout, to encoding: RGBEncoding = .sRGB
    ) {
        if let model = LightModel(colors, to: encoding) {
            method = .light(LightTables(model))
            return
        }
        let profile = encoding == .sRGB ? cmsCreate_sRGBProfile() : encoding.makeProfile()
        guard let target = profile else { return nil }
        defer { cmsCloseProfile(target) }
        guard
            let transform = LittleCMSTransform(
                colors.handle, layout.deepFormat, to: target, ColorLayout.rgba.deepFormat,
                isOptimized: false)
        else { return nil }
        method = .littleCMS(transform)
    }

    /// Converts inverted CMYK to opaque RGB in place, by `transform` or without one by multiplying each ink with black.
    package static func convert(inks pixels: DeepPixels, by transform: DeepTransform?) {
        if case .littleCMS(let transform) = transform?.method {
            transform.apply(to: pixels)
            for index in pixels.indices { pixels[index].w = .max }
            return
        }
        for index in pixels.indices {
            let pixel = pixels[index]
            func lit(_ level: UInt16) -> UInt16 { UInt16((UInt32(level) * UInt32(pixel.w) + 32767) / 65535) }
            pixels[index] = SIMD4(lit(pixel.x), lit(pixel.y), lit(pixel.z), .max)
        }
    }
}

extension DeepTransform {
    private static let cache = TransformCache<DeepTransform>()

    static func toSRGB(from source: ColorSource) -> DeepTransform? {
        if source.encoding == .sRGB { return nil }
        return cache.transform(from: source) {
            guard let colors = SourceProfile(source) else { return nil }
            return DeepTransform(colors, source.layout)
        }
    }
}

extension DeepTransform {
    private static let displayP3Cache = TransformCache<DeepTransform>()

    /// To Display P3, of which sRGB is a part; nil for colours that can't be converted.
    static func toDisplayP3(from source: ColorSource) -> DeepTransform? {
        displayP3Cache.transform(from: source) {
            guard let colors = SourceProfile(source) else { return nil }
            return DeepTransform(colors, source.layout, to: RGBEncoding(primaries: 12, transfer: 13))
        }
    }
}

/// A ``LightModel`` in tables.
struct LightTables {
    /// For each channel; grey has one table three times, and a matrix of one column.
    let red: LevelTable
    let green: LevelTable
    let blue: LevelTable
    /// Columns of the matrix in the order of a bitmap's channels: blue, green, red; the fourth number is 0.
    let columns: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)
    let offset: SIMD4<Float>

    init(_ model: LightModel) {
        func channels(_ light: SIMD3<Double>) -> SIMD4<Float> {
            SIMD4(Float(light.z), Float(light.y), Float(light.x), 0)
        }
        let first = LevelTable(model.curves[0])
        let others = model.curves.dropFirst().map { curve in
            // Nearly all profiles have one curve for all channels.
            let isSame = (0...64).allSatisfy { curve(Double($0) / 64) == model.curves[0](Double($0) / 64) }
            return isSame ? first : LevelTable(curve)
        }
        (red, green, blue) = (first, others.first ?? first, others.last ?? first)
        let matrix = (model.columns + [.zero, .zero]).map(channels)
        columns = (matrix[0], matrix[1], matrix[2])
        offset = channels(model.offset)
    }

    /// Calls `body` with the numbers of red, green and blue, 65,536 each.
    @inline(__always)
    func withNumbers<Result>(_ body: (LevelTable.Numbers, LevelTable.Numbers, LevelTable.Numbers) -> Result)
        -> Result
    {
        red.withNumbers { red in
            green.withNumbers { green in
                blue.withNumbers { blue in body(red, green, blue) }
            }
        }
    }
}
