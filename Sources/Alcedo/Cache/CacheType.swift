/// Which cache an image came from, or is in.
public enum CacheType: Sendable {
    /// None: it was loaded or processed anew.
    case none
    /// Memory.
    case memory
    /// Disk.
    case disk

    /// Whether it is in any cache.
    public var cached: Bool { self != .none }
}

/// What a look-up in a cache found.
public enum ImageCacheResult: Sendable {
    /// Found on disk.
    case disk(KFCrossPlatformImage)
    /// Found in memory.
    case memory(KFCrossPlatformImage)
    /// Not found.
    case none

    /// The image, if one was found.
    public var image: KFCrossPlatformImage? {
        switch self {
        case .disk(let image), .memory(let image): image
        case .none: nil
        }
    }

    /// Where it was found.
    public var cacheType: CacheType {
        switch self {
        case .disk: .disk
        case .memory: .memory
        case .none: .none
        }
    }
}

/// What became of storing an image.
public struct CacheStoreResult: Sendable {
    /// Memory never refuses.
    public let memoryCacheResult: Result<(), Never>

    /// Success, or why the disk does not have it.
    public let diskCacheResult: Result<(), KingfisherError>
}
