/// The cache that has an image, or that it came from.
public enum CacheType: Sendable {
    /// No cache: the image was loaded or processed.
    case none
    case memory
    case disk

    /// Whether a cache has the image.
    public var cached: Bool { self != .none }
}

/// The tier that has an image, or that it came from.
///
/// ``CacheType`` has no case for the shared cache, so that a `switch` over Kingfisher's three cases compiles.
public enum CacheTier: String, Sendable, Codable {
    /// No cache: the image was loaded or processed.
    case none
    case memory
    case disk
    /// The cache that machines share.
    case shared

    /// The tier of a cache.
    public init(_ type: CacheType) {
        switch type {
        case .none: self = .none
        case .memory: self = .memory
        case .disk: self = .disk
        }
    }
}

/// The result of a cache lookup.
public enum ImageCacheResult: Sendable {
    case disk(KFCrossPlatformImage)
    case memory(KFCrossPlatformImage)
    case none

    /// The image of a hit.
    public var image: KFCrossPlatformImage? {
        switch self {
        case .disk(let image), .memory(let image): image
        case .none: nil
        }
    }

    /// The cache that had it.
    public var cacheType: CacheType {
        switch self {
        case .disk: .disk
        case .memory: .memory
        case .none: .none
        }
    }
}

/// The result of a store.
public struct CacheStoreResult: Sendable {
    /// Always a success.
    public let memoryCacheResult: Result<(), Never>

    /// Why the disk cache could not store the image.
    public let diskCacheResult: Result<(), KingfisherError>
}
