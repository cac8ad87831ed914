public import Foundation

/// How an image becomes the bytes of a disk cache, and back.
public protocol CacheSerializer: Sendable {
    /// The bytes to store.
    ///
    /// - Parameters:
    ///   - image: the image, processed.
    ///   - original: the bytes that it was made from, where they are known.
    /// - Returns: nil to store nothing.
    func data(with image: KFCrossPlatformImage, original: Data?) -> Data?

    /// The image that stored bytes hold, or nil if they hold none.
    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?

    /// Whether what is stored is the original, so that a hit has to be processed again; false by default.
    var originalDataUsed: Bool { get }
}

extension CacheSerializer {
    /// False.
    public var originalDataUsed: Bool { false }
}
