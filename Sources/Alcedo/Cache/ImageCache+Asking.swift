extension ImageCache {
    /// Asks whether a cache has the image, the disk on the calling thread.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - identifier: the processor's identifier.
    ///   - forcedExtension: the extension that it was stored with.
    /// - Returns: whether one has.
    public func isCached(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> Bool {
        imageCachedType(
            forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension
        ).cached
    }

    /// Tells which cache has the image; asks the disk on a thread of its own.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - identifier: the processor's identifier.
    ///   - forcedExtension: the extension that it was stored with.
    ///   - callbackQueue: where the handler runs.
    ///   - completionHandler: called once.
    public func imageCachedTypeAsync(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil,
        callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: @escaping @Sendable (CacheType) -> Void
    ) {
        WorkerPool.diskReading.submit { [self] in
            let type = imageCachedType(
                forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension)
            callbackQueue.execute { completionHandler(type) }
        }
    }

    /// Asks which cache has the image, the disk on a thread of its own.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - identifier: the processor's identifier.
    ///   - forcedExtension: the extension that it was stored with.
    /// - Returns: the first one that has.
    public func imageCachedTypeAsync(
        forKey key: String,
        processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) async -> CacheType {
        await withCheckedContinuation { continuation in
            imageCachedTypeAsync(
                forKey: key,
                processorIdentifier: identifier,
                forcedExtension: forcedExtension,
                callbackQueue: .untouch
            ) { continuation.resume(returning: $0) }
        }
    }
}
