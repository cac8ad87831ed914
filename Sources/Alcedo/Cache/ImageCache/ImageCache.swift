import AlcedoLocks
import Dispatch
public import Foundation

/// The two caches of images: memory, and behind it the disk.
///
/// Memory answers at once, on the calling thread. Writes to the disk run one after another in the order of the calls;
/// images are encoded on the worker threads meanwhile. Every lookup sees the calls before it: what has not landed on the
/// disk is answered from memory, so no read waits for a write or an encoder.
///
/// Where the disk's folder can't be written, images are kept in memory only; a line on the standard error says so, once.
/// What has expired is removed from the disk after the first store, and then by a store every ten minutes or more.
///
/// Safe because it is made of constants that are Sendable; a subclass answers for what it adds.
open class ImageCache: @unchecked Sendable {
    /// Changes the folder of a disk cache: given the folder for caches and the cache's name, returns the cache's folder.
    public typealias DiskCachePathClosure = @Sendable (URL, String) -> URL

    /// The cache that everything uses unless told otherwise.
    public static let `default` = ImageCache(name: "default")

    /// The cache in memory.
    public let memoryStorage: MemoryStorage.Backend<KFCrossPlatformImage>

    /// The cache on disk.
    public let diskStorage: DiskStorage.Backend<Data>

    let writes: DiskWriteQueue
    let reads: DiskReadQueue
    let stagedAnswers = DispatchQueue(label: "alcedo.cache.staged", attributes: .concurrent)

    /// What has been called for and has not landed on the disk; added to ``writes`` under the same lock.
    let staged = Lock(StagedChanges())
    let generations = CacheGenerations()
    let lastCleaning = Lock<Date?>(nil)
    let memoryOnlyWarning: MemoryOnlyWarning

    /// A cache made of these two.
    public init(
        memoryStorage: MemoryStorage.Backend<KFCrossPlatformImage>,
        diskStorage: DiskStorage.Backend<Data>
    ) {
        self.memoryStorage = memoryStorage
        self.diskStorage = diskStorage
        memoryOnlyWarning = MemoryOnlyWarning()
        writes = DiskWriteQueue(stallCheck: .standard)
        reads = DiskReadQueue(stallCheck: .standard)
    }

    init(
        memoryStorage: MemoryStorage.Backend<KFCrossPlatformImage>,
        diskStorage: DiskStorage.Backend<Data>,
        warning: MemoryOnlyWarning,
        stallCheck: DiskStallCheck = .standard
    ) {
        self.memoryStorage = memoryStorage
        self.diskStorage = diskStorage
        memoryOnlyWarning = warning
        writes = DiskWriteQueue(stallCheck: stallCheck)
        reads = DiskReadQueue(stallCheck: stallCheck)
    }

    // MARK: - Storing

    /// Stores an image under its key and the identifier of the options' processor.
    ///
    /// - Parameters:
    ///   - image: the image; in memory when the call returns.
    ///   - original: the bytes that it was made from, for the serializer.
    ///   - key: the key.
    ///   - options: processor, serializer, expirations, file extension and the callback's queue.
    ///   - toDisk: whether it is stored on disk too.
    ///   - completionHandler: called when all is stored, on the options' `callbackQueue`.
    open func store(
        _ image: KFCrossPlatformImage,
        original: Data? = nil,
        forKey key: String,
        options: KingfisherParsedOptionsInfo,
        toDisk: Bool = true,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        let keep = { self.keepInMemory(image, forKey: key, options: options) }
        let completion = StoreCompletion(queue: options.callbackQueue, handler: completionHandler)
        guard toDisk else {
            keep()
            return completion(.success(()))
        }
        writeEncoded(
            image, original: original, forKey: key, options: options, completion: completion, onceStaged: keep
        )
    }

    /// Stores an image under its key and a processor's identifier.
    ///
    /// - Parameters:
    ///   - image: the image; in memory when the call returns.
    ///   - original: the bytes that it was made from, for the serializer.
    ///   - key: the key.
    ///   - identifier: the identifier of the processor that made it; empty by default.
    ///   - forcedExtension: an extension for the file's name.
    ///   - serializer: makes the file's content.
    ///   - toDisk: whether it is stored on disk too.
    ///   - callbackQueue: where the completion runs.
    ///   - completionHandler: called when all is stored.
    open func store(
        _ image: KFCrossPlatformImage,
        original: Data? = nil,
        forKey key: String,
        processorIdentifier identifier: String = "",
        forcedExtension: String? = nil,
        cacheSerializer serializer: any CacheSerializer = DefaultCacheSerializer.default,
        toDisk: Bool = true,
        callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        var options = KingfisherParsedOptionsInfo(nil)
        options.processor = ProcessorName(identifier: identifier)
        options.cacheSerializer = serializer
        options.callbackQueue = callbackQueue
        options.forcedExtension = forcedExtension
        store(
            image, original: original, forKey: key, options: options, toDisk: toDisk,
            completionHandler: completionHandler)
    }

    /// Stores bytes on disk only.
    ///
    /// - Parameters:
    ///   - data: the bytes.
    ///   - key: the key.
    ///   - identifier: the identifier of the processor that made them; empty by default.
    ///   - forcedExtension: an extension for the file's name.
    ///   - expiration: how long; nil for the storage's configuration.
    ///   - callbackQueue: where the completion runs.
    ///   - completionHandler: called when they are stored.
    open func storeToDisk(
        _ data: Data,
        forKey key: String,
        processorIdentifier identifier: String = "",
        forcedExtension: String? = nil,
        expiration: StorageExpiration? = nil,
        callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        var options = KingfisherParsedOptionsInfo(nil)
        options.forcedExtension = forcedExtension
        options.diskCacheExpiration = expiration
        options.processor = ProcessorName(identifier: identifier)
        let completion = StoreCompletion(queue: callbackQueue, handler: completionHandler)
        writeBytes(data, forKey: key, options: options, completion: completion)
    }

    // MARK: - Retrieving

    /// Looks for an image in memory and then, unless the options forbid it, on disk; what the disk has goes to memory.
    ///
    /// An original that the options' serializer keeps in place of a processed image does not: it is the caller who
    /// processes it. What can't be decoded counts as not found. Without a handler nothing happens.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - options: processor, serializer, scale, what a hit extends, and `loadDiskFileSynchronously`.
    ///   - callbackQueue: where the handler runs.
    ///   - completionHandler: called once; a hit in memory may call it before this method returns.
    open func retrieveImage(
        forKey key: String,
        options: KingfisherParsedOptionsInfo,
        callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: (@Sendable (Result<ImageCacheResult, KingfisherError>) -> Void)?
    ) {
        guard let completionHandler else { return }
        if let image = retrieveImageInMemoryCache(forKey: key, options: options) {
            return callbackQueue.execute { completionHandler(.success(.memory(image))) }
        }
        if options.fromMemoryCacheOrRefresh {
            return callbackQueue.execute { completionHandler(.success(.none)) }
        }
        let snapshot = generations.snapshot(forKey: key, identifier: options.processor.identifier)
        readDecoded(forKey: key, options: options) { [self] result in
            let found = result.map { image -> ImageCacheResult in
                guard let image else { return .none }
                if !options.hitNeedsProcessing {
                    promote(image, forKey: key, options: options, since: snapshot)
                }
                return .disk(image)
            }
            callbackQueue.execute { completionHandler(found) }
        }
    }

    /// Looks for an image in memory and then, unless the options forbid it, on disk; what the disk has goes to memory.
    ///
    /// An original that the options' serializer keeps in place of a processed image does not: it is the caller who
    /// processes it. What can't be decoded counts as not found. Without a handler nothing happens.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - options: processor, serializer, scale, what a hit extends, and `loadDiskFileSynchronously`.
    ///   - callbackQueue: where the handler runs.
    ///   - completionHandler: called once; a hit in memory may call it before this method returns.
    open func retrieveImage(
        forKey key: String,
        options: KingfisherOptionsInfo? = nil,
        callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: (@Sendable (Result<ImageCacheResult, KingfisherError>) -> Void)?
    ) {
        retrieveImage(
            forKey: key,
            options: KingfisherParsedOptionsInfo(options),
            callbackQueue: callbackQueue,
            completionHandler: completionHandler
        )
    }

    /// The image in memory, at once; nil if there is none.
    open func retrieveImageInMemoryCache(
        forKey key: String,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        memoryStorage.value(
            forKey: key.computedKey(with: options.processor.identifier),
            extendingExpiration: options.memoryCacheAccessExtendingExpiration
        )
    }

    /// The image in memory, at once; nil if there is none.
    open func retrieveImageInMemoryCache(
        forKey key: String,
        options: KingfisherOptionsInfo? = nil
    ) -> KFCrossPlatformImage? {
        retrieveImageInMemoryCache(forKey: key, options: KingfisherParsedOptionsInfo(options))
    }

    /// Looks for an image on disk only; it does not go to memory.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - options: processor, serializer, scale, what a hit extends, and `loadDiskFileSynchronously`.
    ///   - callbackQueue: where the handler runs.
    ///   - completionHandler: called once, with nil if there is no image or it can't be decoded.
    open func retrieveImageInDiskCache(
        forKey key: String,
        options: KingfisherOptionsInfo? = nil,
        callbackQueue: CallbackQueue = .untouch,
        completionHandler: @escaping @Sendable (Result<KFCrossPlatformImage?, KingfisherError>) -> Void
    ) {
        readDecoded(forKey: key, options: KingfisherParsedOptionsInfo(options)) { result in
            callbackQueue.execute { completionHandler(result) }
        }
    }

    // MARK: - Removing

    /// Removes an image; that the disk can't is not reported.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - identifier: the identifier of the processor that made it; empty by default.
    ///   - forcedExtension: the extension that it was stored with.
    ///   - fromMemory: whether to remove it from memory, which is done when the call returns.
    ///   - fromDisk: whether to remove it from disk.
    ///   - callbackQueue: where the completion runs.
    ///   - completionHandler: called when it is removed.
    open func removeImage(
        forKey key: String,
        processorIdentifier identifier: String = "",
        forcedExtension: String? = nil,
        fromMemory: Bool = true,
        fromDisk: Bool = true,
        callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable () -> Void)? = nil
    ) {
        remove(
            forKey: key,
            identifier: identifier,
            forcedExtension: forcedExtension,
            fromMemory: fromMemory,
            fromDisk: fromDisk
        ) { _ in
            if let completionHandler { callbackQueue.execute(completionHandler) }
        }
    }

    // MARK: - Clearing and cleaning

    /// Removes everything from memory and disk; the handler is called on the main queue.
    public func clearCache(completion handler: (@Sendable () -> Void)? = nil) {
        // The disk first, so that no read that begins meanwhile brings an image back into memory.
        let isCleared = Countdown(from: 2) {
            if let handler { CallbackQueue.mainAsync.execute(handler) }
        }
        clearDiskCache { isCleared.step() }
        clearMemoryCache()
        isCleared.step()
    }

    /// Removes everything from disk; the handler is called on the main queue.
    open func clearDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
        clearDisk(callbackQueue: .mainAsync, then: handler)
    }

    /// Removes what has expired, and from a disk cache over its limit what was read least recently.
    ///
    /// The handler is called on the main queue.
    open func cleanExpiredCache(completion handler: (@Sendable () -> Void)? = nil) {
        cleanExpiredMemoryCache()
        cleanExpiredDiskCache(completion: handler)
    }

    /// Removes what has expired from memory.
    open func cleanExpiredMemoryCache() {
        memoryStorage.removeExpired()
    }

    /// Removes what has expired from disk, and over the limit what was read least recently.
    ///
    /// If anything was removed, `KingfisherDidCleanDiskCache` is posted on the main queue. The handler is called there
    /// too, in any case.
    open func cleanExpiredDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
        cleanDisk(callbackQueue: .mainAsync, then: handler)
    }

    // MARK: - Asking

    /// Asks which cache has the image, the disk on the calling thread.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - identifier: the processor's identifier.
    ///   - forcedExtension: the extension that it was stored with.
    /// - Returns: the first one that has.
    open func imageCachedType(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> CacheType {
        if memoryStorage.isCached(forKey: key.computedKey(with: identifier)) { return .memory }
        return isOnDisk(forKey: key, identifier: identifier, forcedExtension: forcedExtension) ? .disk : .none
    }

    /// Names the image's file.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - identifier: the processor's identifier.
    ///   - forcedExtension: the extension that it was stored with.
    /// - Returns: the name, with its extension.
    open func hash(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> String {
        diskStorage.fileName(
            forKey: key.computedKey(with: identifier), forcedExtension: forcedExtension)
    }

    /// Sums up the bytes that the files on disk take; the handler is called on the main queue.
    open func calculateDiskStorageSize(
        completion handler: @escaping (@Sendable (Result<UInt, KingfisherError>) -> Void)
    ) {
        measureDisk(callbackQueue: .mainAsync, then: handler)
    }

    /// The bytes that images in memory cost, expired ones that no sweep has removed yet included.
    open var memoryStorageCacheCost: Int { memoryStorage.totalCacheCost() }

    /// Tells where the image's file is, or would be.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - identifier: the processor's identifier.
    ///   - forcedExtension: the extension that it was stored with.
    /// - Returns: its path.
    open func cachePath(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> String {
        diskStorage.cacheFileURL(
            forKey: key.computedKey(with: identifier), forcedExtension: forcedExtension
        ).path
    }

    /// Looks for the image's file.
    ///
    /// Waits for one that is still to be written, for 10 s at most.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - identifier: the processor's identifier.
    ///   - forcedExtension: the extension that it was stored with.
    /// - Returns: where it is; nil if there is none or it has expired.
    open func cacheFileURLIfOnDisk(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> URL? {
        landedFile(forKey: key, identifier: identifier, forcedExtension: forcedExtension)
    }
}
