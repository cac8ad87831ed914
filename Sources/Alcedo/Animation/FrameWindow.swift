import AlcedoLocks
import AlcedoPixels
import Foundation

/// The frames of an animation that are decoded: the one to be seen and a few that follow.
///
/// They are decoded one at a time on the worker threads. Safe on every thread.
final class FrameWindow: Sendable {
    private struct State {
        var frames: [Int: Bitmap] = [:]
        /// The frame to be seen.
        var position = 0
        /// How many frames can be decoded: those before the first damaged one.
        var count: Int
        var isDecoding = false
        var isClosed = false

        /// The first frame that is wanted and not there.
        func missing(_ capacity: Int) -> Int? {
            guard !isClosed, count > 0 else { return nil }
            return (0..<min(capacity, count)).lazy.map { (position + $0) % count }
                .first { frames[$0] == nil }
        }

        /// Takes out what is not wanted, for the caller to free.
        mutating func removeUnwanted(_ capacity: Int) -> [Bitmap] {
            let unwanted = frames.keys.filter { $0 >= count || ($0 - position + count) % count >= capacity }
            return unwanted.compactMap { frames.removeValue(forKey: $0) }
        }
    }

    /// The most frames that are kept, at least two: the one to be seen and the next.
    let capacity: Int

    private let source: any ImageFrameSource
    private let maxSize: CGSize?
    private let arrived: @Sendable (Int) -> Void
    private let state: Lock<State>

    /// Makes a window on a source that nobody else asks.
    ///
    /// - Parameters:
    ///   - source: has at least one frame.
    ///   - capacity: the most frames to keep, but two in any case.
    ///   - maxSize: what the longer side is reduced to, in pixels; nil for no reduction.
    ///   - arrived: told, on a worker thread, of each frame that has been decoded or turned out to be damaged.
    init(
        _ source: any ImageFrameSource,
        capacity: Int,
        maxSize: CGSize?,
        arrived: @escaping @Sendable (Int) -> Void
    ) {
        self.source = source
        self.capacity = max(2, capacity)
        self.maxSize = maxSize
        self.arrived = arrived
        state = Lock(State(count: source.frameCount))
    }

    /// Frames that can be decoded, as far as is known.
    var count: Int { state.withLock { $0.count } }

    /// Frames that are decoded now.
    var decodedCount: Int { state.withLock { $0.frames.count } }

    /// A decoded frame; nil if it is not, or not any more.
    func frame(at index: Int) -> Bitmap? { state.withLock { $0.frames[index] } }

    /// Keeps and decodes what is to be seen from `index` on.
    func move(to index: Int) {
        let unwanted = state.withLock { state in
            state.position = index
            state.isClosed = false
            return state.removeUnwanted(capacity)
        }
        withExtendedLifetime(unwanted) {}
        decodeNext()
    }

    /// Frees all frames, or all but the one to be seen, and decodes no more until ``move(to:)``.
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
            arrived(index)
            decodeNext()
        }
    }

    private func decode(_ index: Int) {
        let bitmap = source.frame(at: index, maxSize: maxSize)
        let unwanted = state.withLock { state in
            state.isDecoding = false
            if let bitmap, !state.isClosed { state.frames[index] = bitmap }
            if bitmap == nil { state.count = min(state.count, index) }
            return state.removeUnwanted(capacity)
        }
        withExtendedLifetime(unwanted) {}
    }
}
