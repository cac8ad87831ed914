import AlcedoTransport
public import Foundation
import FoundationNetworking

extension KingfisherError: LocalizedError {
    /// One sentence: what failed, on what, and why.
    public var errorDescription: String? { description }
}

extension KingfisherError: CustomStringConvertible {
    /// What failed, on what, and why.
    ///
    /// URLs are shown without user info and without queries that may contain credentials.
    public var description: String { text.redactingURLs }

    private var text: String {
        switch self {
        case .requestError(let reason): reason.text
        case .responseError(let reason): reason.text
        case .cacheError(let reason): reason.text
        case .processorError(reason: .processingFailed(let processor, let item)):
            item.failureText(processor: processor)
        case .processorError(reason: .processorThrew(let processor, _, let error)):
            "\(processor.name) failed: \(error.sentence)"
        case .imageSettingError(let reason): reason.text
        }
    }
}

extension KingfisherError.RequestErrorReason {
    fileprivate var text: String {
        switch self {
        case .emptyRequest: "Could not load: the request is empty, or a request modifier returned nil."
        case .invalidURL(let request): "Could not load \(shown(request.url)): the URL is invalid."
        case .taskCancelled(let task, _): "The download of \(shown(task.originalURL)) was cancelled."
        case .asyncTaskContextCancelled: "The load was cancelled before its download started."
        case .dataProviderCancelled(let provider):
            "The load of \(provider.cacheKey) from its provider was cancelled."
        case .managerIsShutDown:
            "Could not load: the manager was shut down. Start no loads after `shutdown(within:)`."
        case .cannotStartThread(let error as POSIXError) where error.code == .EDEADLK:
            "Could not load: fork has copied this process without its threads. Have the copy call exec, or fork before the first load."
        case .cannotStartThread(let error):
            "Could not load: no thread can be started (\(error.sentence)). Raise the limit of processes, and load again."
        case .interceptorThrew(let source, let error):
            "An interceptor of the load of \(source.cacheKey) failed: \(error.sentence)"
        }
    }
}

extension KingfisherError.ResponseErrorReason {
    fileprivate var text: String {
        switch self {
        case .invalidURLResponse(let response): "\(shown(response.url)) returned no HTTP response."
        case .invalidHTTPStatusCode(let response):
            "\(shown(response.url)) returned status \(response.statusCode)."
        case .URLSessionError(let error): "The transfer failed: \(error.sentence)"
        case .dataModifyingFailed(let task):
            "The downloader's delegate returned no data for \(shown(task.originalURL))."
        case .noURLResponse(let task): "\(shown(task.originalURL)) returned no response."
        case .cancelledByDelegate(let response):
            "The downloader's delegate cancelled the response of \(shown(response.url))."
        }
    }
}

extension KingfisherError.CacheErrorReason {
    fileprivate var text: String {
        switch self {
        case .fileEnumeratorCreationFailed(let url), .invalidFileEnumeratorContent(let url):
            "Could not list the cache folder \(url.path)."
        case .invalidURLResource(let error, _, let url):
            "Could not read the attributes of the cache file \(url.path): \(error.sentence)"
        case .cannotLoadDataFromDisk(let url, let error):
            "Could not read the cache file \(url.path): \(error.sentence)"
        case .cannotCreateDirectory(let path, let error):
            "Could not make the cache folder \(path): \(error.sentence)"
        case .imageNotExisting(let key): "No cache contains \(key)."
        case .cannotConvertToData(let object, let error):
            "Could not convert a value of type \(type(of: object)) to data: \(error.sentence)"
        case .cannotSerializeImage(let image, _, let serializer):
            "Could not encode \(image.map(String.init(describing:)) ?? "the image") with \(type(of: serializer))."
        case .cannotCreateCacheFile(let url, let key, _, let error):
            "Could not write \(key) to the cache file \(url.path): \(error.sentence)"
        case .cannotSetCacheFileAttribute(let path, _, let error):
            "Could not set the dates of the cache file \(path): \(error.sentence)"
        case .diskStorageIsNotReady(let url):
            "Could not use the cache folder \(url.path): it could not be made. Images are kept in memory only."
        case .storingForbidden(let key):
            "Could not store \(key): its server forbids that. Ignore its headers with `HTTPFreshness.ignored`."
        }
    }
}

extension KingfisherError.ImageSettingErrorReason {
    fileprivate var text: String {
        switch self {
        case .emptySource: "Could not load: the source is nil."
        case .notCurrentSourceTask(_, _, let source):
            "The view has been given another source than \(source.cacheKey)."
        case .dataProviderError(let provider, let error):
            "Could not load \(provider.contentURL?.path ?? provider.cacheKey): \(error.sentence)"
        case .alternativeSourcesExhausted(let errors):
            "All sources failed: "
                + errors.map { "\($0.source.cacheKey): \($0.error)" }.joined(separator: " ")
        }
    }
}

private func shown(_ url: URL?) -> String {
    url.map(\.absoluteString).flatMap { $0.isEmpty ? nil : $0 } ?? "an empty URL"
}

extension ImageProcessItem {
    /// Why the processor returned no image, as far as that was recorded.
    fileprivate func failureText(processor: any ImageProcessor) -> String {
        let reason = (processor as? FailedProcessor)?.reason
        return switch self {
        case .image(let image):
            "\(processor.name) could not process \(image)" + (reason.map { ": \($0)." } ?? ".")
        case .data(let data) where data.isEmpty: "Could not decode the image: the data is empty."
        case .data(let data):
            reason.map { "Could not decode the image: \($0)." }
                ?? "\(processor.name) could not process \(data.count) bytes."
        }
    }
}

extension ImageProcessor {
    fileprivate var name: String { identifier.isEmpty ? "The default processor" : identifier }
}
