import AlcedoLocks
public import Foundation

/// Async forms; each calls its callback form, so a subclass that overrides that changes both.
extension ImageCache {
    /// Stores an image; returns once the disk has it too.
    ///
    /// - Throws: ``KingfisherError`` if the disk can't store it.
    public func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String,
        options: KingfisherParsedOptionsInfo, toDisk: Bool = true
    ) async throws {
        var options = options
        options.callbackQueue = .untouch
        try await storing { [options] in
            store(
                image, original: original, forKey: key, options: options, toDisk: toDisk,
                completionHandler: $0)
        }
    }

    /// Stores an image; returns once the disk has it too.
    ///
    /// - Throws: ``KingfisherError`` if the disk can't store it.
    public func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String,
        processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        cacheSerializer serializer: any CacheSerializer = DefaultCacheSerializer.default,
        toDisk: Bool = true
    ) async throws {
        try await storing {
            store(
                image, original: original, forKey: key, processorIdentifier: identifier,
                forcedExtension: forcedExtension, cacheSerializer: serializer, toDisk: toDisk,
                callbackQueue: .untouch, completionHandler: $0)
        }
    }

    /// Stores bytes on disk only.
    ///
    /// - Throws: ``KingfisherError`` if the disk can't store them.
    public func storeToDisk(
        _ data: Data, forKey key: String, processorIdentifier identifier: String = "",
        forcedExtension: String? = nil, expiration: StorageExpiration? = nil
    ) async throws {
        try await storing {
            storeToDisk(
                data, forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension,
                expiration: expiration, callbackQueue: .untouch, completionHandler: $0)
        }
    }

    /// Looks up an image in memory, then on disk unless the options forbid it, and promotes a disk hit to memory.
    ///
    /// - Throws: ``KingfisherError`` if the disk can't be read. A miss is no error.
    public func retrieveImage(
        forKey key: String, options: KingfisherParsedOptionsInfo
    ) async throws -> ImageCacheResult {
        try await waiting {
            retrieveImage(forKey: key, options: options, callbackQueue: .untouch, completionHandler: $0)
        }
    }

    /// Looks up an image in memory, then on disk unless the options forbid it, and promotes a disk hit to memory.
    ///
    /// - Throws: ``KingfisherError`` if the disk can't be read. A miss is no error.
    public func retrieveImage(
        forKey key: String, options: KingfisherOptionsInfo? = nil
    ) async throws -> ImageCacheResult {
        try await retrieveImage(forKey: key, options: KingfisherParsedOptionsInfo(options))
    }

    /// Looks up an image on disk only; nil if there is none or it can't be decoded.
    ///
    /// - Throws: ``KingfisherError`` if the disk can't be read.
    public func retrieveImageInDiskCache(
        forKey key: String, options: KingfisherOptionsInfo? = nil
    ) async throws -> KFCrossPlatformImage? {
        try await waiting {
            retrieveImageInDiskCache(
                forKey: key, options: options, callbackQueue: .untouch, completionHandler: $0)
        }
    }

    /// Removes an image.
    ///
    /// - Throws: `diskStorageIsNotReady`; a `POSIXError` if the file can't be removed. A missing one is no error.
    ///   ``SharedCacheError/removalPending`` if ``sharedCache`` could not do it yet.
    public func removeImage(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        fromMemory: Bool = true, fromDisk: Bool = true
    ) async throws {
        try await waiting {
            remove(
                forKey: key, identifier: identifier, forcedExtension: forcedExtension,
                fromMemory: fromMemory, fromDisk: fromDisk, then: $0)
        }
    }

    /// Removes all images from memory and disk.
    public func clearCache() async {
        await finishing { clearDisk(callbackQueue: .untouch, memory: removeAllFromMemory, then: $0) }
    }

    /// Removes all files of the disk cache.
    public func clearDiskCache() async {
        await finishing { clearDisk(callbackQueue: .untouch, then: $0) }
    }

    /// Removes expired entries, and the least recently read files of a disk cache over its limit.
    public func cleanExpiredCache() async {
        cleanExpiredMemoryCache()
        await cleanExpiredDiskCache()
    }

    /// Removes expired files, and the least recently read ones over the size limit.
    public func cleanExpiredDiskCache() async {
        await finishing { cleanDisk(callbackQueue: .untouch, then: $0) }
    }

    /// The bytes of all files.
    public var diskStorageSize: UInt {
        get async throws { try await waiting { measureDisk(callbackQueue: .untouch, then: $0) } }
    }
}

extension ImageCache {
    private func storing(_ start: (@escaping @Sendable (CacheStoreResult) -> Void) -> Void) async throws {
        try await waiting { (finish: @escaping @Sendable (Result<Void, KingfisherError>) -> Void) in
            start { finish($0.diskCacheResult) }
        }
    }

    /// Calls a callback form as an async one.
    func waiting<Value: Sendable, Failure: Error>(
        _ start: (@escaping @Sendable (Result<Value, Failure>) -> Void) -> Void
    ) async throws -> Value {
        let result = OneShot<Value, Failure>()
        start { result.finish($0) }
        return try await result.value()
    }

    private func finishing(_ start: (@escaping @Sendable () -> Void) -> Void) async {
        let result = OneShot<Void, Never>()
        start { result.finish(.success(())) }
        await result.value()
    }
}
