public import Foundation

/// A ThumbHash or BlurHash that can't be decoded.
public enum ImageHashError: Error, Equatable {
    /// The hash has another length than its header requires, in bytes or characters.
    case invalidLength(Int, expected: Int)

    /// A character is not one of BlurHash's 83.
    case invalidCharacter(Character)

    /// The size in pixels is not from 1 to ``longestSide``.
    case invalidSize(CGSize)

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
        case .invalidSize(let size):
            "Could not decode the BlurHash to \(size.width) × \(size.height) pixels. Use sides from 1 to \(Self.longestSide)."
        }
    }

    /// ``description``.
    public var errorDescription: String? { description }
}
