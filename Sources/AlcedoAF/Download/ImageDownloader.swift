import Alcedo
import AlcedoLocks
public import Foundation
public import FoundationNetworking

/// Downloads images, filters them and caches them in memory; equal requests are coalesced into one transfer.
///
/// Requests are equal if URL, method, headers, body and credential are equal. Each caller has its own cache key, serializer,
/// filter and progress handler; callers with the same serializer and filter receive the same image. Thread-safe.
///
/// Safe because its state is behind a lock; a subclass is responsible for its own state.
open class ImageDownloader: @unchecked Sendable {
    /// Called with the response of a download, exactly once, on the main thread.
    public typealias CompletionHandler = @MainActor @Sendable (AFIDataResponse<Image>) -> Void

    public typealias ProgressHandler = DataRequest.ProgressHandler

    /// The order in which queued downloads start.
    public enum DownloadPrioritization: Sendable {
        case fifo
        case lifo
    }

    private struct State {
        var credential: URLCredential?
        var serializer = ImageResponseSerializer()
    }

    /// The default downloader of views.
    public static let `default` = ImageDownloader()

    /// The memory cache; nil for none.
    public let imageCache: (any ImageRequestCache)?

    public let session: Session
    let engine: Alcedo.ImageDownloader
    private let state = Lock(State())

    /// Creates a downloader with a new session.
    ///
    /// - Parameters:
    ///   - configuration: the configuration of all requests; see ``Session``.
    ///   - downloadPrioritization: the order in which queued downloads start.
    ///   - maximumActiveDownloads: the maximum number of concurrent downloads; less than 1 counts as 1.
    ///   - imageCache: the memory cache; nil for none.
    public init(
        configuration: URLSessionConfiguration = ImageDownloader.defaultURLSessionConfiguration(),
        downloadPrioritization: DownloadPrioritization = .fifo,
        maximumActiveDownloads: Int = 4,
        imageCache: (any ImageRequestCache)? = AutoPurgingImageCache()
    ) {
        session = Session(configuration: configuration, startRequestsImmediately: false)
        self.imageCache = imageCache
        engine = session.makeEngine(downloadPrioritization, maximumActiveDownloads)
    }

    /// Creates a downloader with a session whose ``Session/startRequestsImmediately`` is false.
    public init(
        session: Session,
        downloadPrioritization: DownloadPrioritization = .fifo,
        maximumActiveDownloads: Int = 4,
        imageCache: (any ImageRequestCache)? = AutoPurgingImageCache()
    ) {
        precondition(
            !session.startRequestsImmediately, "the session's startRequestsImmediately must be false")
        self.session = session
        self.imageCache = imageCache
        engine = session.makeEngine(downloadPrioritization, maximumActiveDownloads)
    }

    /// The addresses that requests and redirects may connect to; the session's by default.
    ///
    /// `AddressPolicy.publicOnly` also rejects file URLs.
    public var addressPolicy: AddressPolicy {
        get { engine.addressPolicy }
        set { engine.addressPolicy = newValue }
    }

    /// Hosts whose certificates are not verified; the session's by default.
    public var trustedHosts: Set<String>? {
        get { engine.trustedHosts }
        set { engine.trustedHosts = newValue }
    }

    /// The credential for authentication challenges of later downloads; nil by default.
    public var credential: URLCredential? { state.withLock { $0.credential } }

    /// The default serializer of downloads.
    open var imageResponseSerializer: ImageResponseSerializer {
        get { state.withLock { $0.serializer } }
        set { state.withLock { $0.serializer = newValue } }
    }

    /// Sets the credential for authentication challenges of later downloads.
    open func addAuthentication(
        user: String, password: String, persistence: URLCredential.Persistence = .forSession
    ) {
        addAuthentication(
            usingCredential: URLCredential(user: user, password: password, persistence: persistence))
    }

    open func addAuthentication(usingCredential credential: URLCredential) {
        state.withLock { $0.credential = credential }
    }

    // MARK: - Downloading

    /// Loads an image: from memory, unless the request's cache policy forbids that, or from the network.
    ///
    /// - Parameters:
    ///   - urlRequest: the request; if it cannot be created, the completion receives the error.
    ///   - cacheKey: the key in memory; nil for the request and the filter's identifier.
    ///   - receiptID: the receipt's identifier.
    ///   - serializer: creates the image; nil for ``imageResponseSerializer``.
    ///   - filter: changes the image; called on a worker thread.
    ///   - progress: called with the progress if the length of the body is known.
    ///   - progressQueue: the queue of `progress`.
    ///   - completion: called once, on the main thread, after this method has returned.
    /// - Returns: the receipt to cancel the download with; nil for a hit in memory.
    @discardableResult
    open func download(
        _ urlRequest: any URLRequestConvertible,
        cacheKey: String? = nil,
        receiptID: String = UUID().uuidString,
        serializer: ImageResponseSerializer? = nil,
        filter: (any ImageFilter)? = nil,
        progress: ProgressHandler? = nil,
        progressQueue: DispatchQueue = .main,
        completion: CompletionHandler? = nil
    ) -> RequestReceipt? {
        let created = AFResult(making: urlRequest.asURLRequest)
        let credential = credential
        guard case .success(let request) = created,
            let key = CoalescingKey(everythingOf: request, credential: credential)
        else {
            let error = created.failure ?? .invalidURL(url: "")
            deliver(AFIDataResponse(to: nil, .failure(AFIError(error))), to: completion)
            return RequestReceipt(
                request: DataRequest(.failure(error), engine: engine), receiptID: receiptID, task: nil)
        }
        let imageKey = ImageCacheKey(request: request, key: cacheKey, filter: filter)
        // A URL that the address policy rejects fails even if memory has its image.
        let isRejected = request.url.flatMap { engine.rejection(of: $0) } != nil
        // As in AlamofireImage, a running download is joined before memory is looked up.
        if !isRejected, !engine.isLoading(key), request.mayComeFromCache,
            let image = imageCache?.image(forKey: imageKey)
        {
            deliver(AFIDataResponse(to: request, .success(image)), to: completion)
            return nil
        }
        let processor = ResponseProcessor(
            request,
            validations: DataRequest.defaultValidations,
            serializer: serializer ?? imageResponseSerializer,
            filter: filter
        )
        var settings = DataRequest.Settings(credential: credential)
        if let progress { settings.progress = (progressQueue, progress) }
        let options = KingfisherParsedOptionsInfo([.callbackQueue(.untouch), .processor(processor)])
        let task = engine.download(request, as: key, options: options, context: DownloadContext(settings)) {
            [self] result, transfer in
            let response = AFIDataResponse(to: request, result, transfer: transfer, processor)
            guard case .success(let image) = response.result, let imageCache else {
                return deliver(response, to: completion)
            }
            let end: @Sendable () -> Void = { [self] in
                imageCache.add(image, forKey: imageKey)
                deliver(response, to: completion)
            }
            // The program's cache may block, which must not be a thread that decodes.
            let isOfLibrary = type(of: imageCache as Any) == AutoPurgingImageCache.self
            if isOfLibrary { end() } else { ProgramThreads.images.async(end) }
        }
        let dataRequest = task.sessionTask.map { transfer in
            transfer.companion {
                DataRequest(of: transfer, request: request, credential: credential, engine: engine)
            }
        }
        return RequestReceipt(
            request: dataRequest ?? DataRequest(.failure(.invalidURL(url: "")), engine: engine),
            receiptID: receiptID,
            task: task
        )
    }

    /// Loads an image; an overload for a trailing completion closure.
    ///
    /// In Swift's language mode 6, a trailing closure of the overload with all parameters is the progress handler.
    @discardableResult
    public func download(
        _ urlRequest: any URLRequestConvertible,
        cacheKey: String? = nil,
        receiptID: String = UUID().uuidString,
        serializer: ImageResponseSerializer? = nil,
        filter: (any ImageFilter)? = nil,
        completion: @escaping CompletionHandler
    ) -> RequestReceipt? {
        download(
            urlRequest, cacheKey: cacheKey, receiptID: receiptID, serializer: serializer, filter: filter,
            progress: nil, progressQueue: .main, completion: completion)
    }

    /// Loads several images; see the overload for one image.
    ///
    /// - Returns: the receipts of the images that are not in memory.
    @discardableResult
    open func download(
        _ urlRequests: [any URLRequestConvertible],
        filter: (any ImageFilter)? = nil,
        progress: ProgressHandler? = nil,
        progressQueue: DispatchQueue = .main,
        completion: CompletionHandler? = nil
    ) -> [RequestReceipt] {
        urlRequests.compactMap {
            download(
                $0, filter: filter, progress: progress, progressQueue: progressQueue, completion: completion)
        }
    }

    /// Loads several images; an overload for a trailing completion closure.
    @discardableResult
    public func download(
        _ urlRequests: [any URLRequestConvertible],
        filter: (any ImageFilter)? = nil,
        completion: @escaping CompletionHandler
    ) -> [RequestReceipt] {
        download(urlRequests, filter: filter, progress: nil, progressQueue: .main, completion: completion)
    }

    /// Cancels one caller's download: its completion receives ``AFIError/requestCancelled``.
    ///
    /// The transfer continues if other callers are coalesced with it.
    open func cancelRequest(with requestReceipt: RequestReceipt) { requestReceipt.task?.cancel() }
}

extension ImageDownloader {
    /// The protocol's cache policy, cookies, a timeout of 60 seconds, and ``defaultURLCache()``.
    public class func defaultURLSessionConfiguration() -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.af.default
        configuration.httpShouldSetCookies = true
        configuration.requestCachePolicy = .useProtocolCachePolicy
        configuration.allowsCellularAccess = true
        configuration.timeoutIntervalForRequest = 60
        configuration.urlCache = defaultURLCache()
        return configuration
    }

    /// 20 MiB in memory and 150 MiB on disk, in the folder `org.alamofire.imagedownloader` of the user's caches.
    public class func defaultURLCache() -> URLCache {
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        return HTTPCache(
            memoryCapacity: 20 << 20,
            diskCapacity: 150 << 20,
            directory: caches?.appending(path: "org.alamofire.imagedownloader")
        )
    }
}

extension ImageDownloader {
    func deliver(_ response: AFIDataResponse<Image>, to completion: CompletionHandler?) {
        guard let completion else { return }
        DispatchQueue.main.async { MainActor.assumeIsolated { completion(response) } }
    }
}

/// The key of a download's image in an ``ImageRequestCache``.
struct ImageCacheKey: Sendable {
    let request: URLRequest

    /// The caller's cache key; nil for a key created from the request and the filter's identifier.
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
    fileprivate var mayComeFromCache: Bool {
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

/// Identifies one caller's download, to cancel it.
///
/// Safe because it is immutable.
open class RequestReceipt: @unchecked Sendable {
    /// The request; coalesced downloads have the same one.
    public let request: DataRequest

    public let receiptID: String

    /// The task of Alcedo's downloader; nil if the request could not be created.
    let task: DownloadTask?

    init(request: DataRequest, receiptID: String, task: DownloadTask?) {
        self.request = request
        self.receiptID = receiptID
        self.task = task
    }
}
