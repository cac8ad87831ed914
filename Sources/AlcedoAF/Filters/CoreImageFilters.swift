import Alcedo
import AlcedoRaster
import Foundation

/// CoreImage's filters, implemented with Alcedo's raster operations.
///
/// Colour arithmetic uses linear light, CoreImage's working space, and straight alpha. Comments in the table
/// describe the substitutes for filters whose formulas Apple has not published.
enum CoreImageFilters {
    typealias Transform = @Sendable (Bitmap) throws(CodecError) -> Bitmap

    private struct Definition: Sendable {
        let parameters: [String]
        let transform: @Sendable (CoreImageParameters) throws(CoreImageFilterError) -> Transform

        init(
            _ parameters: String...,
            transform: @escaping @Sendable (CoreImageParameters) throws(CoreImageFilterError) -> Transform
        ) {
            self.parameters = parameters
            self.transform = transform
        }

        /// A filter without parameters that applies fixed colour controls.
        init(_ controls: ColorControls) {
            self.init { _ in { (bitmap) throws(CodecError) in try bitmap.adjusted(controls) } }
        }
    }

    static var names: [String] { definitions.keys.sorted() }

    static func transform(
        _ name: String, _ parameters: [String: Any]
    ) throws(CoreImageFilterError) -> Transform {
        guard let definition = definitions[name] else { throw .unknownFilter(name, known: names) }
        return try definition.transform(
            CoreImageParameters(parameters, of: name, known: definition.parameters))
    }

    private static let definitions: [String: Definition] = [
        // Standard deviation in pixels, as in CoreImage.
        "CIGaussianBlur": Definition("inputRadius") { (values) throws(CoreImageFilterError) in
            let radius = try values.number("inputRadius", default: 10)
            return { (bitmap) throws(CodecError) in try bitmap.blurredInLight(radius: radius) }
        },
        // Pixels on each side of the centre pixel.
        "CIBoxBlur": Definition("inputRadius") { (values) throws(CoreImageFilterError) in
            let reach = Int(max(0, min(try values.number("inputRadius", default: 10), 1e6)).rounded())
            return { (bitmap) throws(CodecError) in try bitmap.boxBlurredInLight(reach: reach) }
        },
        "CIColorControls": Definition("inputSaturation", "inputBrightness", "inputContrast") {
            (values) throws(CoreImageFilterError) in
            let controls = ColorControls(
                brightness: try values.number("inputBrightness", default: 0),
                contrast: try values.number("inputContrast", default: 1),
                saturation: try values.number("inputSaturation", default: 1)
            )
            return { (bitmap) throws(CodecError) in try bitmap.adjusted(controls) }
        },
        // In stops.
        "CIExposureAdjust": Definition("inputEV") { (values) throws(CoreImageFilterError) in
            let controls = ColorControls(exposure: try values.number("inputEV", default: 0))
            return { (bitmap) throws(CodecError) in try bitmap.adjusted(controls) }
        },
        "CIGammaAdjust": Definition("inputPower") { (values) throws(CoreImageFilterError) in
            let power = try values.number("inputPower", default: 1)
            return { (bitmap) throws(CodecError) in try bitmap.toned { pow($0, power) } }
        },
        // In radians; with the matrix of the W3C's `hue-rotate()`.
        "CIHueAdjust": Definition("inputAngle") { (values) throws(CoreImageFilterError) in
            matrix(.hueRotation(try values.number("inputAngle", default: 0)))
        },
        // The matrix of the W3C's `sepia()`, applied to encoded values as there; linear light would give much paler
        // colours.
        "CISepiaTone": Definition("inputIntensity") { (values) throws(CoreImageFilterError) in
            let sepia = ColorMatrix.sepia(try values.number("inputIntensity", default: 1))
            return { (bitmap) throws(CodecError) in try bitmap.recoloured(by: sepia, encoded: true) }
        },
        "CIColorMonochrome": Definition("inputColor", "inputIntensity") {
            (values) throws(CoreImageFilterError) in
            let brown = RasterColor(red: 0.6, green: 0.45, blue: 0.3)
            let color = try values.color("inputColor", default: brown)
            return matrix(.monochrome(color, amount: try values.number("inputIntensity", default: 1)))
        },
        "CIColorInvert": Definition { _ in matrix(.inverted) },
        "CIColorMatrix": Definition("inputRVector", "inputGVector", "inputBVector", "inputBiasVector") {
            (values) throws(CoreImageFilterError) in
            let bias = try values.vector("inputBiasVector", default: .zero)
            func row(_ name: String, _ channel: Int) throws(CoreImageFilterError) -> SIMD4<Double> {
                var standard = SIMD4<Double>.zero
                standard[channel] = 1
                var row = try values.vector(name, default: standard)
                // The bias is a coefficient of alpha, which is 1 for an opaque pixel.
                row.w += bias[channel]
                return row
            }
            return matrix(
                ColorMatrix(
                    red: try row("inputRVector", 0), green: try row("inputGVector", 1),
                    blue: try row("inputBVector", 2)))
        },
        // Rounds to the nearest of `inputLevels` equally spaced levels.
        "CIColorPosterize": Definition("inputLevels") { (values) throws(CoreImageFilterError) in
            let steps = max(1, try values.number("inputLevels", default: 6).rounded() - 1)
            return { (bitmap) throws(CodecError) in try bitmap.toned { ($0 * steps).rounded() / steps } }
        },
        // Not published; substituted by greyscale with Rec. 709 luma and normal, high and low contrast.
        "CIPhotoEffectMono": Definition(ColorControls(saturation: 0)),
        "CIPhotoEffectNoir": Definition(ColorControls(contrast: 1.2, saturation: 0)),
        "CIPhotoEffectTonal": Definition(ColorControls(contrast: 0.9, saturation: 0)),
    ]

    private static func matrix(_ matrix: ColorMatrix) -> Transform {
        { (bitmap) throws(CodecError) in try bitmap.recoloured(by: matrix) }
    }
}
