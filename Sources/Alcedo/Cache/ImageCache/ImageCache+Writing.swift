import AlcedoLocks
import AlcedoTransport
import Dispatch
import Foundation

/// The handler of a store's result, and its queue.
struct StoreCompletion: Sendable {
    let queue: CallbackQueue
    let handler: (@Sendable (CacheStoreResult) -> Void)?

    func callAsFunction(_ disk: Result<(), KingfisherError>) {
        guard let handler else { return }
        queue.execute { handler(CacheStoreResult(memoryCacheResult: .success(()), diskCacheResult: disk)) }
    }
}

/// Stands for a processor of which only the identifier is known.
struct ProcessorName: ImageProcessor {
    let identifier: String

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        DefaultImageProcessor.default.process(item: item, options: options)
    }
}

extension ImageCache {
    /// Stores an image in memory only, unless the options exclude it or their load was superseded.
    func storeInMemory(
        _ image: KFCrossPlatformImage, forKey key: String, options: KingfisherParsedOptionsInfo
    ) {
        guard options.writeLayers.contains(.memory) else { return }
        let identifier = options.processor.identifier
        // In one step under the lock of changes: an older image must not replace one that was stored meanwhile.
        let (insertion, record) = staged.withLock {
            changes -> (MemoryStorage.Core.Insertion?, StagedValue?) in
            if options.storeConditions.isSuperseded?() == true { return (nil, nil) }
            let record = dropResponse(forKey: key, replacedBy: options, in: &changes)
            generations.countStore(ofKey: key, identifier: identifier)
            return (insert(image, forKey: key, identifier: identifier, options: options), record)
        }
        withExtendedLifetime(record) {}
        if let insertion { memoryStorage.finish(insertion) }
    }

    /// Stores an image in memory, under the lock of staged changes.
    private func insert(
        _ image: KFCrossPlatformImage, forKey key: String, identifier: String,
        options: KingfisherParsedOptionsInfo
    ) -> MemoryStorage.Core.Insertion? {
        guard options.writeLayers.contains(.memory) else { return nil }
        return memoryStorage.insert(
            value: image, forKey: key, identifier: identifier, expiration: options.memoryCacheExpiration)
    }

    /// Stages an image, and queues its write once worker threads have encoded it.
    ///
    /// `keepsInMemory` stores it in memory, too, in one step with the staging: a removal that comes in between would miss it.
    func writeEncoded(
        _ image: KFCrossPlatformImage, original: Data?, forKey key: String,
        options: KingfisherParsedOptionsInfo, completion: StoreCompletion, keepsInMemory: Bool = false
    ) {
        let shared = SharedOptions(options)
        let encode: @Sendable () -> Result<Data, KingfisherError> = {
            let serializer = shared.value.cacheSerializer
            if let data = serializer.data(with: image, original: original) {
                shared.value.storeConditions.encoded?(data)
                return .success(data)
            }
            return .failure(
                .cacheError(
                    reason: .cannotSerializeImage(image: image, original: original, serializer: serializer)))
        }
        var value = StagedValue.image(image, original: original)
        // The default serializer stores an unchanged image's own bytes, which needs no worker.
        let isEncoded = image.encoded != nil && options.cacheSerializer is DefaultCacheSerializer
        let data = isEncoded ? encode() : nil
        if let bytes = try? data?.get() { value = .data(bytes) }
        let store = stage(
            value, inMemory: keepsInMemory ? image : nil, forKey: key, shared, completion: completion)
        guard let store else { return }
        if let data { return store.setData(data) }
        options.serialize(keeping: original?.count ?? 0) { store.setData(encode()) }
    }

    /// Stores bytes of an original on disk only, under the key without a processor.
    ///
    /// Alcedo's serializers read any image, so the bytes are stored unchanged. Another serializer, which may encrypt, gets
    /// the decoded image too; bytes that are no image fail then.
    func storeBytes(
        _ data: Data, forKey key: String, options: KingfisherParsedOptionsInfo,
        completionHandler: @escaping @Sendable (CacheStoreResult) -> Void
    ) {
        var options = options
        options.processor = DefaultImageProcessor.default
        let completion = StoreCompletion(queue: .untouch, handler: completionHandler)
        let serializer = options.cacheSerializer
        if serializer is DefaultCacheSerializer || serializer is FormatIndicatedCacheSerializer {
            return writeBytes(data, forKey: key, options: options, completion: completion)
        }
        guard let image = DefaultImageProcessor.default.process(item: .data(data), options: options) else {
            let reason = KingfisherError.CacheErrorReason.cannotSerializeImage(
                image: nil, original: data, serializer: serializer)
            return completion(.failure(.cacheError(reason: reason)))
        }
        writeEncoded(image, original: data, forKey: key, options: options, completion: completion)
    }

    /// Stages bytes and queues their write.
    func writeBytes(
        _ data: Data, forKey key: String, options: KingfisherParsedOptionsInfo, completion: StoreCompletion
    ) {
        stage(.data(data), forKey: key, SharedOptions(options), completion: completion)?
            .setData(.success(data))
    }

    /// Makes a value visible to later lookups, also in memory if there is an image for it.
    ///
    /// The caller encodes the value; its write is queued then.
    ///
    /// - Returns: nil, after calling the completion, if the load was superseded or if the store is optional and the write
    ///   queue is full.
    private func stage(
        _ value: StagedValue, inMemory image: KFCrossPlatformImage? = nil, forKey key: String,
        _ shared: SharedOptions, completion: StoreCompletion
    ) -> StagedStore? {
        let identifier = shared.value.processor.identifier
        let name = diskStorage.fileName(
            forKey: key.computedKey(with: identifier), forcedExtension: shared.value.forcedExtension)
        let expiration = shared.value.diskCacheExpiration ?? diskStorage.config.expiration
        let isExpired = DiskStamp(expiration, from: diskStorage.now()) == nil
        let overwrites = !shared.value.diskStoreWriteOptions.contains(.withoutOverwriting)
        var rejection: DiskStallError?
        var insertion: MemoryStorage.Core.Insertion?
        var record: StagedValue?
        let (store, discarded) = staged.withLock { changes -> (StagedStore?, StagedValue?) in
            // Changes are counted under this lock. Asked once: this store is a change, too.
            if shared.value.storeConditions.isSuperseded?() == true { return (nil, nil) }
            record = dropResponse(forKey: key, replacedBy: shared.value, in: &changes)
            // Memory changes even if the disk then rejects the store.
            generations.countStore(ofKey: key, identifier: identifier)
            insertion = image.flatMap {
                insert($0, forKey: key, identifier: identifier, options: shared.value)
            }
            // Not if an older value would be found instead.
            if shared.value.storeConditions.isOptional, !shared.value.forceRefresh,
                shared.value.readLayers.contains(.disk),
                case .notStaged = changes.lookup(name, key: key),
                let error = writes.rejection(ofOptional: value.byteCount + StagedStore.overhead)
            {
                rejection = error
                return (nil, nil)
            }
            let (ticket, discarded) =
                isExpired
                ? (changes.announce(name: name, key: key, overwrites: false), nil)
                : changes.store(value, name: name, key: key, overwrites: overwrites)
            let store = StagedStore(
                ticket: ticket, name: name, key: key, options: shared, cache: self, completion: completion)
            return (store, discarded)
        }
        withExtendedLifetime((discarded, record)) {}
        if let insertion { memoryStorage.finish(insertion) }
        if let rejection {
            let error = KingfisherError.cacheError(
                reason: .cannotCreateCacheFile(
                    fileURL: diskStorage.url(of: name), key: key, data: Data(), error: rejection))
            diskStorage.report(error)
            completion(.failure(error))
        } else if store == nil, completion.handler != nil {
            // After what has superseded it.
            let end = OnceCallback(completion.callAsFunction)
            writes.append(stall: { _ in end.call(.success(())) }) { end.call(.success(())) }
        }
        return store
    }

    /// Writes on the calling thread, which is the queue's.
    func write(
        _ data: Data, forKey key: String, options: KingfisherParsedOptionsInfo
    ) -> Result<Void, KingfisherError> {
        defer { cleanIfDue() }
        return Result { () throws(KingfisherError) in
            try diskStorage.store(
                value: data, forKey: key, identifier: options.processor.identifier,
                expiration: options.diskCacheExpiration, writeOptions: options.diskStoreWriteOptions,
                forcedExtension: options.forcedExtension)
        }
    }
}
