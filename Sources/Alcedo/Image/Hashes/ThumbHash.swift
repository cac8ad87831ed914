import AlcedoPixels
import Foundation

/// ThumbHash: 5 to 25 bytes with the lowest frequencies of an image, its aspect ratio and its alpha.
///
/// Format and formulas: evanw.github.io/thumbhash, by Evan Wallace. Luminance has up to 7 × 7 coefficients, two colour
/// differences have 3 × 3, alpha 5 × 5; of each only the upper left triangle. All but the constant ones have 4 bits.
struct ThumbHash {
    /// Coefficients of one channel: the constant one, and the others row by row.
    struct Channel {
        let columns: Int
        let rows: Int
        var constant: Double
        var others: [Double] = []

        /// The horizontal and vertical frequency of each coefficient but the constant one.
        static func frequencies(_ columns: Int, _ rows: Int) -> [(x: Int, y: Int)] {
            (0..<rows).flatMap { y in
                ((y == 0 ? 1 : 0)..<columns).filter { $0 * rows < columns * (rows - y) }.map { ($0, y) }
            }
        }
    }

    var luminance: Channel
    var yellowBlue: Channel
    var redGreen: Channel
    var alpha: Channel?
    var isLandscape: Bool

    /// Width over height, as far as the number of coefficients shows it.
    var aspectRatio: Double {
        let most = Double(alpha == nil ? 7 : 5)
        let other = Double(shortSide)
        return isLandscape ? most / other : other / most
    }

    /// The stored number of luminance coefficients of the shorter side, from 1 to 7.
    var shortSide: Int

    static let longestSide = 32

    /// The most bytes that a header can require.
    static let mostBytes = 29
}

// MARK: - Bytes

extension ThumbHash {
    /// Reads a hash.
    init(_ bytes: [UInt8]) throws(ImageHashError) {
        guard bytes.count >= 5 else { throw .invalidLength(bytes.count, expected: 5) }
        let head = Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16
        let tail = Int(bytes[3]) | Int(bytes[4]) << 8
        let hasAlpha = head >> 23 == 1
        isLandscape = tail >> 15 == 1
        shortSide = max(1, tail & 7)
        let most = hasAlpha ? 5 : 7
        let (columns, rows) = (max(3, isLandscape ? most : shortSide), max(3, isLandscape ? shortSide : most))
        let counts = [
            Channel.frequencies(columns, rows).count, 5, 5, hasAlpha ? Channel.frequencies(5, 5).count : 0,
        ]
        let start = hasAlpha ? 6 : 5
        let expected = start + (counts.reduce(0, +) + 1) / 2
        guard bytes.count == expected else { throw .invalidLength(bytes.count, expected: expected) }
        var index = 0
        func channel(_ columns: Int, _ rows: Int, _ constant: Double, _ scale: Double) -> Channel {
            let others = Channel.frequencies(columns, rows).map { _ in
                let nibble = bytes[start + index / 2] >> (index % 2 * 4) & 15
                index += 1
                return (Double(nibble) / 7.5 - 1) * scale
            }
            return Channel(columns: columns, rows: rows, constant: constant, others: others)
        }
        luminance = channel(columns, rows, Double(head & 63) / 63, Double(head >> 18 & 31) / 31)
        // Colours are a quarter stronger, because quantisation makes them pale.
        yellowBlue = channel(3, 3, Double(head >> 6 & 63) / 31.5 - 1, Double(tail >> 3 & 63) / 63 * 1.25)
        redGreen = channel(3, 3, Double(head >> 12 & 63) / 31.5 - 1, Double(tail >> 9 & 63) / 63 * 1.25)
        alpha = hasAlpha ? channel(5, 5, Double(bytes[5] & 15) / 15, Double(bytes[5] >> 4) / 15) : nil
    }

    /// The hash of channels with the true scale of their coefficients.
    var bytes: [UInt8] {
        func scale(_ channel: Channel) -> Double { channel.others.map(\.magnitude).max() ?? 0 }
        func quantised(_ value: Double, _ steps: Double) -> Int {
            Int((min(max(value, 0), 1) * steps).rounded())
        }
        let head =
            quantised(luminance.constant, 63) | quantised((yellowBlue.constant + 1) / 2, 63) << 6
            | quantised((redGreen.constant + 1) / 2, 63) << 12 | quantised(scale(luminance), 31) << 18
            | (alpha == nil ? 0 : 1) << 23
        let tail =
            shortSide | quantised(scale(yellowBlue), 63) << 3 | quantised(scale(redGreen), 63) << 9
            | (isLandscape ? 1 : 0) << 15
        var bytes = [head, head >> 8, head >> 16, tail, tail >> 8].map { UInt8(truncatingIfNeeded: $0) }
        if let alpha {
            bytes.append(UInt8(quantised(alpha.constant, 15) | quantised(scale(alpha), 15) << 4))
        }
        var nibbles: [UInt8] = []
        for channel in [luminance, yellowBlue, redGreen] + (alpha.map { [$0] } ?? []) {
            let most = scale(channel)
            nibbles += channel.others.map { UInt8(quantised(most > 0 ? 0.5 + $0 / most / 2 : 0, 15)) }
        }
        for index in stride(from: 0, to: nibbles.count, by: 2) {
            bytes.append(nibbles[index] | (index + 1 < nibbles.count ? nibbles[index + 1] << 4 : 0))
        }
        return bytes
    }
}
