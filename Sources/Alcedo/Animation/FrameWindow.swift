import AlcedoLocks
import AlcedoPixels
import Foundation

/// One player's part of a ``FramePool``: the current frame and a few that follow.
final class FrameWindow: Sendable {
    /// The maximum number of decoded frames; at least two, the current one and the next.
    let capacity: Int

    private let pool: FramePool
    private let ticket: FramePool.Ticket

    /// Makes a window that is closed.
    ///
    /// - Parameters:
    ///   - pool: the animation's frames.
    ///   - capacity: the maximum number of decoded frames; values below two count as two.
    ///   - frameReady: called on a worker thread after each frame is decoded or found damaged.
    init(_ pool: FramePool, capacity: Int, frameReady: @escaping @Sendable (Int) -> Void) {
        self.pool = pool
        self.capacity = max(FrameDemand.least, capacity)
        ticket = pool.add(capacity: capacity, listener: frameReady)
    }

    deinit { pool.remove(ticket) }

    /// The number of frames before the first known damaged one.
    var count: Int { pool.count }

    /// The number of decoded frames.
    var decodedCount: Int { pool.decodedCount(for: ticket) }

    /// A frame; nil unless it is decoded.
    func frame(at index: Int) -> Bitmap? { pool.frame(at: index) }

    /// Moves the window to start at `index`, and decodes its frames.
    func move(to index: Int, isReversed: Bool = false) {
        pool.change(ticket) { demand in
            demand.position = index
            demand.isReversed = isReversed
            demand.isClosed = false
        }
    }

    /// Changes the direction of an open window.
    func turn(isReversed: Bool) { pool.change(ticket) { $0.isReversed = isReversed } }

    /// Frees all frames, or all but the current one; decoding stops until ``move(to:isReversed:)``.
    func close(keepingCurrent: Bool) {
        pool.change(ticket) { demand in
            demand.isClosed = true
            demand.keepsCurrent = keepingCurrent
        }
    }
}
