import Alcedo
import Foundation

/// The arguments of one step of `--process`, read from left to right.
struct ProcessorArguments {
    let recipe: ProcessorRecipe

    /// How many pixels an image may have.
    let maximumPixels: Int

    /// Whether a colour was read.
    private(set) var hasColor = false

    private let step: Substring
    private var words: ArraySlice<Substring>
    private let wrong: (Substring, String) -> UsageError

    /// - Parameters:
    ///   - recipe: the processor that the step names.
    ///   - maximumPixels: how many pixels an image may have.
    ///   - step: all of the step.
    ///   - words: its arguments.
    ///   - wrong: creates the error for a piece of the text.
    init(
        recipe: ProcessorRecipe, maximumPixels: Int, step: Substring, words: [Substring],
        wrong: @escaping (Substring, String) -> UsageError
    ) {
        self.recipe = recipe
        self.maximumPixels = maximumPixels
        self.step = step
        self.words = words.map(\.trimmed)[...]
        self.wrong = wrong
    }

    /// Whether there is another argument.
    var hasMore: Bool { !words.isEmpty }

    /// Whether there is just one more argument.
    var isLast: Bool { words.count == 1 }

    /// A size such as `300x200`.
    mutating func size() throws -> CGSize {
        try read("a size such as 300x200, with sides from 1 to 65535") { CGSize(sides: $0) }
    }

    /// A size that an image is going to have.
    mutating func exactSize() throws -> CGSize {
        let limit = maximumPixels
        return try read("a size of at most \(limit) pixels, such as 300x200") { word in
            CGSize(sides: word).flatMap { Int($0.width) * Int($0.height) <= limit ? $0 : nil }
        }
    }

    /// A number in plain decimal notation.
    mutating func number(_ range: NumberRange) throws -> Double {
        try read("\(range)") { range.number($0) }
    }

    /// `#rrggbb`, or `#rrggbbaa` with an opacity.
    mutating func color() throws -> Color {
        hasColor = true
        return try read("a colour such as #ff8000 or #ff800080") { Color(hexadecimal: $0) }
    }

    /// One of some words, in any case.
    mutating func choice<Value>(_ choices: [(name: String, value: Value)]) throws -> Value {
        let names = choices.map(\.name).joined(separator: " or ")
        return try read(names) { word in choices.first { $0.name == word.lowercased() }?.value }
    }

    /// Throws if there are unread arguments.
    func finish() throws {
        guard let word = words.first else { return }
        throw wrong(word, "“\(word)” is one argument too many; write \(recipe.usage)")
    }

    private mutating func read<Value>(_ kind: String, _ parse: (Substring) -> Value?) throws -> Value {
        guard let word = words.popFirst() else {
            throw wrong(step, "“\(step)” lacks an argument; write \(recipe.usage)")
        }
        guard let value = parse(word) else {
            throw wrong(word, "“\(word)” is not \(kind); write \(recipe.usage)")
        }
        return value
    }
}

extension Color {
    /// `#rrggbb` or `#rrggbbaa`.
    fileprivate init?(hexadecimal text: Substring) {
        let digits = text.dropFirst().utf8
        guard text.first == "#", digits.count == 6 || digits.count == 8,
            digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
            let value = UInt32(text.dropFirst(), radix: 16)
        else { return nil }
        let rgba = digits.count == 8 ? value : value << 8 | 255
        func channel(_ shift: UInt32) -> CGFloat { CGFloat(rgba >> shift & 255) / 255 }
        self.init(red: channel(24), green: channel(16), blue: channel(8), alpha: channel(0))
    }
}
