/// CSS that librsvg reads as it is read here, and that leads to no other document.
///
/// librsvg loads `data:` URLs by itself: style sheets that are imported, and documents whose gradients, masks and filters are
/// referred to. Their work would not be counted, and their pictures would be left to gdk-pixbuf.
enum SVGLocalStyle {
    private static let (escape, space, newline) = (
        UInt8(ascii: "\\"), UInt8(ascii: " "), UInt8(ascii: "\n")
    )

    /// `style`, a sheet or the value of an attribute, without escapes, imports, comments and addresses of other documents.
    ///
    /// No name has to be written with escapes, and none is to hide behind them.
    static func text(_ style: [UInt8]) -> [UInt8] {
        guard
            style.contains(where: { $0 == escape || $0 == UInt8(ascii: "(") || $0 == UInt8(ascii: "@") })
        else { return style }
        var scanner = SVGScanner(style.map { $0 == escape ? space : $0 == 13 ? newline : $0 })
        var result: [UInt8] = []
        result.reserveCapacity(style.count)
        while let byte = scanner.peek {
            if scanner.take("/*") {
                _ = scanner.skip(past: "*/")
                result.append(space)
            } else if scanner.take("(") {
                result.append(byte)
                if hasSuffix("url", result.dropLast()) { readAddress(&scanner, into: &result) }
            } else {
                scanner.skip()
                result.append(byte)
                if hasSuffix("@import", result[...]) {
                    // The rule is skipped to its end, as any that is not known.
                    result.replaceSubrange((result.count - 6)..., with: "ignore".utf8)
                }
            }
        }
        return result
    }

    /// Reads what follows `url(`, up to the quote or the parenthesis that ends it; only a name in the document is kept.
    private static func readAddress(_ scanner: inout SVGScanner, into result: inout [UInt8]) {
        scanner.skipSpace()
        let quote = scanner.peek.flatMap {
            [UInt8(ascii: "\""), UInt8(ascii: "'")].contains($0) ? $0 : nil
        }
        if let quote {
            scanner.skip()
            result.append(quote)
        }
        let end = quote ?? UInt8(ascii: ")")
        // A quotation ends with its line, too.
        let target = scanner.upTo(end, or: quote == nil ? end : newline)
        if target.first == UInt8(ascii: "#") {
            result += target
        } else {
            result.append(UInt8(ascii: "#"))
        }
        if let quote, scanner.peek != quote { result.append(quote) }
    }

    private static func hasSuffix(_ word: StaticString, _ text: ArraySlice<UInt8>) -> Bool {
        let word = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        return text.suffix(word.count).elementsEqual(word) {
            ($0 >= 65 && $0 <= 90 ? $0 | 0x20 : $0) == $1
        }
    }
}
