import AlcedoLocks

/// The progress of one transfer in bytes: a line on standard error, drawn at most ten times a second.
package final class ByteProgress: Sendable {
    private struct State {
        var lastDrawn: ContinuousClock.Instant?
        var isFinished = false
    }

    private let isVisible: Bool
    private let state = Lock(State())

    /// Creates a progress line that is drawn only if `isVisible`.
    package init(isVisible: Bool) { self.isVisible = isVisible }

    /// Shows that `received` of `total` bytes have been received.
    package func update(received: Int64, total: Int64) {
        guard isVisible, total > 0 else { return }
        let note = "\(byteText(Int(received))) / \(byteText(Int(total)))"
        let line = ProgressBar.line("Loading", percent: Int(min(received, total) * 100 / total), note: note)
        let now = ContinuousClock.now
        // Printed under the lock, because a line printed after `finish()` would stay on the screen.
        state.withLock { state in
            guard !state.isFinished, state.lastDrawn.map({ now - $0 >= .milliseconds(100) }) ?? true else {
                return
            }
            state.lastDrawn = now
            Terminal.drawStatus(line)
        }
    }

    /// Clears the line and stops drawing.
    package func finish() {
        state.withLock { state in
            if state.lastDrawn != nil, !state.isFinished { Terminal.drawStatus("") }
            state.isFinished = true
        }
    }
}
