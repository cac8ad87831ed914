import Alcedo
import Foundation
import FoundationNetworking

extension ImageDownloader {
    func deliver(_ response: AFIDataResponse<Image>, to completion: CompletionHandler?) {
        guard let completion else { return }
        DispatchQueue.main.async { MainActor.assumeIsolated { completion(response) } }
    }
}

/// Where a cache of images keeps the image of one caller.
struct CachePlace: Sendable {
    let request: URLRequest

    /// The caller's own name for it; nil for the request and the filter.
    let key: String?
    let identifier: String?

    init(request: URLRequest, key: String?, filter: (any ImageFilter)?) {
        self.request = request
        self.key = key
        identifier = filter?.identifier
    }
}

extension ImageRequestCache {
    func image(at place: CachePlace) -> Image? {
        if let key = place.key { return image(withIdentifier: key) }
        return image(for: place.request, withIdentifier: place.identifier)
    }

    func add(_ image: Image, at place: CachePlace) {
        if let key = place.key { return add(image, withIdentifier: key) }
        add(image, for: place.request, withIdentifier: place.identifier)
    }
}

extension URLRequest {
    /// Whether its cache policy allows an image that was loaded before.
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
    /// An answer without a transfer.
    init(to request: URLRequest?, _ result: AFIResult<Image>) {
        self.init(
            request: request, response: nil, data: nil, metrics: nil, serializationDuration: 0, result: result
        )
    }

    /// What came of one caller's share in a transfer.
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
