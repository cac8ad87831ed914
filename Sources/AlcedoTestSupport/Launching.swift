import AlcedoLocks

/// Starting programs one at a time.
///
/// Foundation's pipes, and the socket by which it learns of a program's end, are inherited by whatever program is
/// started in the same moment; who waits for their end would wait for the end of that one, too.
package enum Launching {
    private static let turn = Lock(())

    /// Makes a program's pipes and starts it while no other is started.
    package static func alone<Result: Sendable>(_ body: () throws -> Result) rethrows -> Result {
        try turn.withLock { _ in try body() }
    }
}
