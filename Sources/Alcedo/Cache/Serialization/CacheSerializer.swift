public import Foundation

/// Encodes images for a disk cache, and decodes them.
public protocol CacheSerializer: Sendable {
    /// The bytes to store, or nil to store nothing; `original` is the encoded bytes of the unprocessed image, if known.
    func data(with image: KFCrossPlatformImage, original: Data?) -> Data?

    /// The image of stored bytes; nil if they hold none.
    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?

    /// Whether it stores originals, so that a disk hit is processed again; false by default.
    var originalDataUsed: Bool { get }
}

extension CacheSerializer {
    /// False.
    public var originalDataUsed: Bool { false }
}
