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
        return attachments.withLock { attachments in
            if let pool = attachments.pools.first(where: { $0.longerSide == side && $0.pool != nil })?.pool {
                return pool
            }
            attachments.pools.removeAll { $0.pool == nil }
            attachments.pools.append(FramePoolReference(longerSide: side, pool: made))
            return made
        }
    }
}
