import AlcedoLocks
import Dispatch

/// Collects the results of a removal's parts; passes on the first error when all have ended.
///
/// One of the disk comes before one of the shared cache, which tries again by itself.
private final class RemovalResult: Sendable {
    private let error = Lock<(any Error)?>(nil)
    private let remaining: Lock<Int>
    private let then: @Sendable (Result<Void, any Error>) -> Void

    init(ofParts count: Int, then: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        remaining = Lock(count)
        self.then = then
    }

    func end(_ part: Result<Void, any Error>) {
        if case .failure(let failure) = part {
            error.withLock { if $0 == nil || $0 is SharedCacheError { $0 = failure } }
        }
        let isLast = remaining.withLock { remaining in
            remaining -= 1
            return remaining == 0
        }
        if isLast { then(error.withLock { $0 }.map { .failure($0) } ?? .success(())) }
    }
}

extension ImageCache {
    /// Removes an image and all its variants, under all extensions; does not report errors.
    ///
    /// This includes variants that earlier runs or other processes stored, but not values stored through ``diskStorage``
    /// directly. Memory is done when the call returns, and later lookups find nothing that was stored before. A load that has
    /// begun before may store its image afterwards: cancel it first to prevent that. The handler runs once the disk and
    /// ``sharedCache`` have done it, or have failed.
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
    ///   ``SharedCacheError/removalPending`` if ``sharedCache`` could not do it yet.
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
        let result = RemovalResult(ofParts: 2, then: then)
        removeShared(
            forKey: key, identifiers: [identifier], forcedExtension: forcedExtension, then: result.end)
        let name = diskStorage.fileName(forKey: computedKey, forcedExtension: forcedExtension)
        let disk = OnceCallback(result.end)
        change { changes in
            generations.countRemoval(ofKey: key)
            let (ticket, discarded) = changes.remove(name: name, key: key)
            let remove: @Sendable () -> Void = { [self] in
                let onDisk = Result {
                    try diskStorage.remove(forKey: computedKey, forcedExtension: forcedExtension)
                }
                complete(ticket, name: name)
                disk.call(onDisk)
            }
            return Change(
                discarded: discarded.map { [$0] } ?? [], stall: { disk.call(.failure($0)) }, run: remove)
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
        let result = RemovalResult(ofParts: 3, then: then)
        removeShared(forKey: key, identifiers: [""] + known, then: result.end)
        let (disk, shared) = (OnceCallback(result.end), OnceCallback(result.end))
        change { changes in
            generations.countRemoval(ofKey: key)
            let remove: @Sendable () -> Void = { [self] in
                let identifiers =
                    sharedCache == nil ? [:] : diskStorage.core.variants.identifiers(ofKey: key)
                removeShared(
                    forKey: key,
                    identifiers: Set(identifiers.values.compactMap { $0 }).subtracting(known + [""]),
                    then: shared.call)
                let onDisk = Result { try diskStorage.removeVariants(ofKey: key) }
                staged.withLock { $0.completeRemovalOfVariants(ofKey: key) }
                disk.call(onDisk)
            }
            return Change(
                discarded: changes.removeVariants(ofKey: key),
                stall: { [diskStorage] error in
                    diskStorage.report(error)
                    disk.call(.failure(error))
                    shared.call(.success(()))
                }, run: remove)
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

    /// A change of the disk.
    struct Change {
        /// The values that it replaces before they were written.
        let discarded: [StagedValue]

        /// Ends the wait for it, once or again, as the disk hangs.
        var stall: (@Sendable (DiskStallError) -> Void)?

        let run: @Sendable () -> Void
    }

    /// Stages a disk change, queues its job, then changes memory.
    ///
    /// The order matters. A read that started before the staging is not promoted, because the generation differs; a later
    /// read does not see the old file. Whatever is promoted in between is removed from memory here. The job waits until
    /// memory is changed, so that its completion handler finds both caches changed.
    ///
    /// - Parameters:
    ///   - stage: stages the change and counts the generation; returns nil if there is nothing to change.
    ///   - memory: changes memory.
    func change(_ stage: (inout StagedChanges) -> Change?, memory: () -> Void) {
        let isMemoryChanged = DispatchSemaphore(value: 0)
        let discarded = staged.withLock { changes -> [StagedValue]? in
            guard let change = stage(&changes) else { return nil }
            writes.append(
                DiskWriteQueue.Job(
                    prepare: { isMemoryChanged.wait() }, stall: change.stall, run: change.run))
            return change.discarded
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
