/// Removes from CSS what loads something: a style sheet, the value of `style`, or that of one property.
///
/// Reads CSS' tokens (CSS Syntax 3) and writes those that it knows. Rules such as `@import` go with their
/// contents, and `none` replaces functions that are not listed, and `url()` of anything but a part of the
/// drawing or pixels inside it.
struct SVGStyle {
    private let bytes: [UInt8]
    private var position = 0
    private var output: [UInt8] = []

    /// Malformed CSS, which is left out; nobody reads a reason.
    private struct Unreadable: Error {}

    /// The harmless part; nil if the text has escapes, which can spell any name, or strings or comments
    /// without an end.
    static func cleaned(_ text: [UInt8]) -> [UInt8]? {
        // A word alone loads nothing.
        guard text.contains(where: { !isInName($0) }) else { return text }
        var style = SVGStyle(bytes: text)
        do throws(Unreadable) { try style.run() } catch { return nil }
        return style.output
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func run() throws(Unreadable) {
        while position < bytes.count {
            let start = position
            switch bytes[position] {
            case UInt8(ascii: "@"):
                position += 1
                if Self.rules.contains(name()) {
                    output += bytes[start..<position]
                } else {
                    try skipRule()
                    output.append(UInt8(ascii: " "))
                }
            case let byte where Self.isInName(byte):
                let name = name()
                guard position < bytes.count, bytes[position] == UInt8(ascii: "(") else {
                    output += bytes[start..<position]
                    continue
                }
                position += 1
                try function(name, from: start)
            default:
                let isComment = try skipToken()
                if isComment {
                    // A comment separates tokens, and so does a space.
                    output.append(UInt8(ascii: " "))
                } else {
                    output += bytes[start..<position]
                }
            }
        }
    }

    private mutating func function(_ name: [UInt8], from start: Int) throws(Unreadable) {
        if Self.functions.contains(name) {
            output += bytes[start..<position]
        } else if name.elementsEqual("url".utf8) {
            let isKept = SVGLink.isKept(try url(), forImage: true)
            if isKept { output += bytes[start..<position] } else { output += Self.nothing }
        } else {
            try skip(to: UInt8(ascii: ")"))
            output += Self.nothing
        }
    }

    /// The argument of `url(`; moves past the `)`.
    private mutating func url() throws(Unreadable) -> [UInt8] {
        skipSpace()
        let start = position
        guard position < bytes.count else { throw Unreadable() }
        let isQuoted = Self.isQuote(bytes[position])
        if isQuoted {
            try skipToken()
        } else {
            while position < bytes.count, bytes[position] != UInt8(ascii: ")"),
                !bytes[position].isXMLSpace
            {
                guard !Self.isQuote(bytes[position]), bytes[position] != UInt8(ascii: "("),
                    bytes[position] != UInt8(ascii: "\\")
                else { throw Unreadable() }
                position += 1
            }
        }
        let url = Array(isQuoted ? bytes[(start + 1)..<(position - 1)] : bytes[start..<position])
        skipSpace()
        guard position < bytes.count, bytes[position] == UInt8(ascii: ")") else { throw Unreadable() }
        position += 1
        return url
    }

    /// Moves past a string, a comment or one byte of another kind; returns whether it was a comment.
    @discardableResult
    private mutating func skipToken() throws(Unreadable) -> Bool {
        let first = bytes[position]
        guard first != UInt8(ascii: "\\") else { throw Unreadable() }
        position += 1
        if Self.isQuote(first) {
            while position < bytes.count, bytes[position] != first {
                guard ![0x0a, 0x0d, UInt8(ascii: "\\")].contains(bytes[position]) else {
                    throw Unreadable()
                }
                position += 1
            }
            guard position < bytes.count else { throw Unreadable() }
            position += 1
        } else if first == UInt8(ascii: "/"), position < bytes.count, bytes[position] == UInt8(ascii: "*") {
            position += 1
            while position + 1 < bytes.count {
                if bytes[position] == UInt8(ascii: "*"), bytes[position + 1] == UInt8(ascii: "/") {
                    position += 2
                    return true
                }
                position += 1
            }
            throw Unreadable()
        }
        return false
    }

    /// Moves past a rule's semicolon or block, or before the end of the block around it.
    private mutating func skipRule() throws(Unreadable) {
        while position < bytes.count, bytes[position] != UInt8(ascii: "}") {
            let byte = bytes[position]
            try skipToken()
            if byte == UInt8(ascii: ";") { return }
            if byte == UInt8(ascii: "{") { return try skip(to: UInt8(ascii: "}")) }
            if byte == UInt8(ascii: "(") { try skip(to: UInt8(ascii: ")")) }
        }
    }

    /// Moves past the bracket that closes one that was opened.
    private mutating func skip(to end: UInt8) throws(Unreadable) {
        var open = [end]
        while let next = open.last {
            guard position < bytes.count, open.count < 64 else { throw Unreadable() }
            let byte = bytes[position]
            try skipToken()
            switch byte {
            case next: open.removeLast()
            case UInt8(ascii: "("): open.append(UInt8(ascii: ")"))
            case UInt8(ascii: "{"): open.append(UInt8(ascii: "}"))
            case UInt8(ascii: "["): open.append(UInt8(ascii: "]"))
            default: break
            }
        }
    }

    private mutating func skipSpace() {
        while position < bytes.count, bytes[position].isXMLSpace { position += 1 }
    }

    /// The name that follows, in lower case; moves past it.
    private mutating func name() -> [UInt8] {
        let start = position
        while position < bytes.count, Self.isInName(bytes[position]) { position += 1 }
        return bytes[start..<position].map(\.asciiLowercased)
    }

    private static func isInName(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            || byte >= 0x80
    }

    private static func isQuote(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
    }

    private static let nothing = Array(" none ".utf8)

    private static let rules = words("media supports keyframes -webkit-keyframes font-face layer")

    private static let functions = words(
        """
        rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix icc-color calc min max clamp abs sign \
        round mod rem sin cos tan atan2 pow sqrt hypot var matrix matrix3d perspective rotate rotate3d \
        rotatex rotatey rotatez scale scale3d scalex scaley skew skewx skewy translate translate3d \
        translatex translatey cubic-bezier steps linear blur brightness contrast drop-shadow grayscale \
        hue-rotate invert opacity saturate sepia circle ellipse inset polygon path rect xywh \
        linear-gradient radial-gradient conic-gradient repeating-linear-gradient \
        repeating-radial-gradient not is where has nth-child nth-last-child nth-of-type nth-last-of-type \
        lang local format
        """)

    private static func words(_ text: String) -> Set<[UInt8]> {
        Set(text.split(separator: " ").map { Array($0.utf8) })
    }
}
