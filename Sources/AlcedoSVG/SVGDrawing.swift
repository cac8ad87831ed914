import AlcedoCodecs
import AlcedoPixels
import CRsvgShim

extension SVGDocument {
    /// Draws it, of a `natural` size in pixels, stretched to `size`.
    ///
    /// - Returns: the drawing; opaque if every pixel is.
    /// - Throws: ``CodecError`` if drawing takes too long, exceeds `limits`, or librsvg can't.
    func bitmap(
        at size: PixelSize, natural: SVGExtent.Sides, limits: DecodeLimits, keepsStraightAlpha: Bool
    ) throws(CodecError) -> Bitmap {
        let text = try text(drawnAt: size, natural: natural, limits: limits)
        return try DeepStack.run { () throws(CodecError) in
            var pixels = try PixelBuilder(size: size, alpha: .premultiplied)
            pixels.alpha = try pixels.withUnsafeMutableBytes { output throws(CodecError) in
                try SVGDrawing.draw(text, natural: natural, into: output, size: size)
                let rows = PixelRows(output, size)
                // Some filters and blend modes leave colours that no premultiplied pixel can have.
                rows.limitToAlpha()
                if rows.isOpaque { return .opaque }
                guard keepsStraightAlpha else { return .premultiplied }
                rows.unpremultiply()
                return .straight
            }
            return pixels.freeze()
        }
    }
}

enum SVGDrawing {
    /// The longest side that cairo can draw on.
    private static let longestSide = 32_767

    /// Draws `text` of `natural` size, stretched to `output`.
    static func draw(
        _ text: [UInt8],
        natural: (width: Double, height: Double),
        into output: UnsafeMutableRawBufferPointer,
        size: PixelSize
    ) throws(CodecError) {
        guard max(size.width, size.height) <= longestSide else {
            throw .unsupported(
                .svg,
                reason: "a side of \(max(size.width, size.height)) pixels, the limit is \(longestSide)")
        }
        guard crsvg_is_available() else {
            throw .unsupported(.svg, reason: "librsvg is not installed")
        }
        output.initializeMemory(as: UInt8.self, repeating: 0)
        var message = [CChar](repeating: 0, count: Int(CRSVG_MESSAGE_SIZE))
        let pixels = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let (width, height) = (Int32(size.width), Int32(size.height))
        guard crsvg_draw(text, text.count, natural.width, natural.height, pixels, width, height, &message)
        else {
            let reason = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            throw .corrupt(.svg, reason: String(decoding: reason, as: UTF8.self))
        }
    }
}
