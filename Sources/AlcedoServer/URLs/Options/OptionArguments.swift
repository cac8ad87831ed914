/// One option of a URL: its name, and its arguments as texts.
struct OptionArguments: Sendable, Equatable {
    let name: String
    private let values: [String]

    init(name: String, values: [String]) {
        self.name = name
        self.values = values
    }

    /// Reads a path segment; `nil` if it has no separator, and so is no option.
    init?(_ segment: ArraySlice<UInt8>, separator: [UInt8]) {
        let parts = segment.parts(by: separator)
        guard parts.count > 1 else { return nil }
        name = parts[0].text
        values = parts.dropFirst().map(\.text)
    }

    var count: Int { values.count }
    var all: [String] { values }

    func failure(_ reason: String) -> URLFailure {
        URLFailure(.invalidURL, "option “\(name)”: \(reason)")
    }

    func check(most: Int) throws(URLFailure) {
        guard count <= most else { throw failure("has \(count) arguments; it takes \(most) at most") }
    }

    /// The arguments from `start` on.
    func dropping(_ start: Int) -> OptionArguments {
        OptionArguments(name: name, values: Array(values.dropFirst(start)))
    }

    // MARK: - Single arguments

    /// Whether the argument is there and not empty.
    func has(_ index: Int) -> Bool { index < values.count && !values[index].isEmpty }

    func text(_ index: Int) throws(URLFailure) -> String {
        guard has(index) else { throw failure("argument \(index + 1) is missing") }
        return values[index]
    }

    /// Anything but a word for true is false.
    func bool(_ index: Int) -> Bool {
        index < values.count && ["1", "t", "T", "true", "TRUE", "True"].contains(values[index])
    }

    func integer(_ index: Int, in range: ClosedRange<Int> = 0...Int.max) throws(URLFailure) -> Int {
        let text = try text(index)
        guard let number = Int(text), range.contains(number) else {
            let most = range.upperBound == .max ? "on" : "to \(range.upperBound)"
            throw failure("“\(text)” is not an integer from \(range.lowerBound) \(most)")
        }
        return number
    }

    func number(
        _ index: Int, from least: Double = -.greatestFiniteMagnitude,
        to most: Double = .greatestFiniteMagnitude
    ) throws(URLFailure) -> Double {
        let text = try text(index)
        guard let number = Double(text), number >= least, number <= most else {
            throw failure("“\(text)” is not a number" + Self.range(from: least, to: most))
        }
        return number
    }

    private static func range(from least: Double, to most: Double) -> String {
        if most < .greatestFiniteMagnitude { return " from \(least) to \(most)" }
        if least == .leastNonzeroMagnitude { return " above 0" }
        return least == 0 ? " from 0 on" : ""
    }

    /// A finite number above 0.
    func positiveNumber(_ index: Int) throws(URLFailure) -> Double {
        try number(index, from: .leastNonzeroMagnitude)
    }

    func color(_ index: Int) throws(URLFailure) -> RGBColor {
        let text = try text(index)
        let digits = text.utf8.map(\.hexValue)
        var bytes: [UInt8] = []
        for index in 0..<3 {
            let pair =
                digits.count == 3
                ? [digits[index], digits[index]] : Array(digits.dropFirst(2 * index).prefix(2))
            guard digits.count == 3 || digits.count == 6, let high = pair[0], let low = pair[1] else {
                throw failure("“\(text)” is not a colour of 3 or 6 hexadecimal digits")
            }
            bytes.append(high << 4 | low)
        }
        return RGBColor(red: bytes[0], green: bytes[1], blue: bytes[2])
    }
}
