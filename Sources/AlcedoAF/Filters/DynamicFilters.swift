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
    /// The filters, in order.
    var filters: [any ImageFilter] { get }
}

extension CompositeImageFilter {
    /// The filters' identifiers, joined with `_`.
    public var identifier: String { filters.map(\.identifier).joined(separator: "_") }

    /// Applies all filters in order.
    public var filter: (Image) -> Image {
        { image in filters.reduce(image) { $1.filter($0) } }
    }
}

/// A composite of any filters.
public struct DynamicCompositeImageFilter: CompositeImageFilter {
    /// The filters, in order.
    public let filters: [any ImageFilter]

    /// Creates a filter that applies `filters` in order.
    public init(_ filters: [any ImageFilter]) { self.filters = filters }

    /// Creates a filter that applies `filters` in order.
    public init(_ filters: any ImageFilter...) { self.init(filters) }
}
