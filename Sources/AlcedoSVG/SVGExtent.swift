/// The sizes in an element's attributes: its outline, its pattern tiles and the scale of its content.
struct SVGExtent {
    /// The sides that percentages refer to.
    typealias Sides = (width: Double, height: Double)

    /// The outline of a shape, without percentages.
    private var lengths = SVGOutline()
    private var shares: [(name: String, share: Double)] = []
    /// By how much lengths grow at most on the way out of the element; never less than 1.
    private(set) var scale = 1.0
    /// By how much lengths grow or shrink on the way out of the element.
    private var zoom = 1.0
    /// Whether it is a pattern; its sides are those of its tile, as lengths or fractions of the filled area.
    var isPattern = false
    private var tile = (width: "0", height: "0")
    private var isTileInLengths = false

    private var viewBox: Sides?

    mutating func note(_ name: String, _ value: String, isRoot: Bool) {
        switch name {
        case "d": lengths = SVGOutline(path: value.utf8)
        case "points": lengths = SVGOutline(points: value.utf8)
        case "transform", "patternTransform": noteTransform(value)
        case "patternUnits": isTileInLengths = value == "userSpaceOnUse"
        case "viewBox":
            let numbers = SVGNumbers.all(in: value)
            if !isRoot, numbers.count == 4 { viewBox = (numbers[2].magnitude, numbers[3].magnitude) }
        case "width", "height", "r", "rx", "ry", "x1", "x2", "y1", "y2":
            if !isPattern, !isRoot { noteOutline(name, value) }
            if name == "width" { tile.width = value }
            if name == "height" { tile.height = value }
        default: break
        }
    }

    /// Reads a style attribute, in which transforms may be as well.
    mutating func note(style: String) {
        if style.contains("transform") { noteTransform(style) }
    }

    private mutating func noteTransform(_ list: String) {
        scale *= Self.scale(of: list, atLeast: 1)
        zoom *= Self.scale(of: list, atLeast: 0)
    }

    private mutating func noteOutline(_ name: String, _ value: String) {
        if value.contains("%") {
            shares.append((name, Self.length(value, of: 1)))
        } else {
            lengths.note(name, Self.length(value, of: 1))
        }
    }

    /// The outline of a shape in a view of so many units.
    func outline(in view: Sides) -> SVGOutline {
        var outline = lengths
        for (name, share) in shares {
            let isUpright = name == "height" || name.contains("y")
            let side = name == "r" ? max(view.width, view.height) : isUpright ? view.height : view.width
            outline.note(name, share * side)
        }
        return outline
    }

    /// The larger of `view` and the views that it establishes for its content.
    func widened(_ view: Sides) -> Sides {
        let (width, height) = (Self.length(tile.width, of: 0), Self.length(tile.height, of: 0))
        return (
            max(view.width, width, viewBox?.width ?? 0), max(view.height, height, viewBox?.height ?? 0)
        )
    }

    /// By how much lengths grow at most, with a view box of its own.
    func growth(in view: Sides) -> Double {
        scale * max(1, viewBoxScale(in: view))
    }

    /// By how much lengths grow or shrink, with a view box of its own.
    func zoom(in view: Sides) -> Double { zoom * viewBoxScale(in: view) }

    private func viewBoxScale(in view: Sides) -> Double {
        guard let viewBox, viewBox.width > 0, viewBox.height > 0 else { return 1 }
        let (width, height) = (
            Self.length(tile.width, of: view.width), Self.length(tile.height, of: view.height)
        )
        return max(
            (width > 0 ? width : view.width) / viewBox.width,
            (height > 0 ? height : view.height) / viewBox.height)
    }

    /// The area of a tile that fills something of `width` and `height`.
    func tileArea(filling width: Double, _ height: Double, in view: Sides) -> Double {
        let unit: Sides = isTileInLengths ? view : (1, 1)
        let area = Self.length(tile.width, of: unit.width) * Self.length(tile.height, of: unit.height)
        return isTileInLengths ? area : area * width * height
    }

    /// A length in pixels, or a share of `side`; never negative.
    static func length(_ text: String, of side: Double) -> Double {
        if let pixels = SVGFrame.pixels(text) { return pixels }
        let number = (SVGNumbers.all(in: text).first ?? 0).magnitude
        return text.contains("%") ? number / 100 * side : number
    }

    /// The product of the scales in a list of transforms, each at least `least`.
    private static func scale(of text: String, atLeast least: Double) -> Double {
        var result = 1.0
        for part in text.split(separator: ")") {
            let numbers = part.split(separator: "(").last.map { SVGNumbers.all(in: $0) } ?? []
            if part.contains("scale") || part.contains("skew") {
                let angles = part.contains("skew") && (numbers.first ?? 0).magnitude < 80
                result *= angles ? 7 : max(least, numbers.map(\.magnitude).max() ?? 1)
            } else if part.contains("matrix") {
                let (a, b) = (numbers.prefix(2), numbers.dropFirst(2).prefix(2))
                result *= max(
                    least, a.reduce(0) { $0 + $1.magnitude }, b.reduce(0) { $0 + $1.magnitude })
            }
        }
        return min(result, 1e9)
    }
}
