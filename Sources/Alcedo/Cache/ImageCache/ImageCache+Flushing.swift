import AlcedoLocks
import Dispatch
public import Foundation

extension ImageCache {
    /// Waits until all stores, removals and clears that were called before are on disk.
    ///
    /// They are there for other processes and for the next run of the program; the kernel may still have to write them out.
    /// Also waits for what ``sharedCache`` still has to store or to delete, of which nothing that fails is an error.
    ///
    /// - Parameters:
    ///   - seconds: the longest time to wait.
    ///   - callbackQueue: the handler's queue; with `.untouch`, the default, any thread. The handler may block it.
    ///   - completionHandler: called once, with what is missing if something is.
    public func flush(
        within seconds: TimeInterval = 10, callbackQueue: CallbackQueue = .untouch,
        completionHandler: @escaping @Sendable (Result<Void, CacheFlushError>) -> Void
    ) {
        flushAll(within: seconds) { result in
            callbackQueue.executeElsewhere { completionHandler(result) }
        }
    }

    /// Waits until all stores, removals and clears that were called before are on disk.
    ///
    /// - Parameter seconds: the longest time to wait.
    /// - Throws: ``CacheFlushError`` with what is missing.
    public func flush(within seconds: TimeInterval = 10) async throws(CacheFlushError) {
        let result = OneShot<Void, CacheFlushError>()
        flushAll(within: seconds) { result.finish($0) }
        try await result.value()
    }

    private func flushAll(
        within seconds: TimeInterval, then: @escaping @Sendable (Result<Void, CacheFlushError>) -> Void
    ) {
        guard let shared = sharedCache else { return writes.flush(within: seconds, then: then) }
        let disk = Lock(Result<Void, CacheFlushError>.success(()))
        let isFlushed = Countdown(from: 2) { then(disk.withLock { $0 }) }
        writes.flush(within: seconds) { result in
            disk.withLock { $0 = result }
            isFlushed.step()
        }
        shared.flush(within: seconds) { isFlushed.step() }
    }
}

extension DiskWriteQueue {
    /// Calls `then` once: when all present jobs have run, or after `seconds`.
    func flush(
        within seconds: TimeInterval, then: @escaping @Sendable (Result<Void, CacheFlushError>) -> Void
    ) {
        let failuresBefore = failures
        let result = OnceCallback(then)
        let end: @Sendable (Int, Int) -> Void = { [self] count, bytes in
            let failed = failures - failuresBefore
            guard count + failed > 0 else { return result.call(.success(())) }
            result.call(
                .failure(CacheFlushError(pendingCount: count, pendingBytes: bytes, failedCount: failed)))
        }
        append { end(0, 0) }
        after(seconds) { [self] in
            let (count, bytes) = pending
            end(count, bytes)
        }
    }
}

/// Runs `body` after a time, on one of Dispatch's threads.
func after(_ seconds: TimeInterval, _ body: @escaping @Sendable () -> Void) {
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + max(0, seconds), execute: body)
}
