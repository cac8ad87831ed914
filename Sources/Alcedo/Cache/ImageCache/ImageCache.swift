import AlcedoLocks
import Dispatch
public import Foundation

/// A cache of images in memory, backed by a cache on disk.
///
/// Memory lookups are synchronous. Disk writes run one at a time in call order, once worker threads have encoded their
/// images; a serializer that hangs holds up only its own image, and calls that wait for all stores: a flush and the
/// size of the disk cache.
/// A lookup sees all calls before it: staged writes are served from memory, so no read waits for a write. While the disk hangs,
/// handlers of stores and removals get a ``DiskStallError`` after 5 to 10 s; what they were called for is done once it responds.
///
/// If the folder can't be written, images stay in memory only, and ``Diagnostic/memoryOnlyCache(folder:reason:)`` is sent
/// once. Expired files are removed after the first store, and then by a store every 10 minutes or more. Thread-safe.
///
/// `exit`, and so a return from `main`, waits up to 2 s for writes. A signal that ends the process does not: handle it, and
/// call ``KingfisherManager/shutdown(within:)``.
///
/// Safe because all properties are Sendable constants; a subclass is responsible for what it adds.
open class ImageCache: @unchecked Sendable {
    /// The cache of loads whose options name none.
    public static let `default` = ImageCache(name: "default").trimmedAutomatically()

    public let memoryStorage: MemoryStorage.Backend<KFCrossPlatformImage>

    public let diskStorage: DiskStorage.Backend<Data>

    let writes: DiskWriteQueue
    let reads: DiskReadQueue

    /// Lookups that need no disk.
    let stagedReads: DiskReadQueue

    /// Lookups that read the disk or a staged write.
    let lookups = CoalescedWork<LookupKey, DiskLookup>()

    /// What was read for the program's serializers.
    let serializing = SerializerBacklog()

    /// Changes that have not reached the disk; locked while ``writes`` gets its job.
    let staged = Lock(StagedChanges())
    let (generations, responses, sharedSlot) = (CacheGenerations(), ResponseTable(), SharedCacheSlot())

    /// Combines a memory and a disk cache.
    public init(
        memoryStorage: MemoryStorage.Backend<KFCrossPlatformImage>, diskStorage: DiskStorage.Backend<Data>
    ) {
        (self.memoryStorage, self.diskStorage) = (memoryStorage, diskStorage)
        let stallCheck = diskStorage.core.stallCheck
        (writes, reads) = (DiskWriteQueue(stallCheck: stallCheck), DiskReadQueue(stallCheck: stallCheck))
        stagedReads = DiskReadQueue(label: "alcedo.cache.staged", stallCheck: stallCheck)
        ExitFlush.add(self)
    }

    // MARK: - Store

    /// Stores an image under its key and the identifier of the options' processor, in the options' `writeLayers`.
    ///
    /// The image is in memory when the call returns. `original`, the encoded bytes it was created from, is for the
    /// serializer. The handler runs on the options' `callbackQueue` once the disk has the image too.
    open func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String,
        options: KingfisherParsedOptionsInfo, toDisk: Bool = true,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        let completion = StoreCompletion(queue: options.callbackQueue, handler: completionHandler)
        guard toDisk, options.writeLayers.contains(.disk) else {
            storeInMemory(image, forKey: key, options: options)
            return completion(.success(()))
        }
        writeEncoded(
            image, original: original, forKey: key, options: options, completion: completion,
            keepsInMemory: true)
    }

    /// Stores an image under its key and a processor's identifier.
    open func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String,
        processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        cacheSerializer serializer: any CacheSerializer = DefaultCacheSerializer.default,
        toDisk: Bool = true, callbackQueue: CallbackQueue = .untouch,
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

    /// Stores bytes on disk only; `expiration` is that of the disk storage's configuration if nil.
    open func storeToDisk(
        _ data: Data, forKey key: String, processorIdentifier identifier: String = "",
        forcedExtension: String? = nil, expiration: StorageExpiration? = nil,
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

    // MARK: - Retrieve

    /// Looks up an image in memory, then on disk unless the options forbid it, and promotes a disk hit to memory.
    ///
    /// An original that the serializer stores instead of a processed image is not promoted: the caller processes it.
    /// Undecodable bytes are a miss. The handler runs once on `callbackQueue`, for a memory hit possibly before this
    /// method returns.
    open func retrieveImage(
        forKey key: String, options: KingfisherParsedOptionsInfo,
        callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: (@Sendable (Result<ImageCacheResult, KingfisherError>) -> Void)?
    ) {
        guard let completionHandler else { return }
        retrieve(forKey: key, options: options) { result in
            callbackQueue.execute { completionHandler(result) }
        }
    }

    /// Looks up an image in memory, then on disk unless the options forbid it, and promotes a disk hit to memory.
    open func retrieveImage(
        forKey key: String, options: KingfisherOptionsInfo? = nil,
        callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: (@Sendable (Result<ImageCacheResult, KingfisherError>) -> Void)?
    ) {
        retrieveImage(
            forKey: key, options: KingfisherParsedOptionsInfo(options), callbackQueue: callbackQueue,
            completionHandler: completionHandler)
    }

    /// The image in memory; nil if there is none.
    open func retrieveImageInMemoryCache(
        forKey key: String, options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        memoryStorage.value(
            forKey: key.computedKey(with: options.processor.identifier),
            extendingExpiration: options.memoryCacheAccessExtendingExpiration)
    }

    /// The image in memory; nil if there is none.
    open func retrieveImageInMemoryCache(
        forKey key: String, options: KingfisherOptionsInfo? = nil
    ) -> KFCrossPlatformImage? {
        retrieveImageInMemoryCache(forKey: key, options: KingfisherParsedOptionsInfo(options))
    }

    /// Looks up an image on disk only, without promoting it; undecodable bytes are a miss.
    open func retrieveImageInDiskCache(
        forKey key: String, options: KingfisherOptionsInfo? = nil, callbackQueue: CallbackQueue = .untouch,
        completionHandler: @escaping @Sendable (Result<KFCrossPlatformImage?, KingfisherError>) -> Void
    ) {
        readDecoded(forKey: key, options: KingfisherParsedOptionsInfo(options)) { result in
            callbackQueue.execute { completionHandler(result) }
        }
    }

    // MARK: - Remove

    /// Removes an image, from memory before the call returns; does not report errors.
    ///
    /// Later lookups find nothing that was stored before. A load that has started before may store its image
    /// afterwards: cancel it first to prevent that. The handler runs once the disk and ``sharedCache`` have done it, or
    /// have failed.
    open func removeImage(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        fromMemory: Bool = true, fromDisk: Bool = true, callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable () -> Void)? = nil
    ) {
        remove(
            forKey: key, identifier: identifier, forcedExtension: forcedExtension, fromMemory: fromMemory,
            fromDisk: fromDisk
        ) { _ in
            if let completionHandler { callbackQueue.execute(completionHandler) }
        }
    }

    /// Removes all files of the disk cache; the handler runs on the main queue.
    open func clearDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
        clearDisk(callbackQueue: .mainAsync, then: handler)
    }

    /// Removes expired entries, and the least recently read files of a disk cache over its limit.
    ///
    /// The handler runs on the main queue.
    open func cleanExpiredCache(completion handler: (@Sendable () -> Void)? = nil) {
        cleanExpiredMemoryCache()
        cleanExpiredDiskCache(completion: handler)
    }

    /// Removes expired entries from memory.
    open func cleanExpiredMemoryCache() { memoryStorage.removeExpired() }

    /// Removes expired files, and the least recently read ones over the size limit.
    ///
    /// Posts `KingfisherDidCleanDiskCache` on the main queue if it removed a file. The handler runs there too.
    open func cleanExpiredDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
        cleanDisk(callbackQueue: .mainAsync, then: handler)
    }

    // MARK: - Inspect

    /// The first cache that has the image; reads the disk on the calling thread.
    open func imageCachedType(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> CacheType {
        if memoryStorage.isCached(forKey: key.computedKey(with: identifier)) { return .memory }
        return isOnDisk(forKey: key, identifier: identifier, forcedExtension: forcedExtension) ? .disk : .none
    }

    /// The name of the image's file, with its extension.
    open func hash(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> String {
        diskStorage.fileName(forKey: key.computedKey(with: identifier), forcedExtension: forcedExtension)
    }

    /// Adds up the bytes of all files; the handler runs on the main queue.
    open func calculateDiskStorageSize(
        completion handler: @escaping (@Sendable (Result<UInt, KingfisherError>) -> Void)
    ) {
        measureDisk(callbackQueue: .mainAsync, then: handler)
    }

    /// The bytes of all images in memory, including expired ones that no sweep has removed.
    open var memoryStorageCacheCost: Int { memoryStorage.totalCacheCost() }

    /// The path of the image's file, whether it exists or not.
    open func cachePath(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> String {
        diskStorage.cacheFileURL(
            forKey: key.computedKey(with: identifier), forcedExtension: forcedExtension
        ).path
    }

    /// The image's file, nil if it is missing or expired; waits up to 10 s for a staged write.
    open func cacheFileURLIfOnDisk(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> URL? {
        flushedFile(forKey: key, identifier: identifier, forcedExtension: forcedExtension)
    }
}

extension ImageCache {
    /// Returns the cache's folder, given the folder for all caches and the cache's name.
    public typealias DiskCachePathClosure = @Sendable (URL, String) -> URL

    /// A cache in the user's caches folder, with up to a quarter of the memory and no disk limit.
    ///
    /// The memory is the machine's, or a container's limit. If the folder can't be created, disk operations fail with
    /// `diskStorageIsNotReady`.
    ///
    /// - Parameter name: names the folder; must not be empty.
    public convenience init(name: String) {
        self.init(
            memoryStorage: .init(config: .quarterOfMemory),
            diskStorage: .init(unchecked: Self.diskConfig(name: name, directory: nil)))
    }

    /// A cache in a folder of your choice, with up to a quarter of the memory and no disk limit.
    ///
    /// - Parameters:
    ///   - name: names the folder; must not be empty.
    ///   - cacheDirectoryURL: the folder to create it in; nil for the user's caches folder.
    ///   - diskCachePathClosure: changes the folder's URL.
    /// - Throws: `cannotCreateDirectory`.
    public convenience init(
        name: String, cacheDirectoryURL: URL?, diskCachePathClosure: DiskCachePathClosure? = nil
    ) throws {
        var config = Self.diskConfig(name: name, directory: cacheDirectoryURL)
        if let diskCachePathClosure { config.cachePathBlock = diskCachePathClosure }
        self.init(
            memoryStorage: .init(config: .quarterOfMemory), diskStorage: try .init(config: config))
    }

    /// A cache in exactly this folder.
    ///
    /// If it can't be created, disk operations fail with `diskStorageIsNotReady`.
    package convenience init(name: String, folder: URL) {
        var config = Self.diskConfig(name: name, directory: folder)
        config.cachePathBlock = { folder, _ in folder }
        self.init(memoryStorage: .init(config: .quarterOfMemory), diskStorage: .init(unchecked: config))
    }

    private static func diskConfig(name: String, directory: URL?) -> DiskStorage.Config {
        precondition(!name.isEmpty, "a cache's name must not be empty")
        return DiskStorage.Config(name: name, sizeLimit: 0, directory: directory)
    }
}

extension MemoryStorage.Config {
    /// Up to a quarter of the memory that this process may use.
    static var quarterOfMemory: MemoryStorage.Config {
        MemoryStorage.Config(totalCostLimit: max(1, Int(clamping: MemoryAllowance().bytes / 4)))
    }
}

extension ImageCache {
    /// Whether a ``MemoryPressureMonitor`` and AlcedoGTK's windows trim this cache; true for ``default``, else false.
    ///
    /// A monitor evicts images from memory when memory gets short. When the last visible window of a program with
    /// AlcedoGTK's views is hidden, the cache does what ``trimInBackground()`` does.
    public var trimsAutomatically: Bool {
        get { ImageCacheRegistry.all.contains { $0 === self } }
        set { ImageCacheRegistry.set(self, isMember: newValue) }
    }

    /// Evicts the least recently used images from memory until their cost is at most a share of what it is.
    ///
    /// - Parameter share: from 0, which removes all, to 1.
    public func trimMemoryCache(toShare share: Double) {
        guard share > 0 else { return clearMemoryCache() }
        memoryStorage.trim(toCost: Int(Double(memoryStorage.totalCacheCost()) * min(share, 1)))
    }

    /// Frees memory and disk while the program is in the background.
    ///
    /// Removes expired entries from memory and disk, and evicts the less recently used half of the images in memory unless
    /// ``MemoryStorage/Config/keepWhenEnteringBackground`` is set.
    public func trimInBackground() {
        if !memoryStorage.config.keepWhenEnteringBackground { trimMemoryCache(toShare: 0.5) }
        cleanExpiredCache()
    }

    private func trimmedAutomatically() -> ImageCache {
        trimsAutomatically = true
        return self
    }

    /// Calls ``trimInBackground()`` for all caches that are trimmed automatically.
    package static func trimAllInBackground() {
        for cache in ImageCacheRegistry.all { cache.trimInBackground() }
    }
}
