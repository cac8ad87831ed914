import AlcedoCodecs
public import AlcedoPixels
public import Foundation

/// Turns, mirrors and crops a JPEG without decoding its pixels, so that nothing is lost however often that is done.
///
/// ```swift
/// let turned = try JPEGTransform(turn: .right).apply(to: data)
/// ```
///
/// A JPEG consists of blocks of 8 or 16 pixels a side, which are moved and mirrored as they are. So a crop starts at the
/// borders of blocks: ``region(of:limits:)`` says where. A side that is no multiple of a block ends within one, and
/// some turns would bring that to its start: ``partialBlocks`` says what then. The new file has the colour profile of the old
/// one, and Huffman tables of its own, which often make it smaller. What follows its end, such as a gain map, is left out,
/// as are comments.
public struct JPEGTransform: Sendable, Hashable {
    /// What happens to blocks that the picture's edge cuts, where a turn would bring them to the left or upper edge.
    public enum PartialBlocks: Sendable, Hashable {
        /// ``apply(to:limits:)`` fails, and changes nothing.
        case reject

        /// They are left out: up to 15 pixels of a side.
        case trim
    }

    /// How the picture is turned or mirrored, seen as programs show it; as it is by default.
    ///
    /// `.right` is a quarter turn clockwise, `.left` one anticlockwise, `.down` half a turn; `.upMirrored` swaps left
    /// and right, `.downMirrored` top and bottom. The file's own orientation is applied before it, and is 1 in the new file.
    public var turn: ImageOrientation

    /// The part to keep, in pixels of the turned picture; nil, the default, for all of it.
    ///
    /// It grows to the left and to the top, up to the next borders of blocks, and is cut at the picture's edges.
    public var crop: CGRect?

    /// ``PartialBlocks/reject`` by default.
    public var partialBlocks: PartialBlocks

    /// What the new file keeps of EXIF, XMP and IPTC; everything but thumbnails by default.
    public var metadata: MetadataPolicy

    public init(
        turn: ImageOrientation = .up, crop: CGRect? = nil, partialBlocks: PartialBlocks = .reject,
        metadata: MetadataPolicy = .all
    ) {
        (self.turn, self.crop, self.partialBlocks, self.metadata) = (turn, crop, partialBlocks, metadata)
    }

    /// The new file, which is created on the calling thread: not for the main thread of a program with windows.
    ///
    /// It takes up to 12 bytes for each pixel, or 16 of a CMYK JPEG, and waits until ``DecodeBudget/shared`` has them.
    ///
    /// - Throws: ``CodecError``: if the bytes are no JPEG or damaged, exceed the limits, or their blocks
    ///   do not allow it.
    public func apply(to data: Data, limits: DecodeLimits = DecodeLimits()) throws(CodecError) -> Data {
        try apply(to: data, limits: limits, budget: .shared)
    }

    func apply(to data: Data, limits: DecodeLimits, budget: DecodeBudget) throws(CodecError) -> Data {
        let header = try header(of: data, limits)
        let transform = try transform(header)
        let cost = try JPEGCodec.memory(of: data.bytes, by: transform)
        let file = try budget.withReservation(of: cost) { () throws(CodecError) in
            try codecs.transformed(data.bytes, by: transform, limits: limits)
        }
        let blocks = MetadataBlocks(of: data.bytes, format: .jpeg, limit: limits.metadataBytes)
        let size = try codecs.info(of: file.span.bytes, limits: limits).size
        let kept = blocks.kept(by: metadata, orientation: .up).sized(size)
        return Data(kept.embedded(in: file, format: .jpeg))
    }

    /// The part of the turned picture that the new file has, in pixels; read from headers.
    ///
    /// For a program in which users select a part: this is what they will get.
    ///
    /// - Throws: ``CodecError``, as ``apply(to:limits:)``.
    public func region(of data: Data, limits: DecodeLimits = DecodeLimits()) throws(CodecError) -> CGRect {
        let region = try JPEGCodec.region(of: data.bytes, by: transform(header(of: data, limits)))
        return CGRect(x: region.x, y: region.y, width: region.width, height: region.height)
    }

    private func header(of data: Data, _ limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        let info = try codecs.info(of: data.bytes, limits: limits)
        guard info.format == .jpeg else {
            throw .encodingFailed(
                .jpeg, reason: "it is a \(info.format), and only JPEGs can be turned without decoding them")
        }
        return info
    }

    private func transform(_ header: ImageInfo) throws(CodecError) -> BlockTransform {
        let all = header.orientation.followed(by: turn)
        var frame: PixelFrame?
        if let crop {
            let size = all.upright(header.size)
            let (left, right) = Self.range(crop.minX, crop.maxX, in: size.width)
            let (top, bottom) = Self.range(crop.minY, crop.maxY, in: size.height)
            guard left < right, top < bottom else {
                throw .encodingFailed(
                    .jpeg, reason: "the part to keep, \(crop), is not in the picture of \(size) pixels")
            }
            frame = PixelFrame(x: left, y: top, width: right - left, height: bottom - top)
        }
        return BlockTransform(turn: all, crop: frame, trims: partialBlocks == .trim)
    }

    /// Whole pixels that cover a side of the part; none for a side that is no number.
    private static func range(_ first: CGFloat, _ last: CGFloat, in length: Int) -> (Int, Int) {
        guard !first.isNaN, !last.isNaN else { return (0, 0) }
        let bound = CGFloat(length)
        return (Int(min(max(first.rounded(.down), 0), bound)), Int(min(max(last.rounded(.up), 0), bound)))
    }
}
