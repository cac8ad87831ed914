import AlcedoLocks

/// A progress bar on standard error; draws nothing without a terminal.
package final class ProgressBar: Sendable {
    private struct State {
        var done = 0
        var note = ""
        var drawnPercent = -1
        var isFinished = false
    }

    private let label: String
    private let total: Int
    private let isVisible: Bool
    private let state = Lock(State())

    /// Creates a bar for `total` steps.
    package init(_ label: String, total: Int, isVisible: Bool = Terminal.showsErrors) {
        self.label = label
        self.total = max(1, total)
        self.isVisible = isVisible
    }

    /// Sets the number of finished steps; `note` is printed after the bar.
    package func update(done: Int, note: String = "") {
        draw { state in
            state.done = max(state.done, done)
            state.note = note
        }
    }

    package func step(note: String = "") {
        draw { state in
            state.done += 1
            state.note = note
        }
    }

    /// Clears the line and stops drawing.
    package func finish() {
        state.withLock { state in
            if !state.isFinished, state.drawnPercent >= 0 { Terminal.drawStatus("") }
            state.isFinished = true
        }
    }

    private func draw(_ change: (inout State) -> Void) {
        guard isVisible else { return }
        // Drawn under the lock, because a line drawn after `finish()` would stay on the screen.
        state.withLock { state in
            change(&state)
            let percent = min(100, state.done * 100 / total)
            guard !state.isFinished, percent != state.drawnPercent else { return }
            state.drawnPercent = percent
            Terminal.drawStatus(Self.line(label, percent: percent, note: state.note))
        }
    }

    static func line(_ label: String, percent: Int, note: String) -> String {
        let width = max(10, min(40, Terminal.columns - label.count - 30))
        let filled = percent * width / 100
        let bar = String(repeating: "━", count: filled) + String(repeating: "╌", count: width - filled)
        return "\(label) \(bar) \(percent) % \(note)"
    }
}
