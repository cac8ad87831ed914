public import Foundation

/// Where an image comes from.
public enum Source: Sendable {
    /// Numbers requests, so that a view can tell its latest one.
    public enum Identifier {
        /// A number, counted up from 1.
        public typealias Value = UInt
    }

    /// Something to download.
    case network(any Resource)

    /// Something that hands over bytes by itself.
    case provider(any ImageDataProvider)

    /// Names the image in the caches.
    public var cacheKey: String {
        switch self {
        case .network(let resource): resource.cacheKey
        case .provider(let provider): provider.cacheKey
        }
    }

    /// The address, where there is one.
    public var url: URL? {
        switch self {
        case .network(let resource): resource.downloadURL
        case .provider(let provider): provider.contentURL
        }
    }
}

extension Source: Hashable {
    /// Whether both are the same kind of source with the same cache key and address.
    public static func == (lhs: Source, rhs: Source) -> Bool {
        switch (lhs, rhs) {
        case (.network(let left), .network(let right)):
            left.cacheKey == right.cacheKey && left.downloadURL == right.downloadURL
        case (.provider(let left), .provider(let right)):
            left.cacheKey == right.cacheKey && left.contentURL == right.contentURL
        default: false
        }
    }

    /// Hashes key and address.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(cacheKey)
        hasher.combine(url)
    }
}
