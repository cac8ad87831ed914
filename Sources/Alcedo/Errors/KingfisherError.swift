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
        /// The folder can't be made. Code 3005.
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
        /// The folder could not be made when the cache was opened. Code 3011.
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
        case notCurrentSourceTask(result: RetrieveImageResult?, error: (any Error)?, source: Source)
        /// The provider failed with `error`. Code 5003.
        case dataProviderError(provider: any ImageDataProvider, error: any Error)
        /// All sources failed; their errors in order. Code 5004.
        case alternativeSourcesExhausted([PropagationError])
    }

    /// Before the request was sent.
    case requestError(reason: RequestErrorReason)
    /// In the transfer or the response.
    case responseError(reason: ResponseErrorReason)
    /// In a cache.
    case cacheError(reason: CacheErrorReason)
    /// In decoding or processing.
    case processorError(reason: ProcessorErrorReason)
    /// In a source or a view.
    case imageSettingError(reason: ImageSettingErrorReason)
}

/// The error of one of several sources.
public struct PropagationError: Sendable {
    /// The source.
    public let source: Source

    /// Its error.
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

    /// Whether the view was given another source meanwhile.
    public var isNotCurrentTask: Bool {
        if case .imageSettingError(reason: .notCurrentSourceTask) = self { true } else { false }
    }

    /// Whether the request was not sent because the network is constrained.
    var isConstrainedNetwork: Bool {
        guard case .responseError(reason: .URLSessionError(let error)) = self,
            case .constrainedNetwork? = error.transportError
        else { return false }
        return true
    }
}
