#if SVG
    public import AlcedoPixels
    import CRsvgShim

    /// SVG through librsvg, read only; plain or packed with gzip.
    ///
    /// Drawn at the requested size. Except for the system's fonts, nothing outside the file is read: references to other files and
    /// to the network, scripts and animations are removed. Embedded images may have the formats of ``CodecRegistry``, and count
    /// against ``DecodeLimits/pixelsPerFrame`` together. The limit is 32 MiB of text; a document that is nested too deep, or would
    /// take too long to draw, is rejected before drawing.
    public struct SVGCodec: ImageCodec {
        public init() {}

        /// Discards what librsvg and Pango print about documents; for a process that only draws, once.
        package static func discardMessages() { crsvg_discard_messages() }

        /// Loads the C library's character encodings, for a process that soon may open no file.
        package static func loadEncodings() { SVGEncoding.load() }

        /// SVG if the first element is `svg`.
        public func format(of bytes: RawSpan) -> EncodedFormat? { SVGBytes.areSVG(bytes) ? .svg : nil }

        /// Reads the text once without drawing.
        ///
        /// The size is `width` and `height` of a style or attributes, else the view box, else 300 by 150, in pixels of which 96
        /// make an inch.
        public func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
            let document = try SVGDocument(bytes, limits: limits, withImages: false)
            let size = document.frame.pixelSize
            // Only what is drawn has to keep to the limit of pixels. This one keeps sums of areas from overflowing.
            guard size.area <= Self.largestArea else {
                throw .limitExceeded(.pixels, value: size.area, limit: Self.largestArea)
            }
            return ImageInfo(format: .svg, size: size, hasAlpha: true, isScalable: true)
        }

        /// The most pixels of a drawing at its own size, a million a side; larger than any real one.
        private static let largestArea = 1_000_000_000_000

        /// Draws at the size of ``DecodeOptions/atLeast``, stretched if its shape is another, else at its own size.
        public func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
            let document = try SVGDocument(bytes, limits: options.limits, withImages: true)
            let size = options.atLeast ?? document.frame.pixelSize
            try options.limits.check(frame: size, of: .svg)
            return try document.bitmap(
                at: size, natural: document.frame.size, limits: options.limits,
                keepsStraightAlpha: options.keepsStraightAlpha)
        }
    }
#endif
