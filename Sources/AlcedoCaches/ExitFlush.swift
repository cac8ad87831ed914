import AlcedoLocks
import Dispatch
import Glibc

/// Has `exit`, and so a return from `main`, wait until the disk has the changes of all caches, for up to ``limit``.
///
/// A signal that ends the process runs no code of it. A disk that hangs already is not waited for.
package enum ExitFlush {
    /// What may have changes that the disk does not have.
    package protocol Member: AnyObject, Sendable {
        /// Whether a wait makes sense.
        var hasPendingChanges: Bool { get }

        /// Calls `then` once: when the disk has all present changes, or after so many seconds.
        func flushBeforeExit(within seconds: Double, then: @escaping @Sendable () -> Void)
    }

    /// In seconds.
    static let limit = 2.0

    private struct Entry: Sendable { weak var member: (any Member)? }

    private struct State {
        var entries: [Entry] = []
        var isOff = false

        /// The end of the wait, from the first call of `exit` on.
        var deadline: DispatchTime?
        var nextPruning = 64
    }

    private static let state = Lock(State())

    /// A copy that `fork` has made has none of the threads that write.
    private static let process = getpid()

    /// Twice, as a thread that calls `exit` while another one is in it runs the handlers that are left and ends the process.
    private static let isInstalled = atexit { run() } == 0 && atexit { run() } == 0

    package static func add(_ member: any Member) {
        _ = (process, isInstalled)
        let entry = Entry(member: member)
        state.withLock { state in
            if state.entries.count >= state.nextPruning {
                state.entries.removeAll { $0.member == nil }
                state.nextPruning = max(64, 2 * state.entries.count)
            }
            state.entries.append(entry)
        }
    }

    /// Leaves the caches to the program, which has flushed them within limits of its own.
    package static func turnOff() { state.withLock { $0.isOff = true } }

    private static func run() {
        guard getpid() == process else { return }
        let (members, deadline) = state.withLock { state in
            let deadline = state.deadline ?? .now() + limit
            state.deadline = deadline
            return (state.isOff ? [] : state.entries.compactMap(\.member), deadline)
        }
        let group = DispatchGroup()
        for member in members where member.hasPendingChanges {
            group.enter()
            member.flushBeforeExit(within: limit) { group.leave() }
        }
        _ = group.wait(timeout: deadline)
    }
}
