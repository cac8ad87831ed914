import AlcedoPixels

struct SVGFrame {
    /// What decides between declarations of one property: the greatest wins, and among equal ones the last.
    private struct Precedence: Comparable {
        let isImportant: Bool
        /// Whether it stands in the element's own `style`.
        let isOwn: Bool
        let specificity: SVGRoot.Specificity

        static func < (one: Self, other: Self) -> Bool {
            (one.isImportant ? 1 : 0, one.isOwn ? 1 : 0, one.specificity)
                < (other.isImportant ? 1 : 0, other.isOwn ? 1 : 0, other.specificity)
        }
    }

    private enum Property: String {
        case width, height
        case fontSize = "font-size"
    }

    /// Values as they are written.
    private var attributes: [Property: String] = [:]
    private var styles: [Property: (value: String, precedence: Precedence)] = [:]
    private var root = SVGRoot()
    private var viewBox: (width: Double, height: Double)?

    /// Remembers an attribute of the outermost element.
    mutating func note(_ name: String, _ value: String) {
        switch name {
        case "width", "height", "font-size": Property(rawValue: name).map { attributes[$0] = value }
        case "id", "class": root.note(name, value)
        case "style": note(SVGDeclarations(value), isOwn: true, SVGRoot.Specificity())
        case "viewBox":
            let numbers = value.split { $0 == " " || $0 == "," || $0.isNewline || $0 == "\t" }
                .map { Double($0) }
            guard numbers.count == 4, let width = numbers[2], let height = numbers[3], width > 0,
                height > 0,
                width.isFinite, height.isFinite
            else { return }
            viewBox = (width, height)
        default: break
        }
    }

    /// Remembers the rules of a style sheet for the outermost element.
    mutating func note(sheet text: String) {
        for (specificity, declarations) in SVGRootRules(text, of: root) {
            note(declarations, isOwn: false, specificity)
        }
    }

    private mutating func note(
        _ declarations: SVGDeclarations, isOwn: Bool, _ specificity: SVGRoot.Specificity
    ) {
        for (name, declaration) in declarations {
            guard let property = Property(rawValue: name) else { continue }
            let value = String(declaration.prefix { $0 != "!" })
            // An invalid value is no declaration.
            guard Self.pixels(value) != nil || Self.isRelative(value) else { continue }
            let precedence = Precedence(
                isImportant: declaration.dropFirst(value.count).contains("important"), isOwn: isOwn,
                specificity: specificity)
            if let found = styles[property], found.precedence > precedence { continue }
            styles[property] = (value, precedence)
        }
    }

    /// Whether a length depends on what is around the drawing, which has nothing around it.
    private static func isRelative(_ value: String) -> Bool {
        let value = value.trimmed
        return value == "auto" || relativeUnits.contains { value.hasSuffix($0) } && isLength(String(value))
    }

    private func written(_ property: Property) -> String? {
        styles[property]?.value ?? attributes[property]
    }

    private func side(_ side: Property) -> Double? {
        let em = written(.fontSize).flatMap { Self.pixels($0) } ?? 16
        return written(side).flatMap { Self.pixels($0, em: em) }
    }

    /// Whether it has no size and no shape of its own.
    var isShapeless: Bool { viewBox == nil && side(.width) == nil && side(.height) == nil }

    /// Width and height in pixels, as browsers have them: those of a style come before attributes; a side that is not given
    /// follows from the view box, and without one is 300 or 150.
    var size: (width: Double, height: Double) {
        switch (side(.width), side(.height), viewBox) {
        case (let width?, let height?, _): (width, height)
        case (let width?, nil, let box?): (width, width * box.height / box.width)
        case (nil, let height?, let box?): (height * box.width / box.height, height)
        case (nil, nil, let box?): box
        case (let width, let height, nil): (width ?? 300, height ?? 150)
        }
    }

    /// The coordinate space of the outermost element, which has `sides`.
    func units(in sides: SVGExtent.Sides) -> SVGExtent.Sides {
        let (width, height) = viewBox ?? sides
        return (max(width, 1e-9), max(height, 1e-9))
    }

    /// In whole pixels, at least one a side.
    var pixelSize: PixelSize {
        func whole(_ side: Double) -> Int { Int(max(1, min(side.rounded(), 1e9))) }
        return PixelSize(width: whole(size.width), height: whole(size.height))
    }

    /// A length in CSS pixels, of which 96 make an inch; nil for a share of something or no length.
    static func pixels(_ text: String, em: Double = 16) -> Double? {
        let text = text.trimmed
        let number = text.prefix { $0.isNumber || "+-.".contains($0) }
        var end = number.endIndex
        // An exponent, unless it is the unit em or ex.
        if let next = text[end...].first, next == "e" || next == "E" {
            let exponent = text[end...].dropFirst().prefix { $0.isNumber || $0 == "-" || $0 == "+" }
            if exponent.contains(where: \.isNumber) { end = exponent.endIndex }
        }
        let unit = text[end...].lowercased()
        guard let value = Double(text[..<end]), let factor = units[unit], value > 0,
            value.isFinite
        else { return nil }
        return value * (unit.hasSuffix("em") || unit == "ex" ? factor * em / 16 : factor)
    }

    /// Whether it starts with a number, unlike `auto`.
    static func isLength(_ text: String) -> Bool {
        Double(text.trimmed.prefix { $0.isNumber || "+-.".contains($0) }) != nil
    }

    private static let relativeUnits = ["%", "vw", "vh", "vi", "vb", "vmin", "vmax"]

    private static let units: [String: Double] = [
        "": 1, "px": 1, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6, "pt": 96.0 / 72,
        "pc": 16, "em": 16, "rem": 16, "ex": 8,
    ]
}

extension String {
    fileprivate var trimmed: Substring {
        let start = firstIndex { !$0.isWhitespace } ?? endIndex
        let end = lastIndex { !$0.isWhitespace }.map { index(after: $0) } ?? start
        return self[start..<end]
    }
}
