/// The properties and values of a style attribute or a sheet, in lower case and without comments.
///
/// Separated by bytes, as CSS is: a mark behind a semicolon does not join it. One after the other, as a sheet may
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

/// The rules of a sheet for the outermost element, one after the other; without those inside of another rule, such
/// as `@media`, which librsvg skips.
struct SVGRootRules: Sequence, IteratorProtocol {
    private let text: [UInt8]
    private var index = 0

    init(_ sheet: String) { text = SVGStyle.plain(sheet) }

    mutating func next() -> SVGDeclarations? {
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
                if depth == 1, !isNested, Self.selectsRoot(selectors) {
                    return SVGDeclarations(plain: text[start..<(index - 1)])
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
        guard depth == 1, !isNested, Self.selectsRoot(selectors) else { return nil }
        return SVGDeclarations(plain: text[start...])
    }

    /// Up to the quote or the end of the line, which ends it too.
    private mutating func skipString(_ quote: UInt8) {
        while index < text.count, text[index] != UInt8(ascii: "\n") {
            index += 1
            if text[index - 1] == quote { return }
        }
    }

    private static func selectsRoot(_ list: ArraySlice<UInt8>) -> Bool {
        var rest = list
        while !rest.isEmpty {
            let selector = rest.prefix { $0 != UInt8(ascii: ",") }
            rest = rest[selector.endIndex...].dropFirst()
            let start = selector.drop(while: SVGScanner.isSpace)
            let word = start.lastIndex { !SVGScanner.isSpace($0) }.map { start[...$0] } ?? start
            if roots.contains(where: word.elementsEqual) { return true }
        }
        return false
    }

    private static let roots = ["svg", ":root", "svg:root"].map { Array($0.utf8) }
}
