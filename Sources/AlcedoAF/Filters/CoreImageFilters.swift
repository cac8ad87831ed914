import Alcedo
import AlcedoRaster
import Foundation

/// CoreImage's filters, as Alcedo's raster operations.
///
/// All arithmetic on colours is done in linear light, which is CoreImage's working space, and with straight alpha. Where
/// Apple has not published what a filter computes, the table says what stands for it.
enum CoreImageFilters {
    typealias Change = @Sendable (Bitmap) throws(CodecError) -> Bitmap

    private struct Recipe: Sendable {
        let parameters: [String]
        let change: @Sendable (CoreImageParameters) throws(CoreImageFilterError) -> Change

        init(
            _ parameters: String...,
            change: @escaping @Sendable (CoreImageParameters) throws(CoreImageFilterError) -> Change
        ) {
            self.parameters = parameters
            self.change = change
        }

        /// A filter without parameters that is a setting of the colour controls.
        init(_ controls: ColorControls) {
            self.init { _ in { (bitmap) throws(CodecError) in try bitmap.adjusted(controls) } }
        }
    }

    /// The names that there are.
    static var names: [String] { recipes.keys.sorted() }

    /// What the filter of that name does to a bitmap.
    static func change(
        _ name: String, _ parameters: [String: Any]
    ) throws(CoreImageFilterError) -> Change {
        guard let recipe = recipes[name] else { throw .unknownFilter(name, known: names) }
        return try recipe.change(CoreImageParameters(parameters, of: name, known: recipe.parameters))
    }

    private static let recipes: [String: Recipe] = [
        // Standard deviation in pixels, as in CoreImage.
        "CIGaussianBlur": Recipe("inputRadius") { (values) throws(CoreImageFilterError) in
            let radius = try values.number("inputRadius", default: 10)
            return { (bitmap) throws(CodecError) in try bitmap.blurredInLight(radius: radius) }
        },
        // Pixels on each side of the middle one.
        "CIBoxBlur": Recipe("inputRadius") { (values) throws(CoreImageFilterError) in
            let reach = Int(max(0, min(try values.number("inputRadius", default: 10), 1e6)).rounded())
            return { (bitmap) throws(CodecError) in try bitmap.boxBlurredInLight(reach: reach) }
        },
        "CIColorControls": Recipe("inputSaturation", "inputBrightness", "inputContrast") {
            (values) throws(CoreImageFilterError) in
            let controls = ColorControls(
                brightness: try values.number("inputBrightness", default: 0),
                contrast: try values.number("inputContrast", default: 1),
                saturation: try values.number("inputSaturation", default: 1)
            )
            return { (bitmap) throws(CodecError) in try bitmap.adjusted(controls) }
        },
        // Stops.
        "CIExposureAdjust": Recipe("inputEV") { (values) throws(CoreImageFilterError) in
            let controls = ColorControls(exposure: try values.number("inputEV", default: 0))
            return { (bitmap) throws(CodecError) in try bitmap.adjusted(controls) }
        },
        "CIGammaAdjust": Recipe("inputPower") { (values) throws(CoreImageFilterError) in
            let power = try values.number("inputPower", default: 1)
            return { (bitmap) throws(CodecError) in try bitmap.toned { pow($0, power) } }
        },
        // Radians; W3C's matrix.
        "CIHueAdjust": Recipe("inputAngle") { (values) throws(CoreImageFilterError) in
            matrix(.hueRotation(try values.number("inputAngle", default: 0)))
        },
        // W3C's matrix, and on encoded values as W3C's: in linear light it would come out much paler.
        "CISepiaTone": Recipe("inputIntensity") { (values) throws(CoreImageFilterError) in
            let sepia = ColorMatrix.sepia(try values.number("inputIntensity", default: 1))
            return { (bitmap) throws(CodecError) in try bitmap.recoloured(by: sepia, encoded: true) }
        },
        "CIColorMonochrome": Recipe("inputColor", "inputIntensity") { (values) throws(CoreImageFilterError) in
            let brown = RasterColor(red: 0.6, green: 0.45, blue: 0.3)
            let color = try values.color("inputColor", default: brown)
            return matrix(.monochrome(color, amount: try values.number("inputIntensity", default: 1)))
        },
        "CIColorInvert": Recipe { _ in matrix(.inverted) },
        "CIColorMatrix": Recipe("inputRVector", "inputGVector", "inputBVector", "inputBiasVector") {
            (values) throws(CoreImageFilterError) in
            let bias = try values.vector("inputBiasVector", default: .zero)
            func row(_ name: String, _ channel: Int) throws(CoreImageFilterError) -> SIMD4<Double> {
                var standard = SIMD4<Double>.zero
                standard[channel] = 1
                var row = try values.vector(name, default: standard)
                // A share of alpha, which is 1 for straight colours of an opaque picture.
                row.w += bias[channel]
                return row
            }
            return matrix(
                ColorMatrix(
                    red: try row("inputRVector", 0), green: try row("inputGVector", 1),
                    blue: try row("inputBVector", 2)))
        },
        // The nearest of so many equally spaced lights.
        "CIColorPosterize": Recipe("inputLevels") { (values) throws(CoreImageFilterError) in
            let steps = max(1, try values.number("inputLevels", default: 6).rounded() - 1)
            return { (bitmap) throws(CodecError) in try bitmap.toned { ($0 * steps).rounded() / steps } }
        },
        // Not published: greys by the luma of Rec. 709, of usual, high and low contrast.
        "CIPhotoEffectMono": Recipe(ColorControls(saturation: 0)),
        "CIPhotoEffectNoir": Recipe(ColorControls(contrast: 1.2, saturation: 0)),
        "CIPhotoEffectTonal": Recipe(ColorControls(contrast: 0.9, saturation: 0)),
    ]

    private static func matrix(_ matrix: ColorMatrix) -> Change {
        { (bitmap) throws(CodecError) in try bitmap.recoloured(by: matrix) }
    }
}
