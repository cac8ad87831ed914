public import Foundation

/// A transformation of an image.
public protocol ImageFilter: Sendable {
    /// Applies the filter; called on worker threads, also concurrently.
    var filter: (Image) -> Image { get }

    /// Identifies the filter and its parameters; part of cache keys, so filters with different results must differ.
    var identifier: String { get }
}

extension ImageFilter {
    /// The type's name, without parameters.
    public var identifier: String { "\(type(of: self))" }
}

/// A filter with a size.
public protocol Sizable {
    /// The size in points.
    var size: CGSize { get }
}

/// A filter with a corner radius.
public protocol Roundable {
    /// The radius in points.
    var radius: CGFloat { get }
}

extension ImageFilter where Self: Sizable {
    /// The type's name and the size: `ScaledToSizeFilter-size:(200x100)`.
    public var identifier: String {
        "\(type(of: self))-size:(\(identifierText(size.width))x\(identifierText(size.height)))"
    }
}

extension ImageFilter where Self: Roundable {
    /// The type's name and the radius: `RoundedCornersFilter-radius:(20)`.
    public var identifier: String { "\(type(of: self))-radius:(\(identifierText(radius)))" }
}

/// The format of numbers in identifiers: whole numbers without a fraction, others in full precision.
func identifierText(_ number: CGFloat) -> String {
    Int64(exactly: number).map { "\($0)" } ?? "\(Double(number))"
}

/// A filter from a closure.
public struct DynamicImageFilter: ImageFilter {
    /// Part of cache keys: the same for all filters with the same result.
    public let identifier: String

    private let body: @Sendable (Image) -> Image

    /// Creates a filter; filters with different results must have different identifiers.
    public init(_ identifier: String, filter: @escaping @Sendable (Image) -> Image) {
        self.identifier = identifier
        body = filter
    }

    /// The closure; called on any thread.
    public var filter: (Image) -> Image { body }
}

/// A filter that applies other filters in sequence.
public protocol CompositeImageFilter: ImageFilter {
    var filters: [any ImageFilter] { get }
}

extension CompositeImageFilter {
    /// The filters' identifiers, joined with `_`.
    public var identifier: String { filters.map(\.identifier).joined(separator: "_") }

    public var filter: (Image) -> Image {
        { image in filters.reduce(image) { $1.filter($0) } }
    }
}

/// A composite of any filters.
public struct DynamicCompositeImageFilter: CompositeImageFilter {
    public let filters: [any ImageFilter]

    /// Creates a filter that applies `filters` in order.
    public init(_ filters: [any ImageFilter]) { self.filters = filters }

    /// Creates a filter that applies `filters` in order.
    public init(_ filters: any ImageFilter...) { self.init(filters) }
}
