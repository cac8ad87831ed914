import AlcedoLocks
import Foundation
import Glibc

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
        if end.wait(timeout: .now() + seconds * Patience.factor) == .success { end.signal() }
        return result
    }

    private func finish(_ result: Result) {
        value.withLock { $0 = result }
        end.signal()
    }
}

/// How much longer than on an idle machine everything may take: a last argument such as `patience=20`, for tests.
enum Patience {
    static let factor =
        CommandLine.arguments.last.flatMap { argument in
            argument.hasPrefix("patience=") ? Double(argument.dropFirst(9)) : nil
        } ?? 1
}

/// Prints a line so that it is seen at once, also in a file.
func say(_ line: String) {
    print(line)
    fflush(nil)
}

/// Blocks the thread for so long: a trial's load goes on at random moments, unlike a test.
func pause(seconds: Double) { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + seconds) }
