import AlcedoRaster

/// 64 bits that tell how an image looks: copies in other sizes, formats and qualities have nearly the same.
///
/// ```swift
/// let isCopy = try first.perceptualHash().distance(to: second.perceptualHash()) <= 10
/// ```
///
/// It is the hash by a cosine transform that is widely called pHash. It does not find images that are cropped, mirrored
/// or turned, nor copies that were changed on purpose so that it misses them.
public struct PerceptualHash: Sendable, Hashable {
    /// The bits, by rows of the transform; the highest is the mean.
    public let bits: UInt64

    public init(bits: UInt64) { self.bits = bits }

    /// How many bits differ, from 0 to 64.
    ///
    /// Up to about 10 for copies of an image; about 32 for two images that have nothing in common.
    public func distance(to other: PerceptualHash) -> Int { (bits ^ other.bits).nonzeroBitCount }
}

extension PerceptualHash: LosslessStringConvertible, Codable {
    /// 16 hexadecimal digits.
    public var description: String {
        let digits = String(bits, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Reads the 16 digits of a ``description``; nil for another text.
    public init?(_ description: String) {
        guard description.utf8.count == 16, description.allSatisfy(\.isHexDigit),
            let bits = UInt64(description, radix: 16)
        else { return nil }
        self.bits = bits
    }

    /// Reads a text as ``description``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let hash = PerceptualHash(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "“\(text)” is not 16 hexadecimal digits")
        }
        self = hash
    }

    /// Writes the ``description``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension Image {
    /// The image's perceptual hash; of an animation that of its first frame.
    ///
    /// Decodes the image at a reduced size; transparent parts count as white.
    ///
    /// - Throws: ``CodecError`` if it can't be decoded.
    public func perceptualHash() throws(CodecError) -> PerceptualHash {
        let side = PixelSize(width: LowFrequencies.side, height: LowFrequencies.side)
        return PerceptualHash(bits: try LowFrequencies.bits(of: pixels(resizedTo: side)))
    }
}
