#if SVG
    import AlcedoCodecs
    import AlcedoPixels

    /// An SVG in an `image` element of another SVG.
    ///
    /// It is drawn first, and the other one gets its pixels as a PNG: librsvg before 2.55 leaves it to a loader of gdk-pixbuf, which
    /// has no limits and is not in a worker's sandbox.
    struct SVGPicture {
        /// The elements that show pictures.
        static let elements: Set = ["image", "feImage"]

        /// SVGs inside each other's pictures.
        static let mostLevels = 4

        /// The longest value of an attribute that libxml2 reads.
        private static let longestURL = 9_999_999

        /// The attributes of the element that say how large it is, as written.
        struct Box {
            var width: String?
            var height: String?
            var preserveAspectRatio = ""

            mutating func note(_ name: String, _ value: String) {
                switch name {
                case "width": width = value
                case "height": height = value
                case "preserveAspectRatio": preserveAspectRatio = value
                default: break
                }
            }
        }

        let document: SVGDocument
        /// Of the picture's address in the text of the other document.
        let offset: Int
        /// The number of the element among all elements of the other document.
        let element: Int
        var box = Box()

        /// What to write as the address: the pixels, and what the element does not say about its size.
        ///
        /// - Parameters:
        ///   - view: the sides of the other document in its units.
        ///   - scale: pixels of a unit where the picture is.
        ///   - longest: no side becomes longer, in pixels.
        ///   - limits: those of the decode.
        ///   - totals: what the documents have taken of the limits so far.
        /// - Returns: the address; nothing for a damaged SVG.
        /// - Throws: ``CodecError`` if drawing it takes too long or exceeds `limits`.
        func address(
            in view: SVGExtent.Sides, scale: Double, longest: Int, limits: DecodeLimits, totals: SVGTotals
        ) throws(CodecError) -> [UInt8] {
            let (sides, natural) = sides(in: view)
            var (width, height) = (sides.width * scale, sides.height * scale)
            if !box.preserveAspectRatio.contains("none") {
                let (across, down) = (width / natural.width, height / natural.height)
                let factor = box.preserveAspectRatio.contains("slice") ? max(across, down) : min(across, down)
                (width, height) = (natural.width * factor, natural.height * factor)
            }
            let shrink = min(1, Double(longest) / max(width, height, 1))
            var size = PixelSize(width: Self.whole(width * shrink), height: Self.whole(height * shrink))
            var url: [UInt8] = []
            repeat {
                try totals.add(pixels: size.area, limits: limits)
                let bitmap: Bitmap
                do throws(CodecError) {
                    bitmap = try document.bitmap(
                        at: size, natural: natural, limits: limits, keepsStraightAlpha: false)
                } catch .corrupt { return [] }
                let png = try CodecRegistry().encode(bitmap, as: .png)
                url = Array("data:image/png;base64,".utf8) + SVGCharacters.base64(png)
                size = PixelSize(width: max(1, size.width / 2), height: max(1, size.height / 2))
            } while url.count > Self.longestURL
            if box.width == nil { url += "\" width=\"\(sides.width)".utf8 }
            if box.height == nil { url += "\" height=\"\(sides.height)".utf8 }
            return url
        }

        /// The sides of the element in units of the other document, and the size of the SVG in it.
        private func sides(in view: SVGExtent.Sides) -> (SVGExtent.Sides, natural: SVGExtent.Sides) {
            let size = document.frame.size
            let width = box.width.map { SVGExtent.length($0, of: view.width) } ?? 0
            let height = box.height.map { SVGExtent.length($0, of: view.height) } ?? 0
            let sides =
                switch (width > 0, height > 0) {
                case (true, true): (width, height)
                case (true, false): (width, width * size.height / size.width)
                case (false, true): (height * size.width / size.height, height)
                case (false, false): size
                }
            return (sides, document.frame.isShapeless ? sides : size)
        }

        private static func whole(_ side: Double) -> Int { Int(max(1, min(side.rounded(.up), 1e9))) }
    }
#endif
