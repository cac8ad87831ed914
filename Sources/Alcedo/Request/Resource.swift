public import Foundation

/// Something that can be downloaded, and the key under which it is cached.
public protocol Resource: Sendable {
    /// Names the image in the caches.
    var cacheKey: String { get }

    /// Where to get it from.
    var downloadURL: URL { get }
}

extension Resource {
    /// The source that loads this resource: a file URL is read as a file, every other URL is downloaded.
    ///
    /// A key given here takes the place of the resource's own.
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
    /// The first component is `/`, so that the key of `/a.png` is `kingfisher.local.cacheKey///a.png`. A path inside an
    /// application bundle counts from the bundle on, and a query is part of the key.
    public var cacheKey: String { isFileURL ? localFileCacheKey : absoluteString }

    /// The URL itself.
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
    /// A URL with a cache key of one's own.
    public struct ImageResource: Resource {
        /// Names the image in the caches.
        public let cacheKey: String

        /// Where to get it from.
        public let downloadURL: URL

        /// Pairs a URL with a key; without one, the URL's own key.
        public init(downloadURL: URL, cacheKey: String? = nil) {
            self.downloadURL = downloadURL
            self.cacheKey = cacheKey ?? downloadURL.cacheKey
        }
    }
}
