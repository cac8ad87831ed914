import Alcedo
import AlcedoLocks
public import Foundation

/// A CoreImage filter, identified by its name.
///
/// ``CoreImageFilterError`` lists the supported names and parameters. If filtering fails, the image is returned
/// unchanged, and a `Diagnostic` is sent once per name.
public protocol CoreImageFilter: ImageFilter {
    /// The CoreImage name, such as `CIGaussianBlur`.
    var filterName: String { get }

    /// The CoreImage parameters; missing ones have CoreImage's defaults.
    var parameters: [String: Any] { get }
}

extension CoreImageFilter {
    public var filter: (Image) -> Image {
        { image in image.af.imageFiltered(withCoreImageFilter: filterName, parameters: parameters) ?? image }
    }

    /// The type's name and the parameters sorted by name: `BlurFilter-parameters:(["inputRadius": 10])`.
    public var identifier: String {
        let pairs = parameters.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }
        return "\(type(of: self))-parameters:([\(pairs.joined(separator: ", "))])"
    }
}

/// A Gaussian blur, like CoreImage's `CIGaussianBlur`.
public struct BlurFilter: ImageFilter, CoreImageFilter {
    public let filterName = "CIGaussianBlur"
    private let blurRadius: UInt

    /// Creates a filter; the radius is the Gaussian's standard deviation, in pixels.
    public init(blurRadius: UInt = 10) { self.blurRadius = blurRadius }

    public var parameters: [String: Any] { ["inputRadius": blurRadius] }
}

/// An error of a CoreImage filter.
public enum CoreImageFilterError: Error, Equatable {
    /// The filter is not supported; `known` lists the supported filters.
    case unknownFilter(String, known: [String])

    /// The parameter is not supported; `known` lists the filter's parameters.
    case unknownParameter(String, filter: String, known: [String])

    /// The parameter's value is not of the kind that `expected` describes.
    case invalidValue(parameter: String, filter: String, expected: String)

    /// The image is damaged, or memory is insufficient.
    case imageCannotBeFiltered(String)
}

extension CoreImageFilterError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .unknownFilter(let name, let known):
            "Unknown filter “\(name)”; known filters: \(known.joined(separator: ", "))."
        case .unknownParameter(let name, let filter, let known):
            known.isEmpty
                ? "Unknown parameter “\(name)”; \(filter) has no parameters."
                : "Unknown parameter “\(name)” of \(filter); known parameters: \(known.joined(separator: ", "))."
        case .invalidValue(let parameter, let filter, let expected):
            "\(filter) requires \(expected) for \(parameter)."
        case .imageCannotBeFiltered(let reason): "Could not filter the image: \(reason)"
        }
    }
}

/// Sends one diagnostic per filter that could not be applied.
enum FilterReport {
    private static let reported = Lock(Set<String>())

    static func report(_ error: CoreImageFilterError, in filter: String) {
        guard reported.withLock({ $0.insert(filter).inserted }) else { return }
        Diagnostic.unfilteredImage(filter: filter, reason: error.errorDescription ?? "").send()
    }
}
