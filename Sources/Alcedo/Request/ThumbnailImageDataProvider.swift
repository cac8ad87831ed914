import AlcedoCodecs
import AlcedoLocks
import AlcedoTransport
public import Foundation

/// Provides a thumbnail of an image file, decoded at reduced size where the format allows.
///
/// Videos fail with `invalidImageSource`. The limits of the load apply, and with them its ``DecodeSandbox``.
public struct ThumbnailImageDataProvider: ImageDataProvider, FileImageDataProvider {
    /// Read, and wait for the worker pool: a few more than it has threads, so that these have something to decode.
    ///
    /// Not those for files, as a file there would wait for the thumbnails of its folder.
    static let files = FileQueue(
        label: "alcedo.thumbnails", width: min(WorkerPool.shared.threadCount + 2, 24), mostThreads: 48)

    /// The errors of the provider.
    public enum ThumbnailImageDataProviderError: Error {
        /// The file can't be read, or is no decodable image.
        case invalidImageSource
        /// The image can't be scaled: it is corrupt or exceeds the limits.
        case invalidThumbnail
        case writeDataError
        /// Never thrown: a thumbnail is encoded in one step.
        case finalizeDataError
    }

    public let url: URL

    /// The largest length of the thumbnail's longer side, in pixels.
    public var maxPixelSize: CGFloat

    /// Whether an image that is small enough is encoded again, without metadata; true by default.
    ///
    /// If false, such an image's own bytes are provided.
    public var alwaysCreateThumbnail: Bool

    public var cacheKey: String

    /// Creates a provider for one file; the default key is its absolute URL and the size.
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

    /// Encodes the thumbnail in the file's format if possible, else as PNG; within the default limits.
    ///
    /// Fails with a ``TransportError`` with the path if the file system has not responded for 15 s, or for the
    /// ``ImageDownloader/downloadTimeout`` of a load's downloader.
    public func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        dataWithinDefaults(handler: handler)
    }

    func data(
        limits: DecodeLimits, timeout: TimeInterval, cancellation: Cancellation, files: FileQueue,
        handler: @escaping @Sendable (Result<Data, any Error>) -> Void
    ) {
        // Not on the worker pool: a file system that hangs would take threads that decode.
        let job = files.run(url.filePath, limits: FileLimits(seconds: timeout)) { [url] reading in
            .success(try? LocalFile.read(url.filePath, limit: limits.encodedBytes, in: reading))
        } then: { read in
            let finish: @Sendable () -> Void = {
                guard !cancellation.isCancelled else { return handler(.failure(CancellationError())) }
                switch read {
                case .success(let data?): handler(thumbnail(of: data, within: limits).mapError { $0 })
                case .success(nil):
                    handler(.failure(ThumbnailImageDataProviderError.invalidImageSource))
                case .failure(let stall): handler(.failure(stall))
                }
            }
            WorkerPool.shared.finish(read, finish)
        }
        cancellation.whenCancelled { job.cancel() }
    }

    public var contentURL: URL? { url }

    private func thumbnail(
        of data: Data, within limits: DecodeLimits
    ) -> Result<Data, ThumbnailImageDataProviderError> {
        let encoded = try? EncodedImage(data, limits: limits, onlyFirstFrame: true, mayBeReduced: true)
        guard let encoded else { return .failure(.invalidImageSource) }
        let options = KingfisherParsedOptionsInfo([.decodeLimits(limits)])
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
