import AlcedoTransport
public import Foundation
public import FoundationNetworking

/// Why a load failed, by the stage that failed.
public enum KingfisherError: Error {
    /// Before anything was sent.
    public enum RequestErrorReason: Sendable {
        /// The request is empty, or a request modifier returned none. Code 1001.
        case emptyRequest
        /// The request has no usable URL. Code 1002.
        case invalidURL(request: URLRequest)
        /// This callback of the download was cancelled. Code 1003.
        case taskCancelled(task: SessionDataTask, token: SessionDataTask.CancelToken)
        /// The load, or the task that called, was cancelled before a download existed. Code 1005.
        case asyncTaskContextCancelled
        /// The load from this provider was cancelled. Code 1006.
        case dataProviderCancelled(provider: any ImageDataProvider)
    }

    /// While getting the bytes.
    public enum ResponseErrorReason: Sendable {
        /// The response is not an HTTP response. Code 2001.
        case invalidURLResponse(response: URLResponse)
        /// The status is not one that the downloader accepts. Code 2002.
        case invalidHTTPStatusCode(response: HTTPURLResponse)
        /// The transfer failed; `error` is a `URLError`, of which ``Foundation/URLError/transportError`` says more. Code 2003.
        case URLSessionError(error: any Error)
        /// The downloader's delegate returned no data. Code 2004.
        case dataModifyingFailed(task: SessionDataTask)
        /// There was no response. Code 2005.
        case noURLResponse(task: SessionDataTask)
        /// The downloader's delegate refused the response. Code 2006.
        case cancelledByDelegate(response: URLResponse)
    }

    /// In a cache.
    ///
    /// Safe because every associated value is an immutable value or error that nobody changes.
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
        /// The caches don't have the image, and only they were to be asked. Code 3006.
        case imageNotExisting(key: String)
        /// The value can't become bytes. Code 3007.
        case cannotConvertToData(object: Any, error: any Error)
        /// The image can't become bytes. Code 3008.
        case cannotSerializeImage(
            image: KFCrossPlatformImage?, original: Data?, serializer: any CacheSerializer)
        /// The file can't be written. Code 3009.
        case cannotCreateCacheFile(fileURL: URL, key: String, data: Data, error: any Error)
        /// The file's attributes can't be set. Code 3010.
        case cannotSetCacheFileAttribute(
            filePath: String, attributes: [FileAttributeKey: Any], error: any Error)
        /// The folder could not be made earlier. Code 3011.
        case diskStorageIsNotReady(cacheURL: URL)
    }

    /// While making the image.
    public enum ProcessorErrorReason: Sendable {
        /// The processor made no image of the item. Code 4001.
        case processingFailed(processor: any ImageProcessor, item: ImageProcessItem)
    }

    /// While handing the image over.
    public enum ImageSettingErrorReason: Sendable {
        /// There is nothing to load. Code 5001.
        case emptySource
        /// The view asked for something else meanwhile. Code 5002.
        case notCurrentSourceTask(result: RetrieveImageResult?, error: (any Error)?, source: Source)
        /// The provider failed; `error` says how. Code 5003.
        case dataProviderError(provider: any ImageDataProvider, error: any Error)
        /// Every source failed; their errors, in order. Code 5004.
        case alternativeSourcesExhausted([PropagationError])
    }

    /// Failed before anything was sent.
    case requestError(reason: RequestErrorReason)
    /// Failed while getting the bytes.
    case responseError(reason: ResponseErrorReason)
    /// Failed in a cache.
    case cacheError(reason: CacheErrorReason)
    /// Failed while making the image.
    case processorError(reason: ProcessorErrorReason)
    /// Failed while handing the image over.
    case imageSettingError(reason: ImageSettingErrorReason)
}

/// A source that failed, and how.
public struct PropagationError: Sendable {
    /// What was to be loaded.
    public let source: Source

    /// Why that failed.
    public let error: KingfisherError
}

extension KingfisherError {
    /// Whether the load was cancelled, with a transfer, before there was one, or while a provider worked.
    public var isTaskCancelled: Bool {
        switch self {
        case .requestError(reason: .taskCancelled), .requestError(reason: .asyncTaskContextCancelled),
            .requestError(reason: .dataProviderCancelled):
            true
        default: false
        }
    }

    /// Whether the server answered with a status that is not accepted.
    public var isInvalidResponseStatusCode: Bool {
        if case .responseError(reason: .invalidHTTPStatusCode) = self { true } else { false }
    }

    /// Whether the server answered with this status, and that it is not accepted.
    public func isInvalidResponseStatusCode(_ code: Int) -> Bool {
        if case .responseError(reason: .invalidHTTPStatusCode(let response)) = self {
            response.statusCode == code
        } else {
            false
        }
    }

    /// Whether the view asked for something else meanwhile.
    public var isNotCurrentTask: Bool {
        if case .imageSettingError(reason: .notCurrentSourceTask) = self { true } else { false }
    }

    /// Whether the request was not sent because the network is one to be spared.
    var isConstrainedNetwork: Bool {
        guard case .responseError(reason: .URLSessionError(let error)) = self,
            case .constrainedNetwork? = error.transportError
        else { return false }
        return true
    }
}
