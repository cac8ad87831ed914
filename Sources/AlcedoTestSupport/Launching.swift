import AlcedoLocks

/// Starts programs one at a time.
///
/// A program started concurrently inherits Foundation's pipes and the socket that reports the exit, so waiting for their
/// end would wait for that program too.
package enum Launching {
    private static let lock = Lock(())

    /// Calls `body`, which creates a program's pipes and starts it, under a lock.
    package static func alone<Result: Sendable>(_ body: () throws -> Result) rethrows -> Result {
        try lock.withLock { _ in try body() }
    }
}
