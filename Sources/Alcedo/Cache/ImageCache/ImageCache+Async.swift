public import Foundation

/// The callback forms, to be awaited; a subclass that overrides those changes these too.
extension ImageCache {
    /// Stores an image; returns when it is stored.
    ///
    /// - Throws: ``KingfisherError`` if it is not on disk.
    public func store(
        _ image: KFCrossPlatformImage,
        original: Data? = nil,
        forKey key: String,
        options: KingfisherParsedOptionsInfo,
        toDisk: Bool = true
    ) async throws {
        var options = options
        options.callbackQueue = .untouch
        try await storing { [options] in
            store(
                image, original: original, forKey: key, options: options, toDisk: toDisk,
                completionHandler: $0)
        }
    }

    /// Stores an image; returns when it is stored.
    ///
    /// - Throws: ``KingfisherError`` if it is not on disk.
    public func store(
        _ image: KFCrossPlatformImage,
        original: Data? = nil,
        forKey key: String,
        processorIdentifier identifier: String = "",
        forcedExtension: String? = nil,
        cacheSerializer serializer: any CacheSerializer = DefaultCacheSerializer.default,
        toDisk: Bool = true
    ) async throws {
        try await storing {
            store(
                image,
                original: original,
                forKey: key,
                processorIdentifier: identifier,
                forcedExtension: forcedExtension,
                cacheSerializer: serializer,
                toDisk: toDisk,
                callbackQueue: .untouch,
                completionHandler: $0
            )
        }
    }

    /// Stores bytes on disk only; returns when they are stored.
    ///
    /// - Throws: ``KingfisherError`` if they are not.
    public func storeToDisk(
        _ data: Data,
        forKey key: String,
        processorIdentifier identifier: String = "",
        forcedExtension: String? = nil,
        expiration: StorageExpiration? = nil
    ) async throws {
        try await storing {
            storeToDisk(
                data,
                forKey: key,
                processorIdentifier: identifier,
                forcedExtension: forcedExtension,
                expiration: expiration,
                callbackQueue: .untouch,
                completionHandler: $0
            )
        }
    }

    /// Looks for an image in memory and then, unless the options forbid it, on disk; what the disk has goes to memory.
    ///
    /// - Throws: ``KingfisherError`` if the disk can't be read. That there is no image is no error.
    public func retrieveImage(
        forKey key: String,
        options: KingfisherParsedOptionsInfo
    ) async throws -> ImageCacheResult {
        try await waiting {
            retrieveImage(forKey: key, options: options, callbackQueue: .untouch, completionHandler: $0)
        }
    }

    /// Looks for an image in memory and then, unless the options forbid it, on disk; what the disk has goes to memory.
    ///
    /// - Throws: ``KingfisherError`` if the disk can't be read. That there is no image is no error.
    public func retrieveImage(
        forKey key: String,
        options: KingfisherOptionsInfo? = nil
    ) async throws -> ImageCacheResult {
        try await retrieveImage(forKey: key, options: KingfisherParsedOptionsInfo(options))
    }

    /// Looks for an image on disk only; nil if there is none or it can't be decoded.
    ///
    /// - Throws: ``KingfisherError`` if the disk can't be read.
    public func retrieveImageInDiskCache(
        forKey key: String,
        options: KingfisherOptionsInfo? = nil
    ) async throws -> KFCrossPlatformImage? {
        try await waiting {
            retrieveImageInDiskCache(
                forKey: key, options: options, callbackQueue: .untouch, completionHandler: $0)
        }
    }

    /// Removes an image; returns when it is removed.
    ///
    /// - Throws: `diskStorageIsNotReady`; a `POSIXError` if the file can't be removed. That there is none is no error.
    public func removeImage(
        forKey key: String,
        processorIdentifier identifier: String = "",
        forcedExtension: String? = nil,
        fromMemory: Bool = true,
        fromDisk: Bool = true
    ) async throws {
        try await waiting {
            remove(
                forKey: key,
                identifier: identifier,
                forcedExtension: forcedExtension,
                fromMemory: fromMemory,
                fromDisk: fromDisk,
                then: $0
            )
        }
    }

    /// Removes everything from memory and disk.
    public func clearCache() async {
        await finishing { finish in
            clearDisk(callbackQueue: .untouch, memory: clearMemoryCache, then: finish)
        }
    }

    /// Removes everything from disk.
    public func clearDiskCache() async {
        await finishing { clearDisk(callbackQueue: .untouch, then: $0) }
    }

    /// Removes what has expired, and from a disk cache over its limit what was read least recently.
    public func cleanExpiredCache() async {
        cleanExpiredMemoryCache()
        await cleanExpiredDiskCache()
    }

    /// Removes what has expired from disk, and over the limit what was read least recently.
    public func cleanExpiredDiskCache() async {
        await finishing { cleanDisk(callbackQueue: .untouch, then: $0) }
    }

    /// The bytes that the files on disk take.
    public var diskStorageSize: UInt {
        get async throws {
            try await waiting { measureDisk(callbackQueue: .untouch, then: $0) }
        }
    }
}
