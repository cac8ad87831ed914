import AlcedoLocks
import Foundation
import Synchronization

// A load's task continues on the thread that calls it back, that of a disk read or of decoding: without a change of
// threads, and so that a completion that blocks delays nothing else. After a wait that ends elsewhere, in the program's
// code or in Swift's own pool, it continues in the worker pool. The same applies if another thread calls back before the task
// is suspended, because it would stay on the thread of the wait before, which may be the program's.

/// Which threads run a load's task.
struct LoadThreads {
    /// The thread that runs it; 0 while it is suspended.
    var running: UInt = 0

    /// The thread that calls back and runs it next; 0 for the worker pool.
    var calling: UInt = 0

    /// Ends a wait for which the task is not suspended yet.
    var early: (@Sendable () -> Void)?
}

extension ImageLoad: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let thread = UInt(pthread_self())
        let isCallingBack = threads.withLock { threads in
            threads.calling == thread && exchange(&threads.calling, with: 0) == thread
        }
        if isCallingBack { return run(job) }
        WorkerPool.shared.submit(priority: options.downloadPriority) { [self] in run(job) }
    }

    private func run(_ job: UnownedJob) {
        willRunTask()
        job.runSynchronously(on: asUnownedTaskExecutor())
        didRunTask()
    }

    /// The task runs on this thread next, up to its next wait.
    func willRunTask() {
        let thread = UInt(pthread_self())
        threads.withLock { $0.running = thread }
    }

    /// The task is suspended, or has ended.
    func didRunTask() {
        let thread = UInt(pthread_self())
        let early = threads.withLock { threads -> (@Sendable () -> Void)? in
            // Another thread may run the task by now, if it was suspended by a change of executors.
            guard threads.running == thread else { return nil }
            threads.running = 0
            return threads.early.take()
        }
        early?()
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
        guard let value else { throw cancellation }
        return value
    }

    /// Whether the task is not suspended yet: then `resume` is called as soon as it is.
    @inline(never) fileprivate func isEarly(
        calling thread: UInt, _ resume: @autoclosure () -> @Sendable () -> Void
    ) -> Bool {
        threads.withLock { threads in
            guard threads.running != 0 else {
                threads.calling = thread
                return false
            }
            // The task itself calls back, and does not wait at all.
            guard threads.running != UInt(pthread_self()) else { return false }
            threads.early = resume()
            return true
        }
    }
}

/// Ends a load's wait, once: with a value, or with nil when it is dropped.
///
/// So the continuation needs no checks of its own, which take 1 % of the processor time of a load.
private final class CallbackEnd<Value: Sendable>: Sendable {
    private let waiter: UnsafeContinuation<Value?, Never>
    private let load: ImageLoad
    // Relaxed throughout: the continuation hands over the value, and `deinit` sees all before the last release.
    private let isCalled = Atomic(false)

    init(_ waiter: UnsafeContinuation<Value?, Never>, of load: ImageLoad) {
        (self.waiter, self.load) = (waiter, load)
    }

    deinit {
        // Not on this thread, which may hold a lock.
        if !isCalled.load(ordering: .relaxed) { resume(nil, calling: 0) }
    }

    /// Continues the load on this thread.
    func callBack(_ value: Value) {
        guard !isCalled.exchange(true, ordering: .relaxed) else { return }
        resume(value, calling: UInt(pthread_self()))
    }

    private func resume(_ value: Value?, calling thread: UInt) {
        let isEarly = load.isEarly(calling: thread, { [waiter] in waiter.resume(returning: value) })
        if !isEarly { waiter.resume(returning: value) }
    }
}
