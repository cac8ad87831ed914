import CDispatch
import Dispatch
import Foundation
import Glibc
import Synchronization

/// Threads of the library's own: Foundation's `Thread` doesn't tell if the system did not start one.
package enum DetachedThread {
    private final class Body: Sendable {
        let name: String
        let run: @Sendable () -> Void

        init(_ name: String, _ run: @escaping @Sendable () -> Void) { (self.name, self.run) = (name, run) }
    }

    private static let isCopy = Atomic(false)

    /// Sets ``isForked`` in copies of this process; registered with the first thread.
    private static let watchesForks: Bool = {
        // Initialised now: the handler, in the copy, must not wait for an initialisation that another thread has begun.
        _ = isCopy.load(ordering: .relaxed)
        return pthread_atfork(nil, nil, { DetachedThread.isCopy.store(true, ordering: .relaxed) }) == 0
    }()

    /// Whether `fork` has copied this process from one with threads, of which the copy has none.
    ///
    /// A wait for their work would never end.
    package static var isForked: Bool { isCopy.load(ordering: .relaxed) }

    /// Runs `body` on a new thread, which takes none of the program's signals.
    ///
    /// - Parameters:
    ///   - name: its name, of which the system shows 15 bytes.
    ///   - stackSize: its stack, in bytes; 0 for the system's default.
    ///   - body: what it runs.
    /// - Returns: 0, or the error: `EAGAIN` if the user or the control group may have no more threads, `EDEADLK` if
    ///   ``isForked``.
    package static func start(
        _ name: String, stackSize: Int = 0, _ body: @escaping @Sendable () -> Void
    ) -> Int32 {
        _ = watchesForks
        if isForked { return EDEADLK }
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        if stackSize > 0 { pthread_attr_setstacksize(&attributes, stackSize) }
        // A program may wait for its signals with `sigwait`, which needs them to be blocked in all threads. A new thread
        // has the mask of the one that starts it.
        var (blocked, former) = (sigset_t(), sigset_t())
        sigfillset(&blocked)
        // Not those of faults: the kernel ends a process at a blocked one without calling its handler.
        for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT] {
            sigdelset(&blocked, fault)
        }
        pthread_sigmask(SIG_SETMASK, &blocked, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        let box = Unmanaged.passRetained(Body(name, body))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, &attributes,
            { box in
                if let box {
                    let body = Unmanaged<Body>.fromOpaque(box).takeRetainedValue()
                    Thread.current.name = body.name
                    body.run()
                }
                return nil
            }, box.toOpaque())
        if status != 0 { box.release() }
        return status
    }

    /// Runs `body`, which may hang, on a new thread, and waits for it; on the calling thread if there can be no other.
    ///
    /// Not on a thread of Dispatch's: copies of a process that has used those have none.
    ///
    /// - Returns: its result; nil if it takes longer than so many seconds: then it continues in the background.
    @discardableResult
    package static func wait<Value: Sendable>(
        _ name: String, seconds: Int, _ body: @escaping @Sendable () -> Value
    ) -> Value? {
        let value = Lock<Value?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        let status = start(name) {
            let result = body()
            value.withLock { $0 = result }
            isDone.signal()
        }
        if status != 0 { return body() }
        return isDone.wait(timeout: .now() + .seconds(seconds)) == .success ? value.withLock { $0 } : nil
    }
}

/// The threads of a pool, of which the system may not start all at once.
package final class ThreadCrew: Sendable {
    package typealias Start = @Sendable (_ name: String, _ body: @escaping @Sendable () -> Void) -> Int32

    private let count: Int
    private let name: String
    private let start: Start
    private let started = Lock(0)
    private let isComplete = Atomic(false)

    package init(of count: Int, name: String, start: @escaping Start) {
        (self.count, self.name, self.start) = (count, name, start)
    }

    /// Starts the threads that are missing, each of which runs `body`.
    ///
    /// - Returns: 0 if there is a thread; otherwise the error of the system, `EDEADLK` in a copy that `fork` has made.
    @discardableResult
    package func fill(_ body: @escaping @Sendable () -> Void) -> Int32 {
        // Before the lock, which another thread may have had when this process was copied.
        if DetachedThread.isForked { return EDEADLK }
        // Each submitted block comes here; once all threads run, that needs no lock.
        if isComplete.load(ordering: .acquiring) { return 0 }
        // Starts threads under the lock, so that two callers start none twice.
        return started.withLock { started in
            while started < count {
                let status = start("\(name)-\(started + 1)", body)
                guard status == 0 else { return started == 0 ? status : 0 }
                started += 1
            }
            isComplete.store(true, ordering: .releasing)
            return 0
        }
    }
}
