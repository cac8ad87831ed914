import Alcedo
import AlcedoRaster
import Foundation

/// The parameters of one filter of CoreImage's, read one by one.
struct CoreImageParameters {
    private let filter: String
    private let values: [String: Any]

    /// Parameters of `filter`; one that is not `known` is an error.
    init(
        _ values: [String: Any], of filter: String, known: [String]
    ) throws(CoreImageFilterError) {
        self.filter = filter
        self.values = values
        // CoreImage's own way to hand over the image, which is here already.
        if let name = values.keys.sorted().first(where: { !known.contains($0) && $0 != "inputImage" }) {
            throw .unknownParameter(name, filter: filter, known: known)
        }
    }

    func number(_ name: String, default standard: Double) throws(CoreImageFilterError) -> Double {
        guard let value = values[name] else { return standard }
        guard let number = Self.number(value), number.isFinite else {
            throw .invalidValue(parameter: name, filter: filter, expected: "a number")
        }
        return number
    }

    /// Four numbers: an array, where CoreImage has a `CIVector`.
    func vector(
        _ name: String, default standard: SIMD4<Double>
    ) throws(CoreImageFilterError) -> SIMD4<Double> {
        guard let value = values[name] else { return standard }
        let numbers = (value as? [Any])?.compactMap(Self.number) ?? []
        guard numbers.count == 4, numbers.allSatisfy(\.isFinite) else {
            throw .invalidValue(parameter: name, filter: filter, expected: "an array of four numbers")
        }
        return SIMD4(numbers[0], numbers[1], numbers[2], numbers[3])
    }

    /// A colour of Alcedo's, where CoreImage has a `CIColor`.
    func color(_ name: String, default standard: RasterColor) throws(CoreImageFilterError) -> RasterColor {
        guard let value = values[name] else { return standard }
        guard let color = value as? KFCrossPlatformColor else {
            throw .invalidValue(parameter: name, filter: filter, expected: "a colour")
        }
        return RasterColor(
            red: Double(color.red), green: Double(color.green), blue: Double(color.blue),
            alpha: Double(color.alpha))
    }

    private static func number(_ value: Any) -> Double? {
        switch value {
        case let number as any BinaryInteger: Double(number)
        case let number as any BinaryFloatingPoint: Double(number)
        case let number as NSNumber: number.doubleValue
        default: nil
        }
    }
}
