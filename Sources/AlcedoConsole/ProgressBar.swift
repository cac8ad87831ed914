import AlcedoLocks

/// One line on standard error that is drawn over as work goes on; without a terminal, silence.
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

    /// A bar for `total` steps, drawn only on a terminal.
    package init(_ label: String, total: Int, isVisible: Bool = Terminal.showsErrors) {
        self.label = label
        self.total = max(1, total)
        self.isVisible = isVisible
    }

    /// Says that `done` steps are done; `note` stands behind the bar.
    package func update(done: Int, note: String = "") {
        draw { state in
            state.done = max(state.done, done)
            state.note = note
        }
    }

    /// Says that one more step is done.
    package func step(note: String = "") {
        draw { state in
            state.done += 1
            state.note = note
        }
    }

    /// Wipes the line, so that something else can be printed; the next change draws it again.
    package func clear() {
        let wasDrawn = state.withLock { state in
            defer { state.drawnPercent = -1 }
            return !state.isFinished && state.drawnPercent >= 0
        }
        if wasDrawn { Terminal.printError(Self.clearing) }
    }

    /// Wipes the line; nothing is drawn after that.
    package func finish() {
        let wasDrawn = state.withLock { state in
            defer { state.isFinished = true }
            return !state.isFinished && state.drawnPercent >= 0
        }
        if wasDrawn { Terminal.printError(Self.clearing) }
    }

    private func draw(_ change: (inout State) -> Void) {
        guard isVisible else { return }
        let line: String? = state.withLock { state in
            change(&state)
            let percent = min(100, state.done * 100 / total)
            guard !state.isFinished, percent != state.drawnPercent else { return nil }
            state.drawnPercent = percent
            return Self.line(label, percent: percent, note: state.note)
        }
        if let line { Terminal.printError(line) }
    }

    /// What clears the line.
    static let clearing = "\r\u{1B}[K"

    /// A line that takes the place of the one before.
    static func line(_ label: String, percent: Int, note: String) -> String {
        let width = max(10, min(40, Terminal.columns - label.count - 30))
        let filled = percent * width / 100
        let bar = String(repeating: "━", count: filled) + String(repeating: "╌", count: width - filled)
        return "\(clearing)\(label) \(bar) \(percent) % \(note)"
    }
}
