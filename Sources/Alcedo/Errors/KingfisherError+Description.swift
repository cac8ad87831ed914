import AlcedoTransport
public import Foundation
import FoundationNetworking

extension KingfisherError: LocalizedError {
    /// One sentence: what failed, on what, and why.
    public var errorDescription: String? { description }
}

extension KingfisherError: CustomStringConvertible {
    /// One sentence: what failed, on what, and why; its URLs without user info, and without queries that may be
    /// credentials.
    public var description: String { text.redactingURLs }

    private var text: String {
        switch self {
        case .requestError(let reason): reason.text
        case .responseError(let reason): reason.text
        case .cacheError(let reason): reason.text
        case .processorError(reason: .processingFailed(let processor, let item)):
            item.failureText(processor: processor)
        case .imageSettingError(let reason): reason.text
        }
    }
}

extension KingfisherError.RequestErrorReason {
    fileprivate var text: String {
        switch self {
        case .emptyRequest: "There is no request to send: it is empty, or a request modifier returned none."
        case .invalidURL(let request): "The request's URL cannot be used: \(shown(request.url))."
        case .taskCancelled(let task, _): "The download of \(shown(task.originalURL)) was cancelled."
        case .asyncTaskContextCancelled: "The load was cancelled before its download had begun."
        case .dataProviderCancelled(let provider):
            "Loading \(provider.cacheKey) from its provider was cancelled."
        }
    }
}

extension KingfisherError.ResponseErrorReason {
    fileprivate var text: String {
        switch self {
        case .invalidURLResponse(let response): "\(shown(response.url)) did not answer with an HTTP response."
        case .invalidHTTPStatusCode(let response):
            "\(shown(response.url)) answered with status \(response.statusCode)."
        case .URLSessionError(let error): "The transfer failed: \(error.sentence)"
        case .dataModifyingFailed(let task):
            "The downloader's delegate returned no data for \(shown(task.originalURL))."
        case .noURLResponse(let task): "\(shown(task.originalURL)) did not answer."
        case .cancelledByDelegate(let response):
            "The downloader's delegate refused the response of \(shown(response.url))."
        }
    }
}

extension KingfisherError.CacheErrorReason {
    fileprivate var text: String {
        switch self {
        case .fileEnumeratorCreationFailed(let url), .invalidFileEnumeratorContent(let url):
            "The cache folder \(url.path) cannot be listed."
        case .invalidURLResource(let error, _, let url):
            "The attributes of the cache file \(url.path) cannot be read: \(error)"
        case .cannotLoadDataFromDisk(let url, let error):
            "The cache file \(url.path) cannot be read: \(error)"
        case .cannotCreateDirectory(let path, let error): "The cache folder \(path) cannot be made: \(error)"
        case .imageNotExisting(let key): "No cache has \(key)."
        case .cannotConvertToData(let object, let error):
            "A value of type \(type(of: object)) cannot be stored: \(error)"
        case .cannotSerializeImage(let image, _, let serializer):
            "\(type(of: serializer)) made no data of \(image.map(String.init(describing:)) ?? "the image")."
        case .cannotCreateCacheFile(let url, let key, _, let error):
            "\(key) cannot be written to the cache file \(url.path): \(error)"
        case .cannotSetCacheFileAttribute(let path, _, let error):
            "The dates of the cache file \(path) cannot be set: \(error)"
        case .diskStorageIsNotReady(let url):
            "The cache folder \(url.path) could not be made, so nothing is stored."
        }
    }
}

extension KingfisherError.ImageSettingErrorReason {
    fileprivate var text: String {
        switch self {
        case .emptySource: "There is nothing to load: the source is nil."
        case .notCurrentSourceTask(_, _, let source):
            "\(source.cacheKey) is no longer what the view asked for last."
        case .dataProviderError(let provider, let error):
            "\(provider.contentURL?.path ?? provider.cacheKey) could not be loaded: \(error)"
        case .alternativeSourcesExhausted(let errors):
            "Every source failed: "
                + errors.map { "\($0.source.cacheKey): \($0.error)" }.joined(separator: " ")
        }
    }
}

private func shown(_ url: URL?) -> String {
    url.map(\.absoluteString).flatMap { $0.isEmpty ? nil : $0 } ?? "an empty URL"
}

extension ImageProcessItem {
    /// Why no image came of the item, as far as it was noted when that happened.
    fileprivate func failureText(processor: any ImageProcessor) -> String {
        let reason = (processor as? FailedProcessor)?.reason
        return switch self {
        case .image(let image):
            "\(processor.name) made no image of \(image)" + (reason.map { ": \($0)." } ?? ".")
        case .data(let data) where data.isEmpty: "It is not an image: there are no bytes at all."
        case .data(let data):
            reason.map { "It cannot be decoded: \($0)." }
                ?? "\(processor.name) made no image of \(data.count) bytes."
        }
    }
}

extension ImageProcessor {
    fileprivate var name: String { identifier.isEmpty ? "The default processor" : identifier }
}
