import AlcedoLocks
import Dispatch

extension ImageCache {
    /// Removes an image and whatever processors made of it, under all extensions; that the disk can't is not reported.
    ///
    /// What earlier runs of the program or other processes stored on disk goes too. So does what was stored through the
    /// methods of a cache before this call; what its ``diskStorage`` was given directly under a key of its own does not.
    ///
    /// - Parameters:
    ///   - key: the key of the original.
    ///   - fromMemory: whether to remove them from memory, which is done when the call returns.
    ///   - fromDisk: whether to remove them from disk.
    ///   - callbackQueue: where the completion runs.
    ///   - completionHandler: called when they are removed.
    public func removeImages(
        forKey key: String,
        fromMemory: Bool = true,
        fromDisk: Bool = true,
        callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable () -> Void)? = nil
    ) {
        removeVariants(ofKey: key, fromMemory: fromMemory, fromDisk: fromDisk) { _ in
            if let completionHandler { callbackQueue.execute(completionHandler) }
        }
    }

    /// Removes an image and whatever processors made of it, under all extensions; returns when they are removed.
    ///
    /// - Parameters:
    ///   - key: the key of the original.
    ///   - fromMemory: whether to remove them from memory.
    ///   - fromDisk: whether to remove them from disk.
    /// - Throws: `diskStorageIsNotReady`; a `POSIXError` if a file can't be removed. That there is none is no error.
    public func removeImages(
        forKey key: String,
        fromMemory: Bool = true,
        fromDisk: Bool = true
    ) async throws {
        try await waiting {
            removeVariants(ofKey: key, fromMemory: fromMemory, fromDisk: fromDisk, then: $0)
        }
    }

    private func removeVariants(
        ofKey key: String,
        fromMemory: Bool,
        fromDisk: Bool,
        then: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        let removeFromMemory = {
            if fromMemory { self.memoryStorage.removeVariants(ofKey: key) }
        }
        guard fromDisk else {
            generations.noteRemoval(ofKey: key)
            removeFromMemory()
            return then(.success(()))
        }
        change { changes in
            generations.noteRemoval(ofKey: key)
            return (
                changes.removeVariants(ofKey: key),
                { [self] in
                    let result = Result { try diskStorage.removeVariants(ofKey: key) }
                    staged.withLock { $0.landRemovalOfVariants(ofKey: key) }
                    then(result)
                }
            )
        } memory: {
            removeFromMemory()
        }
    }
}
