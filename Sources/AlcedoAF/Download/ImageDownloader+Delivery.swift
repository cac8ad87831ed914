import Alcedo
import Foundation
import FoundationNetworking

extension ImageDownloader {
    func deliver(_ response: AFIDataResponse<Image>, to completion: CompletionHandler?) {
        guard let completion else { return }
        DispatchQueue.main.async { MainActor.assumeIsolated { completion(response) } }
    }
}

/// The key of a download's image in an ``ImageRequestCache``.
struct ImageCacheKey: Sendable {
    let request: URLRequest

    /// The caller's cache key; nil for a key made of the request and the filter's identifier.
    let key: String?
    let identifier: String?

    init(request: URLRequest, key: String?, filter: (any ImageFilter)?) {
        self.request = request
        self.key = key
        identifier = filter?.identifier
    }
}

extension ImageRequestCache {
    func image(forKey key: ImageCacheKey) -> Image? {
        if let name = key.key { return image(withIdentifier: name) }
        return image(for: key.request, withIdentifier: key.identifier)
    }

    func add(_ image: Image, forKey key: ImageCacheKey) {
        if let name = key.key { return add(image, withIdentifier: name) }
        add(image, for: key.request, withIdentifier: key.identifier)
    }
}

extension URLRequest {
    /// Whether its cache policy allows a cached image.
    var mayComeFromCache: Bool {
        switch cachePolicy {
        case .useProtocolCachePolicy, .returnCacheDataElseLoad, .returnCacheDataDontLoad: true
        default: false
        }
    }
}

extension Result {
    var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

extension AFIDataResponse<Image> {
    /// A response without a transfer.
    init(to request: URLRequest?, _ result: AFIResult<Image>) {
        self.init(
            request: request, response: nil, data: nil, metrics: nil, serializationDuration: 0, result: result
        )
    }

    /// The response for one caller of a coalesced transfer.
    init(
        to request: URLRequest,
        _ result: Result<ImageLoadingResult, KingfisherError>,
        transfer: SessionDataTask?,
        _ processor: ResponseProcessor
    ) {
        self.init(
            request: request,
            response: transfer?.httpResponse,
            data: transfer?.body,
            metrics: transfer?.metrics?.rawMetrics,
            serializationDuration: processor.duration,
            result: result.map(\.image).mapError { AFIError(AFError($0) ?? .sessionTaskFailed(error: $0)) }
        )
    }
}
