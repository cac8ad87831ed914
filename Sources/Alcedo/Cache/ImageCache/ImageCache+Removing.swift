import AlcedoLocks
import Dispatch

extension ImageCache {
    /// Removes an image and all its variants, under all extensions; does not report disk errors.
    ///
    /// This includes variants that earlier runs or other processes stored, but not values stored through ``diskStorage``
    /// directly. Memory is done when the call returns.
    public func removeImages(
        forKey key: String, fromMemory: Bool = true, fromDisk: Bool = true,
        callbackQueue: CallbackQueue = .untouch, completionHandler: (@Sendable () -> Void)? = nil
    ) {
        removeVariants(ofKey: key, fromMemory: fromMemory, fromDisk: fromDisk) { _ in
            if let completionHandler { callbackQueue.execute(completionHandler) }
        }
    }

    /// Removes an image and all its variants, under all extensions.
    ///
    /// - Throws: `diskStorageIsNotReady`; a `POSIXError` if a file can't be removed. A missing one is no error.
    public func removeImages(
        forKey key: String, fromMemory: Bool = true, fromDisk: Bool = true
    ) async throws {
        try await waiting {
            removeVariants(ofKey: key, fromMemory: fromMemory, fromDisk: fromDisk, then: $0)
        }
    }

    func remove(
        forKey key: String, identifier: String, forcedExtension: String?, fromMemory: Bool, fromDisk: Bool,
        then: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        let computedKey = key.computedKey(with: identifier)
        let memory = { if fromMemory { self.memoryStorage.remove(forKey: computedKey) } }
        guard fromDisk else { return removeFromMemory(memory, key: key, then: then) }
        removeShared(forKey: key, identifiers: [identifier], forcedExtension: forcedExtension)
        let name = diskStorage.fileName(forKey: computedKey, forcedExtension: forcedExtension)
        change { changes in
            generations.countRemoval(ofKey: key)
            let (ticket, discarded) = changes.remove(name: name, key: key)
            return (
                discarded.map { [$0] } ?? [],
                { [self] in
                    let result = Result {
                        try diskStorage.remove(forKey: computedKey, forcedExtension: forcedExtension)
                    }
                    complete(ticket, name: name)
                    then(result)
                }
            )
        } memory: {
            memory()
        }
    }

    private func removeVariants(
        ofKey key: String, fromMemory: Bool, fromDisk: Bool,
        then: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        let memory = {
            guard fromMemory else { return }
            self.memoryStorage.removeVariants(ofKey: key)
            self.responses.remove(forKey: key)
        }
        guard fromDisk else { return removeFromMemory(memory, key: key, then: then) }
        let known = memoryStorage.variants(ofKey: key).map(\.identifier)
        removeShared(forKey: key, identifiers: [""] + known)
        change { changes in
            generations.countRemoval(ofKey: key)
            return (
                changes.removeVariants(ofKey: key),
                { [self] in
                    if sharedCache != nil {
                        let identifiers = diskStorage.variants.identifiers(ofKey: key).values
                        removeShared(
                            forKey: key,
                            identifiers: Set(identifiers.compactMap { $0 }).subtracting(known + [""]))
                    }
                    let result = Result { try diskStorage.removeVariants(ofKey: key) }
                    staged.withLock { $0.completeRemovalOfVariants(ofKey: key) }
                    then(result)
                }
            )
        } memory: {
            memory()
        }
    }

    private func removeFromMemory(
        _ memory: () -> Void, key: String, then: @Sendable (Result<Void, any Error>) -> Void
    ) {
        generations.countRemoval(ofKey: key)
        memory()
        then(.success(()))
    }

    /// Stages a disk change, queues its job, then changes memory.
    ///
    /// The order matters. A read that started before the staging is not promoted, because the generation differs; a later
    /// read does not see the old file. Whatever is promoted in between is removed from memory here. The job waits until
    /// memory is changed, so that its completion handler finds both caches changed.
    ///
    /// - Parameters:
    ///   - stage: stages the change and counts the generation; returns the discarded values and the job, or nil if there
    ///     is nothing to change.
    ///   - memory: changes memory.
    func change(
        _ stage: (inout StagedChanges) -> (discarded: [StagedValue], job: @Sendable () -> Void)?,
        memory: () -> Void
    ) {
        let isMemoryChanged = DispatchSemaphore(value: 0)
        let discarded = staged.withLock { changes -> [StagedValue]? in
            guard let (discarded, job) = stage(&changes) else { return nil }
            writes.append(DiskWriteQueue.Job(prepare: { isMemoryChanged.wait() }, run: job))
            return discarded
        }
        guard let discarded else { return }
        memory()
        isMemoryChanged.signal()
        withExtendedLifetime(discarded) {}
    }

    /// Removes a staged change that is on disk or has failed.
    func complete(_ ticket: StagedChanges.Ticket, name: String) {
        let value = staged.withLock { $0.complete(ticket, name: name) }
        withExtendedLifetime(value) {}
    }
}
