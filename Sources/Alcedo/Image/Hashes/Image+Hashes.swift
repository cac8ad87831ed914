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
    /// The hash.
    public let thumbHash: Data

    /// The key in the caches.
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
    /// The hash.
    public let blurHash: String

    /// The size in pixels.
    public let size: CGSize

    /// The key in the caches.
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
