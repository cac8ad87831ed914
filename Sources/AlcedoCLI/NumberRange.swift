import Foundation

/// A range of allowed numbers, with its description for messages.
struct NumberRange: Sendable {
    private let range: ClosedRange<Double>
    private let excludesLower: Bool

    /// From `lower` to `upper`, both included.
    static func from(_ lower: Double, to upper: Double) -> NumberRange {
        NumberRange(range: lower...upper, excludesLower: false)
    }

    /// Above 0, up to `upper`.
    static func positive(upTo upper: Double) -> NumberRange {
        NumberRange(range: 0...upper, excludesLower: true)
    }

    /// The number in plain decimal notation that `text` is; nil if it is none, or out of range.
    func number(_ text: some StringProtocol) -> Double? {
        // `Double` also reads hexadecimal digits, exponents, `inf` and `nan`.
        guard text.utf8.allSatisfy({ "+-.0123456789".utf8.contains($0) }), let number = Double(text),
            range.contains(number), !excludesLower || number > range.lowerBound
        else { return nil }
        return number
    }
}

extension NumberRange: CustomStringConvertible {
    /// `a number from 0 to 1`, `a number above 0 and up to 100`.
    var description: String {
        let (lower, upper) = (range.lowerBound, range.upperBound)
        return excludesLower
            ? "a number above \(lower.formatted()) and up to \(upper.formatted())"
            : "a number from \(lower.formatted()) to \(upper.formatted())"
    }
}

extension Double {
    /// Whole numbers have no fraction.
    fileprivate func formatted() -> String { self == rounded() ? "\(Int(self))" : "\(self)" }
}

extension CGSize {
    /// The size that a text such as `300x200` names: whole numbers of pixels, each from 1 to 65,535.
    init?(sides text: some StringProtocol) {
        // `Int` alone would also take a sign.
        let sides = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
            .map { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int($0) : nil }
        guard sides.count == 2, let width = sides[0], let height = sides[1],
            (1...65_535).contains(width), (1...65_535).contains(height)
        else { return nil }
        self.init(width: width, height: height)
    }
}
