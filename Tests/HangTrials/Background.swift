import AlcedoLocks
import Foundation

/// Work on a thread of its own, which may hang.
final class Background<Result: Sendable>: Sendable {
    private let end = DispatchSemaphore(value: 0)
    private let value = Lock<Result?>(nil)

    init(_ body: @escaping @Sendable () -> Result) {
        Thread { [self] in finish(body()) }.start()
    }

    init(_ body: @escaping @Sendable () async -> Result) {
        Task.detached { [self] in finish(await body()) }
    }

    /// Nil until it has ended.
    var result: Result? { value.withLock { $0 } }

    /// Blocks the thread until it has ended.
    func wait() -> Result? {
        end.wait()
        end.signal()
        return result
    }

    /// Blocks the thread until it has ended, or for so long.
    func wait(seconds: Double) -> Result? {
        if end.wait(timeout: .now() + seconds) == .success { end.signal() }
        return result
    }

    private func finish(_ result: Result) {
        value.withLock { $0 = result }
        end.signal()
    }
}
