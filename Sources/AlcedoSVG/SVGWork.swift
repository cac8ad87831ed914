#if SVG
    import AlcedoPixels

    /// What drawing a document takes: found from its structure before anything is drawn.
    ///
    /// Elements refer to each other, so that a few hundred bytes can ask for years of work, and each level of nesting
    /// takes stack. The numbers are upper estimates.
    struct SVGWork {
        /// Levels of nesting, through elements and references.
        static let mostLevels = 100
        /// Elements drawn, each as often as it is referred to.
        static let mostElements = 200_000.0
        /// Pixels of all layers and filters together: 1,000 layers of a megapixel.
        static let mostLayerPixels = 1e9
        /// Tries to match a rule of a style sheet with an element.
        static let mostMatches = 2e7

        private struct Element {
            var parent: Int?
            var isText = false
            var isStyle = false
            var refersTo: [String] = []
            var cost = Cost()
            /// For how many points a marker may be drawn.
            var points = 1.0
            var hasMarkers = false
        }

        private struct Cost {
            var elements = 0.0
            var layers = 0.0
            var levels = 0

            mutating func add(_ other: Cost, times: Double = 1) {
                elements += other.elements * times
                layers += other.layers * times
                levels = max(levels, other.levels)
            }
        }

        private var elements: [Element] = []
        private var children: [[Int]] = []
        private var names: [String: Int] = [:]
        private var sheet = SVGStyle()
        private var rules = 0.0
        private var fonts = SVGFonts()

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
            if kind.hasPrefix("fe") { element.cost = Cost(layers: 2) }
            if kind == "mask" || kind == "pattern" || kind == "clipPath" { element.cost.layers = 1 }
            elements.append(element)
            children.append([])
            if let parent { children[parent].append(elements.count - 1) }
            return elements.count - 1
        }

        private static let undrawn: Set = [
            "defs", "desc", "filter", "linearGradient", "metadata", "radialGradient", "script", "stop",
            "style", "title",
        ]

        func isStyle(_ element: Int?) -> Bool { element.map { elements[$0].isStyle } ?? false }

        mutating func refer(from element: Int, to name: String) { elements[element].refersTo.append(name) }

        /// Reads an attribute; true if it is to be left out, for librsvg cannot deal with it.
        mutating func note(_ name: String, _ value: String, of element: Int) -> Bool {
            switch name {
            case "id":
                if names[value] == nil { names[value] = element }
            case "d", "points":
                elements[element].points = Double(value.utf8.count / 2 + 1)
            case "opacity", "mask", "filter", "mix-blend-mode", "isolation":
                if value != "1", value != "none", value != "normal" { elements[element].cost.layers += 1 }
            case "numOctaves":
                elements[element].cost.layers += min(max(Double(value) ?? 0, 0), 1e9) * 8
            case "radius":
                let radius = value.split { !$0.isNumber && $0 != "." }.compactMap { Double($0) }.max() ?? 0
                elements[element].cost.layers += (2 * radius + 1) * (2 * radius + 1)
            case "order", "kernelMatrix":
                let numbers = value.split { $0 == " " || $0 == "," || $0.isNewline || $0 == "\t" }
                elements[element].cost.layers += Double(numbers.count)
                // A matrix that is not as large as its order says ends the program.
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
            if style.makesLayers { elements[element].cost.layers += 1 }
            if style.hasMarkers { elements[element].hasMarkers = true }
        }

        /// Reads text inside an element.
        mutating func note(text: ArraySlice<UInt8>, of element: Int) {
            if elements[element].isStyle {
                let style = String(decoding: text, as: UTF8.self)
                sheet.add(style)
                if style.contains("font") { fonts.note(style) }
                rules += Double(text.count { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: ",") })
            } else if elements[element].isText {
                elements[element].cost.elements += Double(text.count) / 20
            }
        }

        // MARK: - The sum

        private enum Known {
            case no
            case beingSummed
            case yes(Cost)
        }

        /// Throws if drawing at `size` would take too long, or too much stack.
        func check(at size: PixelSize) throws(CodecError) {
            guard !elements.isEmpty, rules * Double(elements.count) <= Self.mostMatches else {
                throw .unsupported(.svg, reason: "its style sheets are too large for its many elements")
            }
            var known = [Known](repeating: .no, count: elements.count)
            var sheetCost = Cost()
            for name in sheet.references {
                guard let target = names[name] else { continue }
                sheetCost.add(try cost(of: target, depth: 0, sheet: Cost(), &known))
            }
            if sheet.makesLayers { sheetCost.layers += 1 }
            known = [Known](repeating: .no, count: elements.count)
            let all = try cost(of: 0, depth: sheetCost.levels, sheet: sheetCost, &known)
            guard fonts.areDrawable(levels: all.levels) else {
                throw .unsupported(.svg, reason: "its letters are too large")
            }
            guard all.elements <= Self.mostElements else {
                throw .unsupported(.svg, reason: "it draws more than \(Int(Self.mostElements)) elements")
            }
            guard all.layers * Double(size.area) <= Self.mostLayerPixels else {
                throw .unsupported(.svg, reason: "its filters and layers are too many for \(size) pixels")
            }
        }

        private func cost(
            of index: Int,
            depth: Int,
            sheet: Cost,
            _ known: inout [Known]
        ) throws(CodecError) -> Cost {
            switch known[index] {
            case .yes(let cost): return cost
            // librsvg draws no circle.
            case .beingSummed: return Cost()
            case .no: break
            }
            guard depth <= Self.mostLevels else { throw Self.tooDeep }
            known[index] = .beingSummed
            let element = elements[index]
            var sum = Cost()
            let times = element.hasMarkers || self.sheet.hasMarkers ? element.points : 1
            if element.cost.elements > 0 { sum.add(sheet, times: times) }
            for child in children[index] {
                sum.add(try cost(of: child, depth: depth + 1, sheet: sheet, &known))
            }
            for name in Set(element.refersTo) {
                guard let target = names[name] else { continue }
                let referred = try cost(of: target, depth: depth + 1, sheet: sheet, &known)
                sum.add(referred, times: element.hasMarkers ? element.points : 1)
            }
            sum.add(element.cost)
            sum.levels += 1
            guard sum.levels <= Self.mostLevels else { throw Self.tooDeep }
            known[index] = .yes(sum)
            return sum
        }

        private static var tooDeep: CodecError {
            .unsupported(.svg, reason: "its elements are nested more than \(mostLevels) deep")
        }
    }
#endif
