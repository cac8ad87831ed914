/// How large letters may become: librsvg 2.54 ends the program where Pango's numbers overflow.
struct SVGFonts {
    /// Pixels, of which 2,097,152 are too many.
    static let largestSize = 1e6

    /// Of the largest letters, as far as it is not multiplied.
    private(set) var size = 20.0
    private var factor = 1.0

    /// Reads a style in which there are sizes of fonts, and perhaps other numbers.
    mutating func note(_ text: String) {
        var rest = text.utf8[...]
        while let start = rest.firstIndex(where: { Self.isDigit($0) || $0 == UInt8(ascii: ".") }) {
            let isColor = start > rest.startIndex && rest[rest.index(before: start)] == UInt8(ascii: "#")
            let token = rest[start...].prefix {
                Self.isDigit($0) || Self.isLetter($0) || ".+-%".utf8.contains($0)
            }
            if !isColor { note(token: String(decoding: token, as: UTF8.self).lowercased()) }
            rest = rest[start...].dropFirst(token.count)
        }
    }

    /// Of the largest letters, however sizes multiply in `levels` of nesting.
    func largest(levels: Int) -> Double {
        var size = size
        for _ in 0..<levels where size <= Self.largestSize { size *= factor }
        return size
    }

    private mutating func note(token: String) {
        for (unit, share) in [("%", 0.01), ("rem", 0), ("em", 1), ("ex", 1), ("ch", 1)]
        where token.hasSuffix(unit) && share > 0 {
            factor = max(factor, (Double(token.dropLast(unit.count)) ?? .infinity) * share)
            return
        }
        let number = token.prefix { Self.isDigit($0.utf8.first ?? 0) || ".+-e".contains($0) }
        // The longest unit is an inch.
        size = max(size, (Double(number) ?? 0) * (number.count == token.count ? 1 : 96))
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 48 && byte <= 57 }

    private static func isLetter(_ byte: UInt8) -> Bool { byte | 32 >= 97 && byte | 32 <= 122 }
}
