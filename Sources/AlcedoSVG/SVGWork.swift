import AlcedoPixels

/// The estimated work of drawing a document, computed from its structure.
///
/// Elements refer to each other, so a few hundred bytes can require years of work, and each level of nesting needs stack. The
/// numbers are upper bounds.
struct SVGWork {
    /// Levels of nesting, through elements and references.
    static let mostLevels = 100
    /// Elements in a document and the SVGs in its pictures.
    static let mostElementsRead = 1_000_000
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
    /// Pixels of a letter's height: with a hundred million librsvg takes minutes.
    static let mostLetterPixels = 2e7
    /// Characters of text that are drawn.
    static let mostCharacters = 500_000.0
    /// The squares of the characters of each piece of text, as the time for a piece grows: one of 10,000 characters.
    static let mostPieces = 1e8
    /// For a character without a glyph in any font, Pango looks through all fonts and draws a box with its number.
    private static let charactersOfUnusualOne = 4.0
    /// The squares of the stops of each gradient, as often as it fills something: a thousand stops 30,000 times.
    static let mostStops = 3e10
    /// Pairs of lines of an outline that a row of pixels may cross both.
    static let mostPairs = 1e9
    /// Round corners and ends, each as often as its stroke has pixels across.
    static let mostRoundPixels = 1e7
    /// Attributes of an element: libxml2 compares each with all others.
    static let mostAttributes = 1_000
    /// Font families in a list, and different lists.
    static let mostFamilies = 200
    static let mostFamilyLists = 2_000
    /// Tries to match a rule of a style sheet with an element.
    static let mostMatches = 2e7
    /// What ``SVGSelectors`` counts: about four seconds.
    static let mostTries = 3e8
    /// Rules of style sheets, each of which takes librsvg hundreds of bytes.
    static let mostRules = 500_000.0

    struct Element {
        var parent: Int?
        var extent = SVGExtent()
        var characters = 0.0
        var isText = false
        var isStyle = false
        var isMarker = false
        var isGradient = false
        /// Characters since the last element inside it.
        var piece = 0.0
        /// As its own attributes have it; nil for that of its parent.
        var strokeWidth: Double?
        /// Whether percentages inside may be shares of its own sides.
        var makesView = false
        /// Names are bytes: two texts that Swift finds equal may be two names.
        var refersTo: [[UInt8]] = []
        var cost = Cost()
        /// For how many points a marker may be drawn.
        var points = 1.0
        var hasMarkers = false
        /// What style sheets compare.
        var classBytes = 0.0
        var attributeBytes = 0.0
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
        /// The squares of pieces of text.
        var pieces = 0.0
        /// The stops of a gradient, and the squares of those of all gradients that are used.
        var stops = 0.0
        var gradients = 0.0
        var pairs = 0.0
        /// By how much text is enlarged at most; 0 without any.
        var textScale = 0.0
        /// The lengths of strokes across their corners.
        var rounds = 0.0

        mutating func add(_ other: Cost, times: Double = 1) {
            elements += other.elements * times
            layers += other.layers * times
            painted += other.painted * times
            letters += other.letters * times
            pieces += other.pieces * times
            stops += other.stops * times
            gradients += other.gradients * times
            pairs += other.pairs * times
            textScale = max(textScale, other.textScale)
            rounds += other.rounds * times
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
            rounds *= factor
            textScale *= factor
        }

        /// As part of something that is no gradient, and that it fills so often.
        func filling(_ times: Double) -> Cost {
            var result = self
            result.gradients += stops * stops * times
            result.stops = 0
            return result
        }
    }

    private(set) var elements: [Element] = []
    private(set) var children: [[Int]] = []
    private(set) var names: [[UInt8]: Int] = [:]
    private(set) var sheet = SVGStyle()
    private(set) var rules = 0.0
    private(set) var selectors = SVGSelectors()
    private(set) var fonts = SVGFonts()
    /// The shortest dashes that there are, with the gaps between them; nil without any.
    private(set) var dash: Double?
    private(set) var strokeWidth = 1.0
    /// The widest stroke in a style sheet.
    private(set) var sheetStrokeWidth = 0.0
    private(set) var hasRoundCorners = false
    private var familyLists: Set<[UInt8]> = []

    /// An element inside `parent`.
    ///
    /// - Throws: ``CodecError`` for one that librsvg can't draw.
    mutating func add(_ kind: String, parent: Int?) throws(CodecError) -> Int {
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
        element.isGradient = kind == "linearGradient" || kind == "radialGradient"
        if kind == "stop" { element.cost.stops = 1 }
        element.makesView = Self.views.contains(kind) && parent != nil
        elements.append(element)
        children.append([])
        if let parent {
            children[parent].append(elements.count - 1)
            elements[parent].piece = 0
        }
        return elements.count - 1
    }

    private static let slowPrimitives: Set = ["feDiffuseLighting", "feSpecularLighting", "feTurbulence"]

    private static let views: Set = ["marker", "pattern", "svg", "symbol", "use"]

    private static let undrawn: Set = [
        "defs", "desc", "filter", "linearGradient", "metadata", "radialGradient", "script", "stop",
        "style", "title",
    ]

    func isStyle(_ element: Int?) -> Bool { element.map { elements[$0].isStyle } ?? false }

    mutating func refer(from element: Int, to name: [UInt8]) { elements[element].refersTo.append(name) }

    /// Reads an attribute; true if it must be removed because librsvg can't handle it.
    mutating func note(_ name: String, _ value: String, of element: Int) -> Bool {
        elements[element].extent.note(name, value, isRoot: elements[element].parent == nil)
        switch name {
        case "id":
            if names[Array(value.utf8)] == nil { names[Array(value.utf8)] = element }
        case "class": elements[element].classBytes = Double(value.utf8.count)
        case "d", "points":
            elements[element].points = Double(value.utf8.count / 2 + 1)
        case "opacity", "mask", "filter", "mix-blend-mode", "isolation":
            if value != "1", value != "none", value != "normal" {
                elements[element].cost.layers += 1
                elements[element].cost.surfaces += 1
            }
        case "stroke-dasharray": note(dashes: value)
        case "stroke-width":
            let width = SVGNumbers.all(in: value).max() ?? 1
            strokeWidth = max(strokeWidth, width)
            elements[element].strokeWidth = width
        case "stroke-linejoin", "stroke-linecap":
            hasRoundCorners = hasRoundCorners || value.lowercased().contains("round")
        // It would make dashes of other lengths.
        case "pathLength": return true
        case "style":
            elements[element].extent.note(style: value)
            if let width = note(strokes: value) { elements[element].strokeWidth = width }
        case "numOctaves":
            elements[element].cost.layers += min(max(Double(value) ?? 0, 0), 1e9) * 8
        case "radius":
            // feMorphology looks at a square of pixels around each pixel.
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
        if name.hasPrefix("font") || name == "style" && value.lowercased().contains("font") {
            fonts.note(value)
        }
        if name == "font" || name == "font-family" { note(familyList: value) }
        if name == "style" { note(families: value) }
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

    /// Counts the value of an attribute, which style sheets may compare.
    mutating func note(attributeBytes count: Int, of element: Int) {
        elements[element].attributeBytes += Double(count)
    }

    /// Reads text inside an element.
    mutating func note(text: ArraySlice<UInt8>, of element: Int) {
        if elements[element].isStyle {
            let style = String(decoding: text, as: UTF8.self)
            sheet.add(style)
            if style.lowercased().contains("font") { fonts.note(style) }
            note(families: style)
            sheetStrokeWidth = max(sheetStrokeWidth, note(strokes: style) ?? 0)
            selectors.note(text)
            rules += Double(text.count { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: ",") })
        } else if elements[element].isText {
            // From U+0800 on.
            let unusual = Double(text.count { $0 >= 0xE0 })
            let characters =
                Double(text.count { $0 & 0xC0 != 0x80 }) + unusual * (Self.charactersOfUnusualOne - 1)
            elements[element].cost.elements += characters / 20
            elements[element].characters += characters
            let piece = elements[element].piece
            let longer = piece + characters
            elements[element].cost.pieces += longer * longer - piece * piece
            elements[element].piece = longer
        }
    }

    // MARK: - Strokes

    private mutating func note(dashes: String) {
        let numbers = SVGNumbers.all(in: dashes)
        let sum = numbers.reduce(0) { $0 + $1.magnitude }
        if sum > 0 { dash = min(dash ?? sum, sum) }
    }

    /// Reads the stroke properties of a style attribute or sheet; returns the widest stroke.
    private mutating func note(strokes style: String) -> Double? {
        var widest: Double?
        for (name, value) in SVGDeclarations(style) {
            switch name {
            case "stroke-dasharray": note(dashes: value)
            case "stroke-width": widest = max(widest ?? 0, SVGNumbers.all(in: value).max() ?? 1)
            case "stroke-linejoin", "stroke-linecap":
                hasRoundCorners = hasRoundCorners || value.contains("round")
            default: break
            }
        }
        strokeWidth = max(strokeWidth, widest ?? 0)
        return widest
    }

    // MARK: - Families

    /// The longest list of font families, and how many lists there are.
    private(set) var families = 0
    var familyListCount: Int { familyLists.count }

    /// Reads the font properties of a style attribute or a sheet.
    private mutating func note(families style: String) {
        for (name, value) in SVGDeclarations(style)
        where name == "font" || name == "font-family" {
            note(familyList: value)
        }
    }

    private mutating func note(familyList list: String) {
        families = max(families, list.utf8.count { $0 == UInt8(ascii: ",") } + 1)
        // More are not needed to reject it.
        if families <= Self.mostFamilies, familyLists.count <= Self.mostFamilyLists {
            familyLists.insert(Array(list.utf8))
        }
    }
}
