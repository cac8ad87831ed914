public import Foundation

/// The source of an image.
public enum Source: Sendable {
    /// The identifiers by which a view recognises its latest load.
    public enum Identifier {
        /// A number, incremented from 1.
        public typealias Value = UInt
    }

    /// A download.
    case network(any Resource)

    /// A provider of bytes.
    case provider(any ImageDataProvider)

    /// The key in the caches.
    public var cacheKey: String {
        switch self {
        case .network(let resource): resource.cacheKey
        case .provider(let provider): provider.cacheKey
        }
    }

    /// The URL, if there is one.
    public var url: URL? {
        switch self {
        case .network(let resource): resource.downloadURL
        case .provider(let provider): provider.contentURL
        }
    }
}

extension Source: Hashable {
    /// Whether both have the same case, cache key and URL.
    public static func == (lhs: Source, rhs: Source) -> Bool {
        switch (lhs, rhs) {
        case (.network(let left), .network(let right)):
            left.cacheKey == right.cacheKey && left.downloadURL == right.downloadURL
        case (.provider(let left), .provider(let right)):
            left.cacheKey == right.cacheKey && left.contentURL == right.contentURL
        default: false
        }
    }

    /// Hashes cache key and URL.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(cacheKey)
        hasher.combine(url)
    }
}
