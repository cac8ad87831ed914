import AlcedoLocks
import AlcedoTransport
import Dispatch
import Foundation

/// Where, if anywhere, the result of a store goes.
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
    /// Stores an image in memory, unless the options say by now that it is out of date.
    func keepInMemory(
        _ image: KFCrossPlatformImage,
        forKey key: String,
        options: KingfisherParsedOptionsInfo
    ) {
        guard let isOutOfDate = options.isOutOfDate else {
            return memoryStorage.store(
                value: image, forKey: key, identifier: options.processor.identifier,
                expiration: options.memoryCacheExpiration)
        }
        memoryStorage.store(
            value: image, forKey: key, identifier: options.processor.identifier,
            expiration: options.memoryCacheExpiration
        ) { _ in !isOutOfDate() }
    }

    /// Stages the image, calls `onceStaged`, and writes it in its turn; pixels are encoded on the worker threads meanwhile.
    func writeEncoded(
        _ image: KFCrossPlatformImage,
        original: Data?,
        forKey key: String,
        options: KingfisherParsedOptionsInfo,
        completion: StoreCompletion,
        onceStaged: () -> Void = {}
    ) {
        let encode: @Sendable () -> Result<Data, KingfisherError> = {
            let serializer = options.cacheSerializer
            if let data = serializer.data(with: image, original: original) { return .success(data) }
            return .failure(
                .cacheError(
                    reason: .cannotSerializeImage(image: image, original: original, serializer: serializer)))
        }
        // The default serializer takes the bytes that an unchanged image has; they need not wait for a worker.
        if image.encoded != nil, options.cacheSerializer is DefaultCacheSerializer {
            let data = encode()
            let value = (try? data.get()).map(StagedValue.data) ?? .image(image, original: original)
            let store = stage(value, forKey: key, options: options, completion: completion)
            onceStaged()
            store?.encoded(data)
        } else {
            let value = StagedValue.image(image, original: original)
            let store = stage(value, forKey: key, options: options, completion: completion)
            onceStaged()
            guard let store else { return }
            // With what made the image, so that neither starves the other.
            WorkerPool.shared.submit(priority: options.downloadPriority) { store.encoded(encode()) }
        }
    }

    /// Stores the bytes that an image was loaded from, on disk only, where a load without a processor finds them.
    ///
    /// The library's own serializers read any image, so the bytes are stored as they came. Another serializer, which may
    /// encrypt, makes of them what it will read; what is no image for the default processor is not stored then.
    func storeOriginal(
        _ data: Data,
        forKey key: String,
        options: KingfisherParsedOptionsInfo,
        completionHandler: @escaping @Sendable (CacheStoreResult) -> Void
    ) {
        var options = options
        options.processor = DefaultImageProcessor.default
        options.forcedExtension = nil
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

    /// Stages bytes and writes them in their turn.
    func writeBytes(
        _ data: Data,
        forKey key: String,
        options: KingfisherParsedOptionsInfo,
        completion: StoreCompletion
    ) {
        stage(.data(data), forKey: key, options: options, completion: completion)?.encoded(.success(data))
    }

    /// Lets every later lookup see a value, and adds its write to the queue, which waits until it is encoded.
    ///
    /// - Returns: the write; nil if there is none, of which the completion is told: the options say by now that the value is
    ///   out of date, or that it may be left out, and too much waits for the disk.
    private func stage(
        _ value: StagedValue,
        forKey key: String,
        options: KingfisherParsedOptionsInfo,
        completion: StoreCompletion
    ) -> StagedStore? {
        let identifier = options.processor.identifier
        let name = diskStorage.fileName(
            forKey: key.computedKey(with: identifier), forcedExtension: options.forcedExtension)
        let expiration = options.diskCacheExpiration ?? diskStorage.config.expiration
        // What has expired already is not stored.
        let isStored = DiskStamp(expiration, from: diskStorage.now()) != nil
        let overwrites = !options.diskStoreWriteOptions.contains(.withoutOverwriting)
        var refusal: DiskStallError?
        let (store, unread) = staged.withLock { changes -> (StagedStore?, StagedValue?) in
            // A removal is noted under this lock.
            if let isOutOfDate = options.isOutOfDate, isOutOfDate() { return (nil, nil) }
            // Where nothing older can be found instead.
            if options.isStoreOptional, !options.forceRefresh, case .landed = changes.lookup(name, key: key),
                let error = writes.refusal(ofOptional: value.byteCount + StagedStore.overhead)
            {
                refusal = error
                return (nil, nil)
            }
            generations.noteStore(ofKey: key, identifier: identifier)
            let (ticket, unread) =
                isStored ? changes.store(value, name: name, key: key, overwrites: overwrites) : (0, nil)
            let store = StagedStore(
                ticket: ticket, name: name, key: key, options: options, cache: self, completion: completion)
            writes.append(
                DiskWriteQueue.Job(prepare: store.waitUntilEncoded, store: store, run: store.write))
            return (store, unread)
        }
        withExtendedLifetime(unread) {}
        if let refusal {
            refuse(refusal, name: name, key: key, completion: completion)
        } else if store == nil {
            completion(.success(()))
        }
        return store
    }

    private func refuse(_ error: DiskStallError, name: String, key: String, completion: StoreCompletion) {
        let error = KingfisherError.cacheError(
            reason: .cannotCreateCacheFile(
                fileURL: diskStorage.url(of: name), key: key, data: Data(), error: error))
        memoryOnlyWarning.warn(of: error, in: diskStorage)
        completion(.failure(error))
    }

    /// Forgets a staged write that has landed or failed: from now on lookups ask the disk.
    func land(_ ticket: StagedChanges.Ticket, name: String) {
        let value = staged.withLock { $0.land(ticket, name: name) }
        withExtendedLifetime(value) {}
    }

    /// Writes on the calling thread, which is the queue's.
    func write(
        _ data: Data,
        forKey key: String,
        options: KingfisherParsedOptionsInfo
    ) -> Result<Void, KingfisherError> {
        defer { cleanIfDue() }
        return Result { () throws(KingfisherError) in
            try diskStorage.store(
                value: data,
                forKey: key,
                identifier: options.processor.identifier,
                expiration: options.diskCacheExpiration,
                writeOptions: options.diskStoreWriteOptions,
                forcedExtension: options.forcedExtension
            )
        }
    }

    /// Calls a callback form of storing as an async one.
    func storing(_ start: (@escaping @Sendable (CacheStoreResult) -> Void) -> Void) async throws {
        try await waiting { (finish: @escaping @Sendable (Result<Void, KingfisherError>) -> Void) in
            start { finish($0.diskCacheResult) }
        }
    }

    /// Calls a callback form as an async one.
    func waiting<Value: Sendable, Failure: Error>(
        _ start: (@escaping @Sendable (Result<Value, Failure>) -> Void) -> Void
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            start { continuation.resume(with: $0.mapError { $0 as any Error }) }
        }
    }

    /// Calls a callback form that can't fail as an async one.
    func finishing(_ start: (@escaping @Sendable () -> Void) -> Void) async {
        await withCheckedContinuation { continuation in start { continuation.resume() } }
    }
}
