public import Foundation

/// A ThumbHash or BlurHash that can't be decoded.
public enum ImageHashError: Error, Equatable {
    /// The hash has another length than its header requires, in bytes or characters.
    case invalidLength(Int, expected: Int)

    /// A character is not one of BlurHash's 83.
    case invalidCharacter(Character)

    /// The size in pixels is not from 1 to ``longestSide``.
    case invalidSize(CGSize)

    /// The characters of a BlurHash from this position on, from 0, are a number that is too large for a colour.
    case invalidValue(position: Int)

    /// The contrast is not finite or larger than ``largestPunch``.
    case invalidPunch(Double)

    /// The largest contrast of a decoded BlurHash, positive or negative.
    public static let largestPunch = 1000.0

    /// The longest side of a decoded BlurHash, in pixels; scale it up for display.
    public static let longestSide = 256
}

extension ImageHashError: LocalizedError, CustomStringConvertible {
    /// What is invalid and what would be valid.
    public var description: String {
        switch self {
        case .invalidLength(let length, let expected):
            "Could not decode the image hash: its length is \(length), but its header requires \(expected)."
        case .invalidCharacter(let character):
            "Could not decode the BlurHash: “\(character)” is not one of its characters."
        case .invalidValue(let position):
            "Could not decode the BlurHash: its characters from position \(position) on are no colour."
        case .invalidPunch(let punch):
            "Could not decode the BlurHash with a punch of \(punch). Use a number from -1000 to 1000."
        case .invalidSize(let size):
            "Could not decode the BlurHash to \(size.width) × \(size.height) pixels. Use sides from 1 to \(Self.longestSide)."
        }
    }

    /// ``description``.
    public var errorDescription: String? { description }
}
