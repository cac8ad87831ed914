import AlcedoCodecs
public import Foundation

/// Makes a small picture of an image file, without decoding more of it than it needs.
///
/// A thumbnail of a video is not to be had: that needs a video decoder, and ends with `invalidImageSource`.
public struct ThumbnailImageDataProvider: ImageDataProvider {
    /// Why there is no thumbnail.
    public enum ThumbnailImageDataProviderError: Error {
        /// The file can't be read, or is no image that can be decoded.
        case invalidImageSource
        /// The image can't be scaled: it is damaged, or too large.
        case invalidThumbnail
        /// The thumbnail can't be written.
        case writeDataError
        /// Never thrown: a thumbnail is written in one step.
        case finalizeDataError
    }

    /// The image file.
    public let url: URL

    /// The longer side of the thumbnail at the most, in pixels.
    public var maxPixelSize: CGFloat

    /// Whether an image that is small enough already is written anew, without metadata; true by default.
    ///
    /// If not, its own bytes are handed over.
    public var alwaysCreateThumbnail: Bool

    /// Names the image in the caches.
    public var cacheKey: String

    /// Makes a provider for one file; without a key, its absolute URL and the size name it.
    public init(
        url: URL,
        maxPixelSize: CGFloat,
        alwaysCreateThumbnail: Bool = true,
        cacheKey: String? = nil
    ) {
        self.url = url
        self.maxPixelSize = maxPixelSize
        self.alwaysCreateThumbnail = alwaysCreateThumbnail
        self.cacheKey = cacheKey ?? "\(url.absoluteString)_thumb_\(maxPixelSize)_\(alwaysCreateThumbnail)"
    }

    /// Makes the thumbnail, in the file's own format where that can be written and as PNG otherwise.
    public func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        WorkerPool.shared.submit { handler(thumbnail().mapError { $0 }) }
    }

    /// The file.
    public var contentURL: URL? { url }

    private var options: KingfisherParsedOptionsInfo { KingfisherParsedOptionsInfo(nil) }

    private func thumbnail() -> Result<Data, ThumbnailImageDataProviderError> {
        guard let data = try? LocalFile.read(url.path, limit: DecodeLimits().encodedBytes),
            let encoded = try? EncodedImage(
                data, limits: options.decodeLimits, onlyFirstFrame: true, mayBeReduced: true)
        else { return .failure(.invalidImageSource) }
        let longest = max(encoded.info.size.width, encoded.info.size.height)
        guard alwaysCreateThumbnail || CGFloat(longest) > maxPixelSize else { return .success(data) }
        let side = CGSize(width: maxPixelSize, height: maxPixelSize)
        let processor = DownsamplingImageProcessor(size: side)
        guard let small = processor.process(item: .data(data), options: options) else {
            return .failure(.invalidThumbnail)
        }
        guard let written = small.kf.data(format: data.kf.imageFormat, compressionQuality: 0.9)
        else { return .failure(.writeDataError) }
        return .success(written)
    }
}
