import AlcedoLocks
import Dispatch
import Foundation

extension ImageCache {
    /// Waits until all stores, removals and clears that were called before are on disk.
    ///
    /// They are there for other processes and for the next run of the program; the kernel may still have to write them out.
    /// Also waits for what ``sharedCache`` still has to store or to delete. Removals that it could not deliver are tried again
    /// before, and count as pending if they fail again; values that it could not store are no error.
    ///
    /// - Parameters:
    ///   - time: the longest time to wait.
    ///   - callbackQueue: the handler's queue; with `.untouch`, the default, any thread. The handler may block it.
    ///   - completionHandler: called once, with what is missing if something is.
    public func flush(
        within time: Duration = .seconds(10), callbackQueue: CallbackQueue = .untouch,
        completionHandler: @escaping @Sendable (Result<Void, CacheFlushError>) -> Void
    ) {
        flushAll(within: time.seconds) { result in
            callbackQueue.executeElsewhere { completionHandler(result) }
        }
    }

    /// Waits until all stores, removals and clears that were called before are on disk.
    ///
    /// - Parameter time: the longest time to wait.
    /// - Throws: ``CacheFlushError`` with what is missing.
    public func flush(within time: Duration = .seconds(10)) async throws(CacheFlushError) {
        let result = OneShot<Void, CacheFlushError>()
        flushAll(within: time.seconds) { result.finish($0) }
        try await result.value()
    }

    private func flushAll(
        within seconds: TimeInterval, then: @escaping @Sendable (Result<Void, CacheFlushError>) -> Void
    ) {
        guard let shared = sharedCache else { return flushDisk(within: seconds, then: then) }
        let start = DispatchTime.now().uptimeNanoseconds
        // Now, so that a disk that hangs does not take their time.
        shared.retryRemovals(insists: true)
        flushDisk(within: seconds) { result in
            // Then, because removals find variants on disk that have values there.
            let elapsed = TimeInterval(DispatchTime.now().uptimeNanoseconds - start) / 1e9
            shared.waitForQueue(within: max(0, seconds - elapsed)) { undelivered in
                var errors: [CacheFlushError] = []
                if case .failure(let error) = result { errors.append(error) }
                if undelivered > 0 {
                    errors.append(CacheFlushError(pendingCount: undelivered, pendingBytes: 0))
                }
                then(CacheFlushError(errors).map { .failure($0) } ?? .success(()))
            }
        }
    }

    private func flushDisk(
        within seconds: TimeInterval, then: @escaping @Sendable (Result<Void, CacheFlushError>) -> Void
    ) {
        writes.flush(
            within: seconds, after: { [self] in afterStores($0) },
            unqueued: { [self] in staged.withLock { $0.encodingCount } }, then: then)
    }

    /// Queues a job that changes nothing, after all stores before, also those that are still being encoded.
    ///
    /// With a key, not after those of other keys that are.
    func afterStores(
        ofKey key: String? = nil, stall: (@Sendable (DiskStallError) -> Void)? = nil,
        _ run: @escaping @Sendable () -> Void
    ) {
        staged.withLock { changes in
            changes.whenEncoded(key: key) { [writes] in writes.append(stall: stall, run) }
        }
    }

    /// Blocks until all stores of a key before are on disk; false if that takes longer than twice the time of a stall.
    func waitForStores(ofKey key: String) -> Bool {
        let (isEncoded, deadline) = (DispatchSemaphore(value: 0), writes.deadline)
        staged.withLock { changes in changes.whenEncoded(key: key) { isEncoded.signal() } }
        return isEncoded.wait(timeout: deadline) == .success && writes.flush(until: deadline)
    }
}

extension ImageCache: ExitFlush.Member {
    package var hasPendingChanges: Bool { !writes.isStalled && staged.withLock { !$0.isEmpty } }

    package func flushBeforeExit(within seconds: Double, then: @escaping @Sendable () -> Void) {
        flushDisk(within: seconds) { _ in then() }
    }
}
