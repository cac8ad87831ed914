import CLcms2
import Glibc

/// Curves from levels to light, and a matrix from there to the light of sRGB's or other primaries, in floating point.
struct LightModel {
    /// One for each channel, from 0…1; those of a profile are valid while it is open.
    let curves: [(Double) -> Double]
    /// A column of the matrix for each channel.
    let columns: [SIMD3<Double>]
    let offset: SIMD3<Double>

    /// Nil for a profile with tables of several dimensions.
    ///
    /// `target` has the primaries of the light.
    init?(_ colors: borrowing SourceProfile, to target: RGBEncoding = .sRGB) {
        if let encoding = colors.encoding {
            guard let linear = encoding.linear.makeProfile() else { return nil }
            defer { cmsCloseProfile(linear) }
            let curve = { encoding.transfer.light($0) }
            self.init([curve, curve, curve], linear, to: target, curvesOfMatrix: [{ $0 }, { $0 }, { $0 }])
            return
        }
        guard !colors.hasTables, cmsIsMatrixShaper(colors.handle) != 0,
            cmsGetPCS(colors.handle) == cmsSigXYZData
        else { return nil }
        let isGrey = cmsGetColorSpace(colors.handle) == cmsSigGrayData
        let tags = isGrey ? [cmsSigGrayTRCTag] : [cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag]
        var curves: [(Double) -> Double] = []
        for tag in tags {
            guard let curve = cmsReadTag(colors.handle, tag).map(OpaquePointer.init) else { return nil }
            curves.append { Double(cmsEvalToneCurveFloat(curve, Float($0))) }
        }
        self.init(curves, colors.handle, to: target, curvesOfMatrix: curves)
    }

    /// Finds the matrix by what Little CMS makes of no light and of one channel's light, so that adaptation to the white and
    /// the compensation of black are Little CMS's.
    private init?(
        _ curves: [(Double) -> Double], _ profile: cmsHPROFILE, to encoding: RGBEncoding,
        curvesOfMatrix: [(Double) -> Double]
    ) {
        let count = curves.count
        guard let target = encoding.linear.makeProfile() else { return nil }
        defer { cmsCloseProfile(target) }
        let format = count == 1 ? alcedo_lcms_grey_double : alcedo_lcms_rgb_double
        guard
            let transform = cmsCreateTransform(
                profile, format, target, alcedo_lcms_rgb_double, UInt32(INTENT_PERCEPTUAL),
                UInt32(cmsFLAGS_NOCACHE | cmsFLAGS_NOOPTIMIZE))
        else { return nil }
        defer { cmsDeleteTransform(transform) }
        func light(_ levels: [Double]) -> SIMD3<Double> {
            var output = [0.0, 0, 0]
            cmsDoTransform(transform, levels, &output, 1)
            return SIMD3(output)
        }
        let none = [Double](repeating: 0, count: count)
        let black = light(none)
        var (columns, offset) = ([SIMD3<Double>](), black)
        for index in 0..<count {
            var levels = none
            levels[index] = 1
            let (low, high) = (curvesOfMatrix[index](0), curvesOfMatrix[index](1))
            guard abs(high - low) > 1e-6 else { return nil }
            let column = (light(levels) - black) / (high - low)
            columns.append(column)
            offset -= column * low
        }
        // Infinity and NaN times 0 are not 0.
        guard (columns + [offset]).allSatisfy({ ($0 * 0) == .zero }) else { return nil }
        (self.curves, self.columns, self.offset) = (curves, columns, offset)
    }

    /// The pixel of a level of grey, opaque.
    func pixel(grey level: Double) -> UInt32 {
        let light = columns[0] * curves[0](level) + offset
        func byte(_ channel: Int) -> UInt32 { UInt32(SRGBLevels.level(light[channel]) + 0.5) }
        return 0xFF00_0000 | byte(0) << 16 | byte(1) << 8 | byte(2)
    }
}

/// sRGB's levels of light (IEC 61966-2-1), from 0 to 255.
enum SRGBLevels {
    static func level(_ light: Double) -> Double {
        guard light > 0.0031308 else { return light > 0 ? 255 * 12.92 * light : 0 }
        return light < 1 ? 255 * (1.055 * pow(light, 1 / 2.4) - 0.055) : 255
    }

    /// Those of light from 0 to 1 in steps of 1/65,535, in which black's neighbours are 0.05 levels apart.
    static let all = LevelTable { level($0) }
}

/// A number for each of 65,536 levels from 0 to 1.
struct LevelTable: Sendable {
    typealias Numbers = UnsafeBufferPointer<Float>

    private let numbers: [Float]

    init(_ number: (Double) -> Double) {
        numbers = (0..<1 << 16).map { level in
            let value = number(Double(level) / 65535)
            // A profile's curve may give anything.
            return value.isNaN ? 0 : Float(min(max(value, -65536), 65536))
        }
    }

    /// Calls `body` with the numbers, without a check of each index, which no 16-bit level needs.
    @inline(__always)
    func withNumbers<Result>(_ body: (Numbers) -> Result) -> Result {
        numbers.withUnsafeBufferPointer(body)
    }
}
