import AlcedoLocks
import AlcedoPixels
import Foundation

/// An image's pool of frames at one size, for as long as a player uses it.
struct FramePoolReference: Sendable {
    let longerSide: Double
    weak var pool: FramePool?
}

extension Image {
    /// The pool of the animation's frames, which all players of the image share; nil for a still image.
    ///
    /// A preloaded animation has its frames already, so its pool only refers to them.
    ///
    /// - Parameters:
    ///   - maxSize: frames are reduced to its longer side, in pixels; nil for no reduction.
    ///   - budget: counts the frames of a new pool.
    /// - Returns: a pool of one frame or more.
    func framePool(maxSize: CGSize?, budget: FrameBudget) -> FramePool? {
        let side = maxSize.map { Double(max($0.width, $0.height)) } ?? .infinity
        let bytes = pixelSize.fitted(longerSide: side).area * 4
        if let animation {
            return FramePool(DecodedFrames(animation), maxSize: maxSize, frameBytes: bytes, budget: nil)
        }
        guard let source = kf.frameSource?.copy(), source.frameCount > 0 else { return nil }
        let made = FramePool(source, maxSize: maxSize, frameBytes: bytes, budget: budget)
        // The pools that are looked at are freed after the lock, as their last players may go away meanwhile.
        let (pool, seen) = attachments.withLock { attachments -> (FramePool, [FramePool]) in
            let living = attachments.pools.map { (side: $0.longerSide, pool: $0.pool) }
            let seen = living.compactMap(\.pool)
            if let pool = living.first(where: { $0.side == side && $0.pool != nil })?.pool {
                return (pool, seen)
            }
            attachments.pools = zip(attachments.pools, living).filter { $1.pool != nil }.map { $0.0 }
            attachments.pools.append(FramePoolReference(longerSide: side, pool: made))
            return (made, seen)
        }
        withExtendedLifetime(seen) {}
        return pool
    }
}
