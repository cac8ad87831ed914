/// A filter made of a closure.
public struct DynamicImageFilter: ImageFilter {
    /// The name that it was given.
    public let identifier: String

    private let body: @Sendable (Image) -> Image

    /// Makes a filter; no other filter that makes other pixels may have this name.
    public init(_ identifier: String, filter: @escaping @Sendable (Image) -> Image) {
        self.identifier = identifier
        body = filter
    }

    /// The closure.
    public var filter: (Image) -> Image { body }
}

/// Filters, each of which works on what the one before has made.
public protocol CompositeImageFilter: ImageFilter {
    /// The filters, in order.
    var filters: [any ImageFilter] { get }
}

extension CompositeImageFilter {
    /// The filters' identifiers, joined with `_`.
    public var identifier: String { filters.map(\.identifier).joined(separator: "_") }

    /// All filters in order.
    public var filter: (Image) -> Image {
        { image in filters.reduce(image) { $1.filter($0) } }
    }
}

/// A composite of any filters.
public struct DynamicCompositeImageFilter: CompositeImageFilter {
    /// The filters, in order.
    public let filters: [any ImageFilter]

    /// Makes a composite.
    public init(_ filters: [any ImageFilter]) { self.filters = filters }

    /// Makes a composite.
    public init(_ filters: any ImageFilter...) { self.init(filters) }
}
