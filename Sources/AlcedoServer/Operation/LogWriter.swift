import Alcedo
import AlcedoLocks
import Dispatch
import Foundation

/// Writes lines on a queue of its own, so that an output that is full stops no request; lines beyond a bound are lost.
///
/// Lines that come within 5 ms of others are written together: waking the queue for each took a sixth of the time of a
/// request for an image in memory.
package final class LogWriter: Sendable {
    private struct State {
        var waiting: [String] = []
        /// Lines that are being written.
        var writing = 0
        /// Whether the queue will look for lines.
        var isScheduled = false
        var lost = 0
    }

    private let state = Lock(State())
    private let queue = DispatchQueue(label: "alcedo.log")
    private let write: @Sendable (String) -> Void
    private let bound: Int

    /// - Parameters:
    ///   - bound: lines that may wait.
    ///   - write: writes one or more lines; may block.
    package init(bound: Int = 10_000, write: @escaping @Sendable (String) -> Void) {
        self.bound = bound
        self.write = write
    }

    package var lost: Int { state.withLock { $0.lost } }

    /// Writes a line, later.
    package func append(_ line: String) {
        let schedules = state.withLock { state in
            guard state.waiting.count + state.writing < bound else {
                state.lost += 1
                return false
            }
            state.waiting.append(line)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if schedules { queue.async { self.writeWaiting() } }
    }

    private func writeWaiting() {
        while true {
            let lines = state.withLock { state in
                let lines = state.waiting
                state.waiting = []
                state.writing = lines.count
                state.isScheduled = !lines.isEmpty
                return lines
            }
            if lines.isEmpty { return }
            write(lines.joined())
            usleep(5000)
        }
    }

    /// Waits until all lines are written, at most for a time.
    package func flush(within seconds: Double) async {
        let end = OneShot<Void, Never>()
        queue.async { end.finish(.success(())) }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { end.finish(.success(())) }
        await end.value()
    }
}
