import AlcedoLocks
package import Foundation

/// Bytes on disk, changed in the background: what a program keeps that is no image.
///
/// Stores and removals return at once, and reach the disk in the order of the calls. A lookup sees all calls before it: staged
/// changes are served from memory, so no read waits for a write. While the disk hangs, lookups find nothing; stores are
/// reported as failed after 5 to 10 s, and up to 32 MiB of them are written once it responds. Expired entries are removed
/// after the first store, and then by a store every 10 minutes or more.
package final class EntryCache: Sendable {
    package typealias StoreHandler = @Sendable (Result<Void, DiskStorage.Failure>) -> Void

    /// The folder; its methods block.
    package let disk: DiskStorage.Core

    let reads: DiskReadQueue
    let writes: DiskWriteQueue
    fileprivate let faults = DiskFaultReport()

    /// The last change of each key that has not reached the disk; locked while ``writes`` gets its job.
    private let staged = Lock<[String: EntryChange]>([:])

    package init(_ disk: DiskStorage.Core) {
        self.disk = disk
        let stallCheck = disk.stallCheck
        (reads, writes) = (DiskReadQueue(stallCheck: stallCheck), DiskWriteQueue(stallCheck: stallCheck))
        ExitFlush.add(self)
    }

    /// Looks up an entry, without extending its expiry; calls `then` once, on the calling thread if a change of it is staged.
    package func find(_ key: String, then: @escaping @Sendable (Data?) -> Void) {
        if let change = staged.withLock({ $0[key] }) { return then(change.data) }
        reads.read { [disk] in
            try? disk.entry(forKey: key, forcedExtension: nil, extendingExpiration: .none)?.data
        } then: { result in
            then(try? result.get())
        }
    }

    /// Stores bytes; calls `then` once, when they are on disk or have failed.
    package func store(
        _ data: Data, forKey key: String, expiration: StorageExpiration?, then: @escaping StoreHandler
    ) {
        let byteCount = data.count + EntryChange.overhead
        let admission = writes.admit(byteCount, isOptional: false)
        guard case .rejected(let error) = admission else {
            return stage(
                EntryChange(
                    data, byteCount: byteCount, forKey: key, expiration: expiration, in: self, then: then))
        }
        let change = EntryChange(data, forKey: key, in: self, then: then)
        // Staged nevertheless: until its turn, the disk may lack earlier changes of the key (decision 0021).
        stage(change)
        change.fail(error)
    }

    /// Removes an entry, without reporting errors.
    package func remove(_ key: String) { stage(EntryChange(nil, forKey: key, in: self)) }

    private func stage(_ change: EntryChange) {
        // Queued under the lock, so that the last change of a key in the queue is the one in the table.
        let replaced = staged.withLock { staged in
            writes.append(
                DiskWriteQueue.Job(
                    store: change.isRemoval ? nil : change, stall: { change.reportStall($0) },
                    run: { [self] in apply(change) }))
            return staged.updateValue(change, forKey: change.key)
        }
        withExtendedLifetime(replaced) {}
    }

    private func apply(_ change: EntryChange) {
        let result = change.apply(to: disk)
        let last = staged.withLock { staged in
            staged[change.key] === change ? staged.removeValue(forKey: change.key) : nil
        }
        withExtendedLifetime(last) {}
        change.finish(result)
    }

    /// Waits until all stores and removals that were called before are on disk, for so many seconds at most.
    package func flush(within seconds: TimeInterval) async throws(CacheFlushError) {
        let result = OneShot<Void, CacheFlushError>()
        writes.flush(within: seconds, then: { result.finish($0) })
        try await result.value()
    }
}

extension EntryCache: ExitFlush.Member {
    package var hasPendingChanges: Bool { !writes.isStalled && staged.withLock { !$0.isEmpty } }

    package func flushBeforeExit(within seconds: Double, then: @escaping @Sendable () -> Void) {
        writes.flush(within: seconds, then: { _ in then() })
    }
}

/// A store or a removal that has not reached the disk.
private final class EntryChange: QueuedStore {
    private struct State {
        /// Nil for a removal, and for a store that has ended.
        var data: Data?

        /// The bytes that the queue counts.
        var byteCount = 0
        var isFinished = false

        /// Nil once it was called.
        var then: EntryCache.StoreHandler?
    }

    /// Bytes that a staged store needs besides its data.
    static let overhead = 4 << 10

    let key: String
    let isRemoval: Bool
    private let expiration: StorageExpiration?
    private let cache: EntryCache
    private let state: Lock<State>

    init(
        _ data: Data?, byteCount: Int = 0, forKey key: String, expiration: StorageExpiration? = nil,
        in cache: EntryCache, then: EntryCache.StoreHandler? = nil
    ) {
        (self.key, self.expiration, self.cache, isRemoval) = (key, expiration, cache, data == nil)
        state = Lock(State(data: data, byteCount: byteCount, then: then))
    }

    var data: Data? { state.withLock { $0.data } }
    var byteCount: Int { state.withLock { $0.byteCount } }
    var dataCount: Int { data?.count ?? 0 }
    var isFinished: Bool { state.withLock { $0.isFinished } }

    func releaseReservation() {}

    func apply(to disk: DiskStorage.Core) -> Result<Void, DiskStorage.Failure> {
        if isRemoval { try? disk.remove(forKey: key) }
        // None if the store has failed.
        guard let data else { return .success(()) }
        defer {
            disk.cleanIfDue { [weak disk] in
                _ = try? disk?.removeExpiredValues()
                _ = try? disk?.removeSizeExceededValues()
            }
        }
        return Result { () throws(DiskStorage.Failure) in
            try disk.store({ data }, forKey: key, expiration: expiration)
        }
    }

    /// Fails a store.
    ///
    /// Until its job runs, lookups find nothing: the file on disk may be older than other staged changes.
    func fail(_ error: DiskStallError) { finish(.failure(failure(error))) }

    /// Reports a store as failed, as the disk hangs; it stays, and is written once the disk responds.
    func reportStall(_ error: DiskStallError) {
        guard let then = state.withLock({ $0.then.take() }) else { return }
        cache.faults.report(error, in: cache.disk)
        then(.failure(failure(error)))
    }

    func finish(_ result: Result<Void, DiskStorage.Failure>) {
        let ended = state.withLock { exchange(&$0, with: State(isFinished: true)) }
        guard !isRemoval, !ended.isFinished else { return }
        let error: DiskStorage.Failure? = if case .failure(let error) = result { error } else { nil }
        cache.writes.release(ended.byteCount, hasFailed: error != nil)
        if let cause = error?.cause { cache.faults.report(cause, in: cache.disk) }
        ended.then?(result)
    }

    private func failure(_ error: DiskStallError) -> DiskStorage.Failure {
        .file(name: cache.disk.fileName(forKey: key, forcedExtension: nil), data: Data(), error)
    }
}
