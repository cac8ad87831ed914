import AlcedoLocks

/// A player's window of frames, and a second one of another size until that has the frame that is shown.
final class FrameWindows: Sendable {
    private struct State {
        var current: FrameWindow
        var next: FrameWindow?
    }

    private let state: Lock<State>

    init(_ window: FrameWindow) { state = Lock(State(current: window)) }

    var current: FrameWindow { state.withLock { $0.current } }

    private var all: [FrameWindow] { state.withLock { [$0.current, $0.next].compactMap(\.self) } }

    func move(to index: Int, isReversed: Bool) {
        for window in all { window.move(to: index, isReversed: isReversed) }
    }

    func turn(isReversed: Bool) {
        for window in all { window.turn(isReversed: isReversed) }
    }

    func close(keepingCurrent: Bool) {
        for window in all { window.close(keepingCurrent: keepingCurrent) }
    }

    /// Takes frames from another window once that has the frame that is shown; nil to keep the present one.
    func prepare(_ next: FrameWindow?) {
        let old = state.withLock { exchange(&$0.next, with: next) }
        withExtendedLifetime(old) {}
    }

    /// Takes frames from the other window if it has the frame at `index`; true if it does so from now on.
    func switchIfReady(at index: Int) -> Bool {
        guard let next = state.withLock({ $0.next }), next.frame(at: index) != nil else { return false }
        // Windows are freed outside the lock.
        let old = state.withLock { state -> FrameWindow? in
            guard state.next === next else { return nil }
            state.next = nil
            return exchange(&state.current, with: next)
        }
        return old != nil
    }
}
