import AlcedoLocks
import AlcedoPixels
import Foundation
import FoundationNetworking

/// A video at a URL, of which a load's downloader loads the parts that a frame needs.
struct RemoteVideo {
    let url: URL
    let seconds: TimeInterval
    let downloader: ImageDownloader

    /// Those of the load: its credentials, modifier and limits apply to each request.
    let options: KingfisherParsedOptionsInfo

    /// Loads and decodes; throws what the downloader throws, a ``TransportError`` or a ``CodecError``.
    func frame() async throws -> Bitmap {
        let video = PartialVideo(at: url.absoluteString, seconds: seconds, limits: options.decodeLimits)
        return try await video.frame { part in
            do {
                let loaded = try await downloader.downloadImage(with: url, options: options(for: part))
                return PartialVideo.PartResponse(loaded.fetched?.response, body: loaded.originalData)
            } catch {
                // A server sends the whole file if that is another one by now.
                guard !part.isFirst,
                    case .responseError(.URLSessionError(let cause))? = error as? KingfisherError,
                    case .tooLarge? = cause.transportError
                else { throw error }
                throw video.hasChanged
            }
        } decode: { job in
            let result = OneShot<PartialVideo.DecodeResult, Never>()
            AVAssetImageDataProvider.files.async { result.finish(.success(job())) }
            return await result.value()
        }
    }

    private func options(for part: PartialVideo.PartRequest) -> KingfisherParsedOptionsInfo {
        var options = options
        options.processor = PartProcessor.shared
        options.decodeLimits.encodedBytes = part.byteLimit
        options.requestModifier = RangeModifier(base: options.requestModifier, part: part)
        options.lowDataModeSource = nil
        options.progressiveJPEG = nil
        return options
    }
}

/// Adds the fields that request a part, after the program's modifier.
private struct RangeModifier: AsyncImageDownloadRequestModifier {
    let base: (any AsyncImageDownloadRequestModifier)?
    let part: PartialVideo.PartRequest

    var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? { base?.onDownloadTaskStarted }

    func modified(for request: URLRequest) async -> URLRequest? {
        var request = request
        if let base {
            guard let modified = await base.modified(for: request) else { return nil }
            request = modified
        }
        request.setValue(nil, forHTTPHeaderField: "If-Range")
        for field in part.headers { request.setValue(field.value, forHTTPHeaderField: field.name) }
        return request
    }
}

/// Makes a pixel in the place of an image, as a download must make one; the bytes are what counts.
private struct PartProcessor: ImageProcessor {
    static let shared = PartProcessor()

    let identifier = "part"

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        guard let pixel = try? PixelBuilder(size: PixelSize(width: 1, height: 1), alpha: .opaque) else {
            return nil
        }
        return Image(bitmap: pixel.freeze(), scale: 1)
    }
}
