#if SVG
    import AlcedoPixels

    /// The estimated work of drawing a document, computed from its structure.
    ///
    /// Elements refer to each other, so a few hundred bytes can require years of work, and each level of nesting needs stack. The
    /// numbers are upper bounds.
    struct SVGWork {
        /// Levels of nesting, through elements and references.
        static let mostLevels = 100
        /// Elements drawn, each as often as it is referred to.
        static let mostElements = 200_000.0
        /// Pixels of all layers and filters together: 1,000 layers of a megapixel.
        static let mostLayerPixels = 1e9
        /// Bytes of the layers that there are at the same time, one inside another.
        static let mostLayerBytes = 512.0 * 1024 * 1024
        /// Pixels that all shapes together fill.
        static let mostPaintedPixels = 1e10
        /// Pixels of a pattern's tile, which may also be four times the picture.
        static let mostTilePixels = 16.0 * 1024 * 1024
        /// Layers that filling or stroking a letter with a pattern takes as long as.
        static let layersOfPatternedLetter = 0.03
        /// Dashes in one outline, each of which takes a few kilobytes.
        static let mostDashes = 100_000.0
        /// Tries to match a rule of a style sheet with an element.
        static let mostMatches = 2e7

        struct Element {
            var parent: Int?
            var extent = SVGExtent()
            /// Characters of text.
            var characters = 0.0
            var isText = false
            var isStyle = false
            var isMarker = false
            /// Whether percentages inside may be shares of its own sides.
            var makesView = false
            var refersTo: [String] = []
            var cost = Cost()
            /// For how many points a marker may be drawn.
            var points = 1.0
            var hasMarkers = false
        }

        struct Cost {
            var elements = 0.0
            var layers = 0.0
            var levels = 0
            /// The number of letters; each is filled separately.
            var letters = 0.0
            /// Layers that are kept at the same time.
            var surfaces = 0.0
            /// Pixels that are filled, in the element's own units like all that follows.
            var painted = 0.0
            /// The area of the largest tile.
            var tile = 0.0
            var width = 0.0
            var height = 0.0

            mutating func add(_ other: Cost, times: Double = 1) {
                elements += other.elements * times
                layers += other.layers * times
                painted += other.painted * times
                letters += other.letters * times
                levels = max(levels, other.levels)
                surfaces = max(surfaces, other.surfaces)
                tile = max(tile, other.tile)
                width = max(width, other.width)
                height = max(height, other.height)
            }

            /// As seen from outside of something that enlarges it.
            mutating func enlarge(_ factor: Double) {
                painted *= factor * factor
                tile *= factor * factor
                width *= factor
                height *= factor
            }
        }

        private(set) var elements: [Element] = []
        private(set) var children: [[Int]] = []
        private(set) var names: [String: Int] = [:]
        private(set) var sheet = SVGStyle()
        private(set) var rules = 0.0
        private(set) var fonts = SVGFonts()
        /// The shortest dashes that there are, with the gaps between them; nil without any.
        private(set) var dash: Double?
        private(set) var strokeWidth = 1.0

        /// An element inside `parent`.
        ///
        /// - Throws: ``CodecError`` for more elements than are drawn.
        mutating func add(_ kind: String, parent: Int?) throws(CodecError) -> Int {
            guard elements.count < 1_000_000 else {
                throw .unsupported(.svg, reason: "it has more than a million elements")
            }
            // librsvg 2.54 ends the program where there is nothing to tile.
            guard kind != "feTile" else { throw .unsupported(.svg, reason: "the filter primitive feTile") }
            var element = Element(parent: parent)
            element.isStyle = kind == "style"
            element.isText = ["text", "tspan", "textPath", "tref", "a"].contains(kind)
            element.cost.elements = Self.undrawn.contains(kind) ? 0 : 1
            // Each primitive of a filter makes a picture of its own.
            if kind.hasPrefix("fe") {
                element.cost = Cost(layers: Self.slowPrimitives.contains(kind) ? 20 : 2)
                if let parent { elements[parent].cost.surfaces += 1 }
            }
            if kind == "mask" || kind == "pattern" || kind == "clipPath" {
                element.cost.layers = 1
                element.cost.surfaces = 1
            }
            element.extent.isPattern = kind == "pattern"
            element.isMarker = kind == "marker"
            element.makesView = Self.views.contains(kind) && parent != nil
            elements.append(element)
            children.append([])
            if let parent { children[parent].append(elements.count - 1) }
            return elements.count - 1
        }

        private static let slowPrimitives: Set = ["feDiffuseLighting", "feSpecularLighting", "feTurbulence"]

        private static let views: Set = ["marker", "pattern", "svg", "symbol", "use"]

        private static let undrawn: Set = [
            "defs", "desc", "filter", "linearGradient", "metadata", "radialGradient", "script", "stop",
            "style", "title",
        ]

        func isStyle(_ element: Int?) -> Bool { element.map { elements[$0].isStyle } ?? false }

        mutating func refer(from element: Int, to name: String) { elements[element].refersTo.append(name) }

        /// Reads an attribute; true if it must be removed because librsvg can't handle it.
        mutating func note(_ name: String, _ value: String, of element: Int) -> Bool {
            elements[element].extent.note(name, value, isRoot: elements[element].parent == nil)
            switch name {
            case "id":
                if names[value] == nil { names[value] = element }
            case "d", "points":
                elements[element].points = Double(value.utf8.count / 2 + 1)
            case "opacity", "mask", "filter", "mix-blend-mode", "isolation":
                if value != "1", value != "none", value != "normal" {
                    elements[element].cost.layers += 1
                    elements[element].cost.surfaces += 1
                }
            case "stroke-dasharray": note(dashes: value)
            case "stroke-width": strokeWidth = max(strokeWidth, SVGNumbers.all(in: value).max() ?? 1)
            // It would make dashes of other lengths.
            case "pathLength": return true
            case "style":
                elements[element].extent.note(style: value)
                note(strokes: value)
            case "numOctaves":
                elements[element].cost.layers += min(max(Double(value) ?? 0, 0), 1e9) * 8
            case "radius":
                let radius = value.split { !$0.isNumber && $0 != "." }.compactMap { Double($0) }.max() ?? 0
                elements[element].cost.layers += (2 * radius + 1) * (2 * radius + 1)
            case "order", "kernelMatrix":
                let numbers = value.split { $0 == " " || $0 == "," || $0.isNewline || $0 == "\t" }
                elements[element].cost.layers += Double(numbers.count)
                // librsvg ends the process for a matrix that is smaller than its order.
                let isSmall = numbers.allSatisfy { (Double($0) ?? 0).magnitude <= 10 }
                return name == "order" ? !isSmall : numbers.count > 100
            default: break
            }
            if name.hasPrefix("font") || name == "style" && value.contains("font") { fonts.note(value) }
            if name.hasPrefix("marker") { elements[element].hasMarkers = true }
            if name == "style" || value.contains("(") { note(style: SVGStyle(value), of: element) }
            return false
        }

        private mutating func note(style: SVGStyle, of element: Int) {
            elements[element].refersTo += style.references
            if style.makesLayers {
                elements[element].cost.layers += 1
                elements[element].cost.surfaces += 1
            }
            if style.hasMarkers { elements[element].hasMarkers = true }
        }

        /// Reads text inside an element.
        mutating func note(text: ArraySlice<UInt8>, of element: Int) {
            if elements[element].isStyle {
                let style = String(decoding: text, as: UTF8.self)
                sheet.add(style)
                if style.contains("font") { fonts.note(style) }
                note(strokes: style)
                rules += Double(text.count { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: ",") })
            } else if elements[element].isText {
                elements[element].cost.elements += Double(text.count) / 20
                elements[element].characters += Double(text.count)
            }
        }

        // MARK: - Strokes

        private mutating func note(dashes: String) {
            let numbers = SVGNumbers.all(in: dashes)
            let sum = numbers.reduce(0) { $0 + $1.magnitude }
            if sum > 0 { dash = min(dash ?? sum, sum) }
        }

        /// Reads the stroke properties of a style attribute or sheet.
        private mutating func note(strokes style: String) {
            for part in style.split(whereSeparator: { ";{}".contains($0) }) {
                let value = part.split(separator: ":").last ?? ""
                if part.contains("dasharray") {
                    note(dashes: String(value))
                } else if part.contains("stroke-width") {
                    strokeWidth = max(strokeWidth, SVGNumbers.all(in: value).max() ?? 1)
                }
            }
        }
    }
#endif
