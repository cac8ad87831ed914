/// The properties and values of a style attribute or a sheet, in lower case and without comments.
///
/// Separated by bytes, as CSS is: a combining mark after a semicolon does not join it. One after the other, as a sheet may
/// have millions.
struct SVGDeclarations: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>

    init(_ style: String) { self.init(plain: SVGStyle.plain(style)[...]) }

    fileprivate init(plain: ArraySlice<UInt8>) { rest = plain }

    mutating func next() -> (name: String, value: String)? {
        while !rest.isEmpty {
            let part = rest.prefix {
                $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "{") && $0 != UInt8(ascii: "}")
            }
            rest = rest[part.endIndex...].dropFirst()
            guard let colon = part.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let name = part[..<colon].filter { !SVGScanner.isSpace($0) }
            return (
                String(decoding: name, as: UTF8.self),
                String(decoding: part[(colon + 1)...], as: UTF8.self)
            )
        }
        return nil
    }
}

/// The outermost element, as far as the selectors of a style sheet name it.
struct SVGRoot {
    /// How much more a selector says about an element than another (CSS Selectors 4, 17).
    struct Specificity: Comparable {
        var ids = 0
        var classes = 0
        var types = 0

        static func < (one: Self, other: Self) -> Bool {
            (one.ids, one.classes, one.types) < (other.ids, other.classes, other.types)
        }
    }

    private var id: [UInt8]?
    private var classes: Set<[UInt8]> = []

    mutating func note(_ name: String, _ value: String) {
        switch name {
        case "id": id = Array(value.utf8)
        case "class": classes = Set(value.utf8.split(whereSeparator: SVGScanner.isSpace).map(Array.init))
        default: break
        }
    }

    /// The highest specificity of the selectors in a list that select the element; nil if none does.
    fileprivate func specificity(of list: ArraySlice<UInt8>) -> Specificity? {
        var rest = list
        var highest: Specificity?
        while !rest.isEmpty {
            let selector = rest.prefix { $0 != UInt8(ascii: ",") }
            rest = rest[selector.endIndex...].dropFirst()
            let start = selector.drop(while: SVGScanner.isSpace)
            let word = start.lastIndex { !SVGScanner.isSpace($0) }.map { start[...$0] } ?? start
            guard let found = specificity(ofOne: word) else { continue }
            highest = max(highest ?? found, found)
        }
        return highest
    }

    /// That of `svg`, `*`, `:root`, `.class` and `#id`, in any combination for one element; nil for other elements and
    /// for everything else, such as selectors for what is inside another element.
    private func specificity(ofOne selector: ArraySlice<UInt8>) -> Specificity? {
        var rest = selector
        var result = Specificity()
        while let first = rest.first {
            let isMarked = Self.marks.contains(first)
            let name = rest.dropFirst(isMarked ? 1 : 0).prefix { !Self.marks.contains($0) }
            switch first {
            case UInt8(ascii: "#"):
                guard let id, name.elementsEqual(id) else { return nil }
                result.ids += 1
            case UInt8(ascii: "."):
                guard classes.contains(Array(name)) else { return nil }
                result.classes += 1
            case UInt8(ascii: ":"):
                guard SVGStyle.lowercased(name).elementsEqual("root".utf8) else { return nil }
                result.classes += 1
            default:
                guard rest.startIndex == selector.startIndex else { return nil }
                if name.elementsEqual("*".utf8) { break }
                guard SVGStyle.lowercased(name).elementsEqual("svg".utf8) else { return nil }
                result.types = 1
            }
            rest = rest[name.endIndex...]
        }
        return selector.isEmpty ? nil : result
    }

    private static let marks = Array("#.:".utf8)
}

/// The rules of a sheet for the outermost element, one after the other; without those inside of another rule, such
/// as `@media`, which librsvg skips.
struct SVGRootRules: Sequence, IteratorProtocol {
    private let text: [UInt8]
    private let root: SVGRoot
    private var index = 0

    init(_ sheet: String, of root: SVGRoot) {
        text = SVGStyle.withoutComments(Array(sheet.utf8))
        self.root = root
    }

    mutating func next() -> (SVGRoot.Specificity, SVGDeclarations)? {
        var start = index
        var depth = 0
        var isNested = false
        var selectors = text[..<0]
        while index < text.count {
            let byte = text[index]
            index += 1
            switch byte {
            case UInt8(ascii: "{"):
                if depth == 0 { (selectors, start) = (text[start..<(index - 1)], index) }
                depth += 1
                isNested = depth > 1 || isNested
            case UInt8(ascii: "}"):
                if depth == 1, !isNested, let rule = rule(selectors, text[start..<(index - 1)]) {
                    return rule
                }
                if depth > 0 { depth -= 1 }
                if depth == 0 { (start, isNested) = (index, false) }
            // Behind a rule such as @import, which has no block.
            case UInt8(ascii: ";") where depth == 0: start = index
            case UInt8(ascii: "\""), UInt8(ascii: "'"): skipString(byte)
            default: break
            }
        }
        // The end closes a rule.
        return depth == 1 && !isNested ? rule(selectors, text[start...]) : nil
    }

    private func rule(
        _ selectors: ArraySlice<UInt8>, _ content: ArraySlice<UInt8>
    ) -> (SVGRoot.Specificity, SVGDeclarations)? {
        root.specificity(of: selectors).map {
            ($0, SVGDeclarations(plain: SVGStyle.lowercased(content)[...]))
        }
    }

    /// Up to the quote or the end of the line, which ends it too.
    private mutating func skipString(_ quote: UInt8) {
        while index < text.count, text[index] != UInt8(ascii: "\n") {
            index += 1
            if text[index - 1] == quote { return }
        }
    }
}
