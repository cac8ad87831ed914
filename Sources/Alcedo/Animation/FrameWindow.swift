import AlcedoLocks
import AlcedoPixels
import Foundation

/// A window of decoded frames: the current frame and a few that follow.
///
/// Worker threads decode one frame at a time. Thread-safe.
final class FrameWindow: Sendable {
    private struct State {
        var frames: [Int: Bitmap] = [:]
        /// The index of the current frame.
        var position = 0
        /// The number of frames before the first damaged one.
        var count: Int
        var isDecoding = false
        var isClosed = false

        /// The first frame inside the window that is not decoded.
        func missing(_ capacity: Int) -> Int? {
            guard !isClosed, count > 0 else { return nil }
            return (0..<min(capacity, count)).lazy.map { (position + $0) % count }
                .first { frames[$0] == nil }
        }

        /// Evicts the frames outside the window; the caller frees them outside the lock.
        mutating func evictOutsideWindow(_ capacity: Int) -> [Bitmap] {
            let outside = frames.keys.filter { $0 >= count || ($0 - position + count) % count >= capacity }
            return outside.compactMap { frames.removeValue(forKey: $0) }
        }
    }

    /// The maximum number of decoded frames; at least two, the current one and the next.
    let capacity: Int

    private let source: any ImageFrameSource
    private let maxSize: CGSize?
    private let frameReady: @Sendable (Int) -> Void
    private let state: Lock<State>

    /// Makes a window of the frames of `source`, which nothing else may use.
    ///
    /// - Parameters:
    ///   - source: has at least one frame.
    ///   - capacity: the maximum number of decoded frames; values below two count as two.
    ///   - maxSize: frames are reduced to its longer side, in pixels; nil for no reduction.
    ///   - frameReady: called on a worker thread after each frame is decoded or found damaged.
    init(
        _ source: any ImageFrameSource,
        capacity: Int,
        maxSize: CGSize?,
        frameReady: @escaping @Sendable (Int) -> Void
    ) {
        self.source = source
        self.capacity = max(2, capacity)
        self.maxSize = maxSize
        self.frameReady = frameReady
        state = Lock(State(count: source.frameCount))
    }

    /// The number of frames before the first known damaged one.
    var count: Int { state.withLock { $0.count } }

    /// The number of decoded frames.
    var decodedCount: Int { state.withLock { $0.frames.count } }

    /// A frame; nil unless it is decoded.
    func frame(at index: Int) -> Bitmap? { state.withLock { $0.frames[index] } }

    /// Moves the window to start at `index`, and decodes its frames.
    func move(to index: Int) {
        let evicted = state.withLock { state in
            state.position = index
            state.isClosed = false
            return state.evictOutsideWindow(capacity)
        }
        withExtendedLifetime(evicted) {}
        decodeNext()
    }

    /// Frees all frames, or all but the current one; decoding stops until ``move(to:)``.
    func close(keepingCurrent: Bool) {
        let freed = state.withLock { state in
            state.isClosed = true
            let kept = keepingCurrent ? state.frames[state.position] : nil
            defer { state.frames = kept.map { [state.position: $0] } ?? [:] }
            return state.frames
        }
        withExtendedLifetime(freed) {}
    }

    private func decodeNext() {
        let index = state.withLock { state -> Int? in
            guard !state.isDecoding, let index = state.missing(capacity) else { return nil }
            state.isDecoding = true
            return index
        }
        guard let index else { return }
        WorkerPool.shared.submit { [self] in
            decode(index)
            frameReady(index)
            decodeNext()
        }
    }

    private func decode(_ index: Int) {
        let bitmap = source.frame(at: index, maxSize: maxSize)
        let evicted = state.withLock { state in
            state.isDecoding = false
            if let bitmap, !state.isClosed { state.frames[index] = bitmap }
            if bitmap == nil { state.count = min(state.count, index) }
            return state.evictOutsideWindow(capacity)
        }
        withExtendedLifetime(evicted) {}
    }
}
