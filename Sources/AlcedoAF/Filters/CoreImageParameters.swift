import Alcedo
import AlcedoRaster
import Foundation

struct CoreImageParameters {
    private let filter: String
    private let values: [String: Any]

    /// Throws for a parameter that is not in `known`.
    init(
        _ values: [String: Any], of filter: String, known: [String]
    ) throws(CoreImageFilterError) {
        self.filter = filter
        self.values = values
        // `inputImage` is ignored: CoreImage passes the image in it.
        if let name = values.keys.sorted().first(where: { !known.contains($0) && $0 != "inputImage" }) {
            throw .unknownParameter(name, filter: filter, known: known)
        }
    }

    func number(_ name: String, default defaultValue: Double) throws(CoreImageFilterError) -> Double {
        guard let value = values[name] else { return defaultValue }
        guard let number = Self.number(value), number.isFinite else {
            throw .invalidValue(parameter: name, filter: filter, expected: "a number")
        }
        return number
    }

    /// An array of four numbers, in place of CoreImage's `CIVector`.
    func vector(
        _ name: String, default defaultValue: SIMD4<Double>
    ) throws(CoreImageFilterError) -> SIMD4<Double> {
        guard let value = values[name] else { return defaultValue }
        let numbers = (value as? [Any])?.compactMap(Self.number) ?? []
        guard numbers.count == 4, numbers.allSatisfy(\.isFinite) else {
            throw .invalidValue(parameter: name, filter: filter, expected: "an array of four numbers")
        }
        return SIMD4(numbers[0], numbers[1], numbers[2], numbers[3])
    }

    /// Alcedo's colour type, in place of CoreImage's `CIColor`.
    func color(_ name: String, default defaultValue: RasterColor) throws(CoreImageFilterError) -> RasterColor
    {
        guard let value = values[name] else { return defaultValue }
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
