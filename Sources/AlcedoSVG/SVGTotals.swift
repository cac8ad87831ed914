#if SVG
    import AlcedoPixels

    /// What a document and the SVGs in its pictures take of the limits together.
    ///
    /// A class, because the documents count in turn.
    final class SVGTotals {
        private var sums: [String: Double] = [:]
        private var pixels = 0
        private var bytes = 0

        /// Adds work, which `what` names with its unit; throws if it is more than `limit` together.
        func add(_ value: Double, limit: Double, _ what: String) throws(CodecError) {
            let sum = sums[what, default: 0] + value
            sums[what] = sum
            try Self.check(sum, limit: limit, what)
        }

        /// Adds the pixels of an embedded picture.
        func add(pixels more: Int, limits: DecodeLimits) throws(CodecError) {
            pixels += more
            guard pixels <= limits.pixelsPerFrame else {
                throw .limitExceeded(.pixels, value: pixels, limit: limits.pixelsPerFrame)
            }
        }

        /// Adds the text of an SVG in a picture.
        func add(bytes more: Int) throws(CodecError) {
            bytes += more
            guard bytes <= SVGBytes.most else {
                throw .limitExceeded(.encodedBytes, value: bytes, limit: SVGBytes.most)
            }
        }

        /// Throws if `value` exceeds `limit`.
        static func check(_ value: Double, limit: Double, _ what: String) throws(CodecError) {
            if value <= limit { return }
            // Infinity times zero is no number, and too much.
            let (value, limit) = (Int(value < 1e18 ? value : 1e18), Int(limit))
            throw .unsupported(.svg, reason: "\(what): \(value), the limit is \(limit)")
        }
    }
#endif
