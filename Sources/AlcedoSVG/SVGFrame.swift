import AlcedoPixels

struct SVGFrame {
    /// Lengths as they are written.
    private struct Lengths {
        var width: String?
        var height: String?
        var fontSize: String?
    }

    private var attributes = Lengths()
    private var sheet = Lengths()
    private var style = Lengths()
    private var viewBox: (width: Double, height: Double)?

    /// Remembers an attribute of the outermost element.
    mutating func note(_ name: String, _ value: String) {
        switch name {
        case "width": attributes.width = value
        case "height": attributes.height = value
        case "font-size": attributes.fontSize = value
        case "style": Self.note(SVGDeclarations(value), in: &style)
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
        for declarations in SVGRootRules(text) { Self.note(declarations, in: &sheet) }
    }

    private static func note(_ declarations: SVGDeclarations, in lengths: inout Lengths) {
        for (name, value) in declarations {
            let value = value.replacing("!important", with: "")
            // An invalid value is no declaration.
            guard pixels(value) != nil || value.contains("%") || value.contains("auto") else { continue }
            switch name {
            case "width": lengths.width = value
            case "height": lengths.height = value
            case "font-size": lengths.fontSize = value
            default: break
            }
        }
    }

    private func side(_ side: KeyPath<Lengths, String?>) -> Double? {
        let fontSize = style.fontSize ?? sheet.fontSize ?? attributes.fontSize
        let value = style[keyPath: side] ?? sheet[keyPath: side] ?? attributes[keyPath: side]
        return value.flatMap { Self.pixels($0, em: fontSize.flatMap { Self.pixels($0) } ?? 16) }
    }

    /// Whether it has no size and no shape of its own.
    var isShapeless: Bool { viewBox == nil && side(\.width) == nil && side(\.height) == nil }

    /// Width and height in pixels, as browsers have them: those of a style come before attributes; a side that is not given
    /// follows from the view box, and without one is 300 or 150.
    var size: (width: Double, height: Double) {
        switch (side(\.width), side(\.height), viewBox) {
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
