import AlcedoLocks
import Foundation
import Synchronization

// A load's task goes on where its wait has ended, on the thread of the disk read or of the decoding that calls back: without a
// change of threads, and so that a completion that blocks is in the way of nothing else. After a wait that ends elsewhere, in the
// program's code or in Swift's own pool, it goes on in the worker pool; and where it is, if the callback was faster than the wait.

extension ImageLoad: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let thread = UInt(pthread_self())
        let isCallingBack = callingThread.compareExchange(
            expected: thread, desired: 0, ordering: .acquiringAndReleasing
        ).exchanged
        if isCallingBack { return job.runSynchronously(on: asUnownedTaskExecutor()) }
        WorkerPool.shared.submit(priority: options.downloadPriority) { [self] in
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Waits for a callback, which comes once, on a thread of the library's that holds no lock.
    ///
    /// Throws the load's cancellation if it never comes, because whoever was to call back has dropped it: a queue of the
    /// program's, for example, whose operations were cancelled.
    @inline(__always) nonisolated(nonsending) func callback<Value: Sendable>(
        _ start: (@escaping @Sendable (Value) -> Void) -> Void
    ) async throws(KingfisherError) -> Value {
        let value: Value? = await withUnsafeContinuation { waiter in
            let end = CallbackEnd(waiter, of: self)
            start { end.callBack($0) }
        }
        // The thread sanitizer does not see that a continuation hands its value over, but that this follows the callback's store.
        _ = callingThread.load(ordering: .acquiring)
        guard let value else { throw cancellation }
        return value
    }
}

/// Ends a load's wait, once: with a value, or with nil when it is dropped.
///
/// So the continuation needs no checks of its own, which take 1 % of the processor time of a load.
private final class CallbackEnd<Value: Sendable>: Sendable {
    private let waiter: UnsafeContinuation<Value?, Never>
    private let load: ImageLoad
    private let isCalled = Atomic(false)

    init(_ waiter: UnsafeContinuation<Value?, Never>, of load: ImageLoad) {
        (self.waiter, self.load) = (waiter, load)
    }

    deinit {
        if !isCalled.load(ordering: .relaxed) { waiter.resume(returning: nil) }
    }

    /// Has the load go on, on this thread.
    func callBack(_ value: Value) {
        guard !isCalled.exchange(true, ordering: .relaxed) else { return }
        let thread = UInt(pthread_self())
        load.callingThread.store(thread, ordering: .releasing)
        waiter.resume(returning: value)
        // Unless the load did not wait yet.
        _ = load.callingThread.compareExchange(expected: thread, desired: 0, ordering: .relaxed)
    }
}
