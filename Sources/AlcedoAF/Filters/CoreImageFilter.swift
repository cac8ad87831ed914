import Alcedo
import AlcedoLocks
public import Foundation

/// A filter that CoreImage has, by its name there.
///
/// ``CoreImageFilterError`` says which names and parameters there are. Where an image can't be filtered it is returned as
/// it is, and the standard error says so once for each name.
public protocol CoreImageFilter: ImageFilter {
    /// CoreImage's name, such as `CIGaussianBlur`.
    var filterName: String { get }

    /// CoreImage's parameters; those that are left out have CoreImage's defaults.
    var parameters: [String: Any] { get }
}

extension CoreImageFilter {
    /// Applies the filter.
    public var filter: (Image) -> Image {
        { image in image.af.imageFiltered(withCoreImageFilter: filterName, parameters: parameters) ?? image }
    }

    /// The type's name and the parameters in the order of their names: `BlurFilter-parameters:(["inputRadius": 10])`.
    public var identifier: String {
        let pairs = parameters.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }
        return "\(type(of: self))-parameters:([\(pairs.joined(separator: ", "))])"
    }
}

/// Blurs as CoreImage's `CIGaussianBlur` does.
public struct BlurFilter: ImageFilter, CoreImageFilter {
    /// `CIGaussianBlur`.
    public let filterName = "CIGaussianBlur"

    private let blurRadius: UInt

    /// Makes a filter; the radius is the Gaussian's standard deviation, in pixels.
    public init(blurRadius: UInt = 10) { self.blurRadius = blurRadius }

    /// The radius.
    public var parameters: [String: Any] { ["inputRadius": blurRadius] }
}

/// Why a filter of CoreImage's can't be applied.
public enum CoreImageFilterError: Error, Equatable {
    /// There is no filter of that name here; `known` are those that there are.
    case unknownFilter(String, known: [String])

    /// The filter has no such parameter; `known` are those that it has.
    case unknownParameter(String, filter: String, known: [String])

    /// The parameter must be something else, which `expected` says.
    case invalidValue(parameter: String, filter: String, expected: String)

    /// The image is damaged, or there is no memory.
    case imageCannotBeFiltered(String)
}

extension CoreImageFilterError: LocalizedError {
    /// A sentence that says what went wrong, and what is possible.
    public var errorDescription: String? {
        switch self {
        case .unknownFilter(let name, let known):
            "There is no filter “\(name)”; there are \(known.joined(separator: ", "))."
        case .unknownParameter(let name, let filter, let known):
            "\(filter) has no parameter “\(name)”; it has \(known.joined(separator: ", "))."
        case .invalidValue(let parameter, let filter, let expected):
            "\(filter) needs \(expected) as its \(parameter)."
        case .imageCannotBeFiltered(let reason): "The image can't be filtered: \(reason)"
        }
    }
}

/// Says once for each filter, on the standard error, why images are left as they are.
enum FilterWarning {
    private static let given = Lock(Set<String>())

    static func warn(of error: CoreImageFilterError, in filter: String) {
        guard given.withLock({ $0.insert(filter).inserted }) else { return }
        let text = error.errorDescription ?? ""
        FileHandle.standardError.write(Data("Alcedo: an image is left unfiltered. \(text)\n".utf8))
    }
}
