import AlcedoPixels

/// How long the outline of a shape is at most and how far it reaches, by the numbers in its attributes.
struct SVGOutline {
    /// An upper estimate: curves count as the lines between their control points.
    private(set) var length = 0.0
    /// The farthest that it gets from where it started in either direction, at least.
    private(set) var width = 0.0
    private(set) var height = 0.0

    /// Lines, of which a curve has several.
    private(set) var corners = 0.0
    /// How many pairs of its lines there are of which a row of pixels may cross both.
    ///
    /// cairo keeps the lines that cross a row in order, and its work grows with the pairs that change places.
    private(set) var pairs = 0.0

    private var rows: [(start: Float, end: Float)] = []
    private var left = 0.0, right = 0.0, top = 0.0, bottom = 0.0
    private var x = 0.0, y = 0.0
    /// Where the present part of the outline started.
    private var start = (x: 0.0, y: 0.0)
    private var hasPoints = false

    init() {}

    init(path: some Collection<UInt8>) {
        var command = UInt8(ascii: "M")
        var numbers: [Double] = []
        var scanner = SVGNumbers(Array(path))
        while let token = scanner.next() {
            switch token {
            case .letter(let letter):
                add(command, numbers)
                (command, numbers) = (letter, [])
            case .number(let number): numbers.append(number)
            }
        }
        add(command, numbers)
        close()
        pairs = Self.pairs(rows)
        rows = []
    }

    /// Pairs of ranges that have a number in common.
    private static func pairs(_ rows: [(start: Float, end: Float)]) -> Double {
        let starts = rows.map { $0.start }.sorted()
        let ends = rows.map { $0.end }.sorted()
        var (ended, pairs) = (0, 0)
        for (index, start) in starts.enumerated() {
            while ends[ended] < start { ended += 1 }
            pairs += index - ended
        }
        return Double(pairs)
    }

    init(points: some Collection<UInt8>) { self.init(path: points) }

    /// A side, a radius or a coordinate of a basic shape.
    mutating func note(_ name: String, _ number: Double) {
        let number = number.magnitude
        switch name {
        case "x1", "x2": width += number
        case "y1", "y2": height += number
        case "width": width = max(width, number)
        case "height": height = max(height, number)
        case "r": (width, height) = (max(width, 2 * number), max(height, 2 * number))
        case "rx": width = max(width, 2 * number)
        case "ry": height = max(height, 2 * number)
        default: return
        }
        length = 4 * (width + height)
    }

    // MARK: - Path data

    private mutating func add(_ command: UInt8, _ numbers: [Double]) {
        let isRelative = command | 0x20 == command
        switch command | 0x20 {
        case UInt8(ascii: "h"): for number in numbers { line(isRelative ? x + number : number, y) }
        case UInt8(ascii: "v"): for number in numbers { line(x, isRelative ? y + number : number) }
        case UInt8(ascii: "a"): addArcs(numbers, isRelative)
        case UInt8(ascii: "z"): close()
        default:
            for index in stride(from: 0, to: numbers.count - 1, by: 2) {
                let toX = isRelative ? x + numbers[index] : numbers[index]
                let toY = isRelative ? y + numbers[index + 1] : numbers[index + 1]
                if index == 0, command | 0x20 == UInt8(ascii: "m") {
                    move(toX, toY)
                } else {
                    line(toX, toY)
                }
            }
        }
    }

    private mutating func addArcs(_ numbers: [Double], _ isRelative: Bool) {
        // Flags may be written without separators; then the groups of numbers are not known.
        guard numbers.count % 7 == 0 else {
            let sum = numbers.reduce(0) { $0 + $1.magnitude }
            length += 7 * sum
            line(x + sum, y + sum)
            return
        }
        for index in stride(from: 0, to: numbers.count, by: 7) {
            let radius = max(numbers[index].magnitude, numbers[index + 1].magnitude)
            length += 7 * radius
            line(
                isRelative ? x + numbers[index + 5] : numbers[index + 5],
                isRelative ? y + numbers[index + 6] : numbers[index + 6])
            reach(x - 2 * radius, y - 2 * radius)
            reach(x + 2 * radius, y + 2 * radius)
        }
    }

    /// Starts a part of the outline; filled ones are closed.
    private mutating func move(_ toX: Double, _ toY: Double) {
        close()
        (x, y, start) = (toX, toY, (toX, toY))
        reach(x, y)
    }

    private mutating func close() {
        if (x, y) != start { line(start.x, start.y) }
    }

    private mutating func line(_ toX: Double, _ toY: Double) {
        corners += 1
        length += (toX - x).magnitude + (toY - y).magnitude
        if toY != y { rows.append((Float(min(y, toY)), Float(max(y, toY)))) }
        (x, y) = (toX, toY)
        reach(x, y)
    }

    private mutating func reach(_ x: Double, _ y: Double) {
        if !hasPoints { (left, right, top, bottom, hasPoints) = (x, x, y, y, true) }
        (left, right) = (min(left, x), max(right, x))
        (top, bottom) = (min(top, y), max(bottom, y))
        (width, height) = (right - left, bottom - top)
    }
}

/// The numbers and letters of path data, a transform or a list of lengths, one after the other.
struct SVGNumbers {
    enum Token {
        case letter(UInt8)
        case number(Double)
    }

    private let text: [UInt8]
    private var index = 0

    init(_ text: [UInt8]) { self.text = text }

    /// All numbers in a text, with any separators; their magnitude is at most 10¹².
    static func all(in text: some StringProtocol) -> [Double] {
        var scanner = SVGNumbers(Array(text.utf8))
        var numbers: [Double] = []
        while let token = scanner.next() {
            if case .number(let number) = token { numbers.append(number) }
        }
        return numbers
    }

    mutating func next() -> Token? {
        while index < text.count {
            let byte = text[index]
            if Self.isDigit(byte) || Self.isSign(byte) || byte == UInt8(ascii: ".") {
                if let number = number() { return .number(number) }
            } else {
                index += 1
                if byte | 0x20 >= 97, byte | 0x20 <= 122 { return .letter(byte) }
            }
        }
        return nil
    }

    /// Skips a number, or a sign or a point that is not part of one.
    private mutating func number() -> Double? {
        let start = index
        if Self.isSign(text[index]) { index += 1 }
        skipDigits()
        if index < text.count, text[index] == UInt8(ascii: ".") {
            index += 1
            skipDigits()
        }
        let end = index
        if index < text.count, text[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < text.count, Self.isSign(text[index]) { index += 1 }
            let digits = index
            skipDigits()
            if index == digits { index = end }
        }
        let value = Double(String(decoding: text[start..<index], as: UTF8.self))
        return value.map { $0.isFinite ? min(max($0, -1e12), 1e12) : 1e12 }
    }

    private mutating func skipDigits() {
        while index < text.count, Self.isDigit(text[index]) { index += 1 }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 48 && byte <= 57 }

    private static func isSign(_ byte: UInt8) -> Bool { byte == 43 || byte == 45 }
}
