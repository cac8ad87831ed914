import AlcedoTransport
public import Foundation
public import FoundationNetworking

/// The error of a load, by stage.
public enum KingfisherError: Error {
    /// Errors before the request was sent.
    public enum RequestErrorReason: Sendable {
        /// The request is empty, or a request modifier returned none. Code 1001.
        case emptyRequest
        /// The request has no usable URL. Code 1002.
        case invalidURL(request: URLRequest)
        /// This callback of the download was cancelled. Code 1003.
        case taskCancelled(task: SessionDataTask, token: SessionDataTask.CancelToken)
        /// The load or the calling task was cancelled before a download started. Code 1005.
        case asyncTaskContextCancelled
        /// The load from this provider was cancelled. Code 1006.
        case dataProviderCancelled(provider: any ImageDataProvider)
        /// ``KingfisherManager/shutdown(within:)`` was called. Code 1101.
        case managerIsShutDown
        /// The system starts no thread for the work of loads; another load tries again. Code 1102.
        case cannotStartThread(error: any Error)
        /// An ``ImageLoadInterceptor`` threw `error`, which is no `KingfisherError`. Code 1007.
        case interceptorThrew(source: Source, error: any Error)
    }

    /// Errors of the transfer and the response.
    public enum ResponseErrorReason: Sendable {
        /// The response is not an HTTP response. Code 2001.
        case invalidURLResponse(response: URLResponse)
        /// The downloader does not accept the status. Code 2002.
        case invalidHTTPStatusCode(response: HTTPURLResponse)
        /// The transfer failed; `error` is a `URLError`, and its ``Foundation/URLError/transportError`` has details. Code 2003.
        case URLSessionError(error: any Error)
        /// The downloader's delegate returned no data. Code 2004.
        case dataModifyingFailed(task: SessionDataTask)
        /// There was no response. Code 2005.
        case noURLResponse(task: SessionDataTask)
        /// The downloader's delegate cancelled the response. Code 2006.
        case cancelledByDelegate(response: URLResponse)
    }

    /// Errors of a cache.
    ///
    /// Safe because all associated values are immutable.
    public enum CacheErrorReason: @unchecked Sendable {
        /// The folder can't be listed. Code 3001.
        case fileEnumeratorCreationFailed(url: URL)
        /// The folder's listing can't be read. Code 3002.
        case invalidFileEnumeratorContent(url: URL)
        /// A file's attributes can't be read. Code 3003.
        case invalidURLResource(error: any Error, key: String, url: URL)
        /// A file can't be read. Code 3004.
        case cannotLoadDataFromDisk(url: URL, error: any Error)
        /// The folder can't be created. Code 3005.
        case cannotCreateDirectory(path: String, error: any Error)
        /// No cache contains the image, and the options allow no download. Code 3006.
        case imageNotExisting(key: String)
        /// The value can't be converted to data. Code 3007.
        case cannotConvertToData(object: Any, error: any Error)
        /// The image can't be encoded. Code 3008.
        case cannotSerializeImage(
            image: KFCrossPlatformImage?, original: Data?, serializer: any CacheSerializer)
        /// The file can't be written; see ``DiskQuotaError`` and ``DiskStallError``. Code 3009.
        case cannotCreateCacheFile(fileURL: URL, key: String, data: Data, error: any Error)
        /// The file's attributes can't be set. Code 3010.
        case cannotSetCacheFileAttribute(
            filePath: String, attributes: [FileAttributeKey: Any], error: any Error)
        /// The folder could not be created when the cache was opened. Code 3011.
        case diskStorageIsNotReady(cacheURL: URL)
        /// A prefetcher loaded the image, and its server forbids to store it; see ``HTTPFreshness/respected``. Code 3101.
        case storingForbidden(key: String)
    }

    /// Errors of decoding and processing.
    public enum ProcessorErrorReason: Sendable {
        /// The processor returned no image. Code 4001.
        case processingFailed(processor: any ImageProcessor, item: ImageProcessItem)
        /// A ``ThrowingImageProcessor``, alone or in a chain, threw `error`; `item` is the load's. Code 4002.
        case processorThrew(processor: any ImageProcessor, item: ImageProcessItem, error: any Error)
    }

    /// Errors of sources and views.
    public enum ImageSettingErrorReason: Sendable {
        /// The source is nil. Code 5001.
        case emptySource
        /// The view was given another source meanwhile. Code 5002.
        indirect case notCurrentSourceTask(result: RetrieveImageResult?, error: (any Error)?, source: Source)
        /// The provider failed with `error`. Code 5003.
        case dataProviderError(provider: any ImageDataProvider, error: any Error)
        /// All sources failed; their errors in order. Code 5004.
        case alternativeSourcesExhausted([PropagationError])
    }

    case requestError(reason: RequestErrorReason)
    case responseError(reason: ResponseErrorReason)
    case cacheError(reason: CacheErrorReason)
    case processorError(reason: ProcessorErrorReason)
    case imageSettingError(reason: ImageSettingErrorReason)
}

/// The error of one of several sources.
public struct PropagationError: Sendable {
    public let source: Source
    public let error: KingfisherError
}

extension KingfisherError {
    /// Whether the load was cancelled, at any stage.
    public var isTaskCancelled: Bool {
        switch self {
        case .requestError(reason: .taskCancelled), .requestError(reason: .asyncTaskContextCancelled),
            .requestError(reason: .dataProviderCancelled):
            true
        default: false
        }
    }

    /// Whether the server returned a status that is not accepted, now or in a ``rememberedFailure``.
    public var isInvalidResponseStatusCode: Bool { rejectedStatus != nil }

    /// Whether the server returned this status, and it is not accepted, now or in a ``rememberedFailure``.
    public func isInvalidResponseStatusCode(_ code: Int) -> Bool { rejectedStatus == code }

    private var rejectedStatus: Int? {
        if case .responseError(reason: .invalidHTTPStatusCode(let response)) = self {
            return response.statusCode
        }
        return rememberedFailure?.status
    }

    /// The error of a load that its view no longer wants, before it has an image or another error.
    static func replaced(_ source: Source) -> KingfisherError {
        .imageSettingError(reason: .notCurrentSourceTask(result: nil, error: nil, source: source))
    }

    /// Whether the view was given another source meanwhile.
    public var isNotCurrentTask: Bool {
        if case .imageSettingError(reason: .notCurrentSourceTask) = self { true } else { false }
    }

    var isConstrainedNetwork: Bool {
        guard case .responseError(reason: .URLSessionError(let error)) = self,
            case .constrainedNetwork? = error.transportError
        else { return false }
        return true
    }
}

extension KingfisherError: CustomNSError {
    public static let domain = "com.onevcat.Kingfisher.Error"
    public static var errorDomain: String { domain }
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }

    /// The code of the reason; its first digit is the stage.
    public var errorCode: Int {
        // Kingfisher's numbers where it has the reason; 1004 is its error of cancelled live photos.
        switch self {
        case .requestError(reason: .emptyRequest): 1001
        case .requestError(reason: .invalidURL): 1002
        case .requestError(reason: .taskCancelled): 1003
        case .requestError(reason: .asyncTaskContextCancelled): 1005
        case .requestError(reason: .dataProviderCancelled): 1006
        case .requestError(reason: .managerIsShutDown): 1101
        case .requestError(reason: .cannotStartThread): 1102
        case .requestError(reason: .interceptorThrew): 1007
        case .responseError(reason: .invalidURLResponse): 2001
        case .responseError(reason: .invalidHTTPStatusCode): 2002
        case .responseError(reason: .URLSessionError): 2003
        case .responseError(reason: .dataModifyingFailed): 2004
        case .responseError(reason: .noURLResponse): 2005
        case .responseError(reason: .cancelledByDelegate): 2006
        case .cacheError(reason: .fileEnumeratorCreationFailed): 3001
        case .cacheError(reason: .invalidFileEnumeratorContent): 3002
        case .cacheError(reason: .invalidURLResource): 3003
        case .cacheError(reason: .cannotLoadDataFromDisk): 3004
        case .cacheError(reason: .cannotCreateDirectory): 3005
        case .cacheError(reason: .imageNotExisting): 3006
        case .cacheError(reason: .cannotConvertToData): 3007
        case .cacheError(reason: .cannotSerializeImage): 3008
        case .cacheError(reason: .cannotCreateCacheFile): 3009
        case .cacheError(reason: .cannotSetCacheFileAttribute): 3010
        case .cacheError(reason: .diskStorageIsNotReady): 3011
        case .cacheError(reason: .storingForbidden): 3101
        case .processorError(reason: .processingFailed): 4001
        case .processorError(reason: .processorThrew): 4002
        case .imageSettingError(reason: .emptySource): 5001
        case .imageSettingError(reason: .notCurrentSourceTask): 5002
        case .imageSettingError(reason: .dataProviderError): 5003
        case .imageSettingError(reason: .alternativeSourcesExhausted): 5004
        }
    }
}

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
