#if SVG
    import AlcedoPixels
    import CRsvgShim

    /// Draws a document with librsvg.
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
                throw .limitExceeded(.pixels, value: size.area, limit: longestSide * longestSide)
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
#endif
