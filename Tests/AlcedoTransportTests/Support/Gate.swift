import Foundation

/// Holds threads until it is opened; gives up after ten seconds, so that a failed test ends.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    /// Blocks the calling thread, one of those without which the program goes on.
    func pass() {
        if semaphore.wait(timeout: .now() + 10) == .success { semaphore.signal() }
    }

    func open() { semaphore.signal() }
}
