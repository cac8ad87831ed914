import AlcedoLocks
public import Foundation

// Rate and position; a change takes effect at once, also while the animation plays.

extension AnimatedImageView.Animator {
    /// The speed: 1 by default, 2 for double speed, negative for backward, 0 to pause.
    ///
    /// From 0.01 to 100 in either direction; other values are clamped, and those that are not finite have no effect. Formats
    /// are decoded forward only, so backward each run of half ``maxFrameCount`` frames costs a decoding of all frames
    /// before it; an animation whose frames fit into ``maxFrameCount`` is decoded once. A loop ends where it wraps around:
    /// to play once backward, seek to the last frame first.
    public var playbackRate: Double {
        get { timeline.withLock { $0.wantedRate } }
        set {
            guard newValue.isFinite, newValue != playbackRate else { return }
            let speed = newValue == 0 ? 0 : min(max(newValue.magnitude, 0.01), 100)
            timeline.withLock { $0.wantedRate = newValue < 0 ? -speed : speed }
            window.turn(isReversed: isReversed)
            wake()
        }
    }

    /// Shows a frame next: the one at `index`, clamped to the animation's frames.
    ///
    /// A finished animation can be played again from there.
    public func seek(toFrameAt index: Int) {
        let index = min(max(index, 0), max(window.count, 1) - 1)
        timeline.withLock { $0.seek(to: index) }
        showSought()
    }

    /// Shows the frame at `time` next, in seconds from the animation's start at a rate of 1; clamped to the animation.
    public func seek(to time: TimeInterval) {
        guard !time.isNaN else { return }
        let microseconds = Int64((min(max(time, 0), 1e9) * 1e6).rounded())
        let count = max(window.count, 1)
        timeline.withLock { $0.seek(toTime: .microseconds(microseconds), count: count) }
        showSought()
    }

    /// Whether the current frame was sought since the last ``update(at:)``.
    var hasSought: Bool { timeline.withLock { $0.hasSought } }

    /// Whether frames are needed in backward order.
    var isReversed: Bool { playbackRate < 0 }

    private func showSought() {
        window.move(to: currentFrameIndex, isReversed: isReversed)
        wake()
    }

    /// Wakes a playing animation, whether it sleeps or waits for a frame.
    private func wake() {
        changeSignal.notify()
        readySignal.notify()
    }
}
