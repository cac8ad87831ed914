/// What to do with the blocks of an encoded picture, whose pixels are not decoded.
package struct BlockTransform: Hashable, Sendable {
    /// How stored pixels are turned.
    package var turn: ImageOrientation

    /// The part of the turned picture to keep; nil for all of it.
    package var crop: PixelFrame?

    /// Whether blocks that the picture's edge cuts may be left out where a turn would bring them to the start of rows.
    package var trims: Bool

    package init(turn: ImageOrientation = .up, crop: PixelFrame? = nil, trims: Bool = false) {
        (self.turn, self.crop, self.trims) = (turn, crop, trims)
    }
}

/// A codec of a format that stores blocks, which can be turned and left out without a loss.
package protocol BlockTransforming: ImageCodec {
    /// The file without metadata apart from a colour profile, in which its orientation is not recorded any more.
    ///
    /// - Throws: ``CodecError/encodingFailed(_:reason:)`` if the blocks do not allow it.
    func transformed(
        _ bytes: RawSpan, by transform: BlockTransform, limits: DecodeLimits
    ) throws(CodecError) -> [UInt8]
}
