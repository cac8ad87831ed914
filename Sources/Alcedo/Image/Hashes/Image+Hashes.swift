import AlcedoCodecs
import AlcedoPixels
import AlcedoRaster
public import Foundation

extension Image {
    /// The blurred image of a ThumbHash: at most 32 pixels wide and high, with the hash's aspect ratio and alpha.
    ///
    /// Use it as a placeholder: views scale it up smoothly.
    ///
    /// - Throws: ``ImageHashError`` if the bytes are no ThumbHash (evanw.github.io/thumbhash).
    public convenience init(thumbHash: Data) throws {
        guard thumbHash.count <= ThumbHash.mostBytes else {
            throw ImageHashError.invalidLength(thumbHash.count, expected: ThumbHash.mostBytes)
        }
        self.init(bitmap: try ThumbHash([UInt8](thumbHash)).bitmap())
    }

    /// The blurred image of a BlurHash.
    ///
    /// - Parameters:
    ///   - blurHash: the text.
    ///   - size: the size in pixels, up to ``ImageHashError/longestSide`` per side. A BlurHash has no aspect ratio, so use that
    ///     of the image; 32 pixels are enough.
    ///   - punch: multiplies the contrast; 1 by default, up to ``ImageHashError/largestPunch`` in either direction.
    /// - Throws: ``ImageHashError`` if the text is no BlurHash (github.com/woltapp/blurhash), or for an invalid size.
    public convenience init(blurHash: String, size: CGSize, punch: Double = 1) throws {
        let sides = 1...CGFloat(ImageHashError.longestSide)
        guard sides.contains(size.width), sides.contains(size.height) else {
            throw ImageHashError.invalidSize(size)
        }
        let pixels = PixelSize(width: Int(size.width.rounded()), height: Int(size.height.rounded()))
        self.init(bitmap: try BlurHash(blurHash, punch: punch).bitmap(pixels))
    }

    /// The image's ThumbHash: 5 to 25 bytes, for a later ``init(thumbHash:)``.
    ///
    /// Decodes the image at about 100 pixels.
    ///
    /// - Throws: ``CodecError`` if it can't be decoded.
    public func thumbHash() throws(CodecError) -> Data {
        let side = CGFloat(100)
        let longest = max(pixelSize.width, pixelSize.height)
        let factor = min(1, side / CGFloat(longest))
        // Fewer pixels than twice the coefficients of a side would alias.
        let size = PixelSize(
            width: max(14, Int((CGFloat(pixelSize.width) * factor).rounded())),
            height: max(14, Int((CGFloat(pixelSize.height) * factor).rounded())))
        let rgba = try pixels(resizedTo: size).bytes(in: PixelLayout(.rgba, .straight))
        return Data(ThumbHash(rgba: rgba, size: size, shape: pixelSize).bytes)
    }
}

/// Provides the blurred image of a ThumbHash, as a source or an alternative source.
public struct ThumbHashImageDataProvider: ImageDataProvider, DecodingImageDataProvider {
    public let thumbHash: Data
    public let cacheKey: String

    /// Creates a provider; the default key is the hash in Base64.
    public init(thumbHash: Data, cacheKey: String? = nil) {
        self.thumbHash = thumbHash
        self.cacheKey = cacheKey ?? "thumbhash:" + thumbHash.base64EncodedString()
    }

    /// Decodes the hash, and provides a PNG; fails with ``ImageHashError``.
    public func data() async throws -> Data { try await data(within: DecodeLimits()) }

    func bytes(within limits: DecodeLimits) throws -> Data {
        try Image(thumbHash: thumbHash).data(as: .png)
    }
}

/// Provides the blurred image of a BlurHash, as a source or an alternative source.
public struct BlurHashImageDataProvider: ImageDataProvider, DecodingImageDataProvider {
    public let blurHash: String

    /// The size in pixels.
    public let size: CGSize

    public let cacheKey: String

    /// Creates a provider; the default key is the hash and the size.
    public init(blurHash: String, size: CGSize, cacheKey: String? = nil) {
        (self.blurHash, self.size) = (blurHash, size)
        self.cacheKey = cacheKey ?? "blurhash:\(blurHash)@\(size.width)x\(size.height)"
    }

    /// Decodes the hash, and provides a PNG; fails with ``ImageHashError``.
    public func data() async throws -> Data { try await data(within: DecodeLimits()) }

    func bytes(within limits: DecodeLimits) throws -> Data {
        try Image(blurHash: blurHash, size: size).data(as: .png)
    }
}

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

    public var errorDescription: String? { description }
}
