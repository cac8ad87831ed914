public import Foundation

/// The source of an image.
public enum Source: Sendable {
    /// The identifiers by which a view recognises its latest load.
    public enum Identifier {
        /// A number, incremented from 1.
        public typealias Value = UInt
    }

    case network(any Resource)
    case provider(any ImageDataProvider)

    public var cacheKey: String {
        switch self {
        case .network(let resource): resource.cacheKey
        case .provider(let provider): provider.cacheKey
        }
    }

    public var url: URL? {
        switch self {
        case .network(let resource): resource.downloadURL
        case .provider(let provider): provider.contentURL
        }
    }
}

extension Source: Hashable {
    public static func == (lhs: Source, rhs: Source) -> Bool {
        switch (lhs, rhs) {
        case (.network(let left), .network(let right)):
            left.cacheKey == right.cacheKey && left.downloadURL == right.downloadURL
        case (.provider(let left), .provider(let right)):
            left.cacheKey == right.cacheKey && left.contentURL == right.contentURL
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(cacheKey)
        hasher.combine(url)
    }
}

/// A URL and its cache key.
public protocol Resource: Sendable {
    var cacheKey: String { get }
    var downloadURL: URL { get }
}

extension Resource {
    /// The source of this resource: a file provider for a file URL, else a network source.
    ///
    /// `overrideCacheKey` replaces ``cacheKey``.
    public func convertToSource(overrideCacheKey: String? = nil) -> Source {
        let key = overrideCacheKey ?? cacheKey
        return downloadURL.isFileURL
            ? .provider(LocalFileImageDataProvider(resource: downloadURL, cacheKey: key))
            : .network(KF.ImageResource(downloadURL: downloadURL, cacheKey: key))
    }
}

extension URL: Resource {
    /// The absolute string; for a file, `kingfisher.local.cacheKey/` and the path's components, joined with slashes.
    ///
    /// The first component is `/`, so the key of `/a.png` is `kingfisher.local.cacheKey///a.png`. A path in an application
    /// bundle starts at the bundle; a query is part of the key. For a path that is not UTF-8 the absolute string.
    public var cacheKey: String { isFileURL && !path.isEmpty ? localFileCacheKey : absoluteString }

    public var downloadURL: URL { self }

    private var localFileCacheKey: String {
        let components = pathComponents
        let bundle = components.lastIndex { $0.hasSuffix(".app") || $0.hasSuffix(".appex") }
        let path = components[(bundle ?? 0)...].joined(separator: "/")
        return "kingfisher.local.cacheKey/" + path + (query.map { "?" + $0 } ?? "")
    }
}

/// The namespace of Kingfisher's short names.
public enum KF {}

/// The former name of ``KF/ImageResource``.
@available(*, deprecated, renamed: "KF.ImageResource")
public typealias ImageResource = KF.ImageResource

extension KF {
    /// A URL with a cache key of your choice.
    public struct ImageResource: Resource {
        public let cacheKey: String
        public let downloadURL: URL

        /// Creates a resource; a nil key is the URL's.
        public init(downloadURL: URL, cacheKey: String? = nil) {
            self.downloadURL = downloadURL
            self.cacheKey = cacheKey ?? downloadURL.cacheKey
        }
    }
}
