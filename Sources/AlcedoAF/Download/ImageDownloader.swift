import Alcedo
import AlcedoLocks
public import Foundation
public import FoundationNetworking

/// Downloads images, filters them and keeps them in memory; callers of one request share one transfer.
///
/// Requests are the same if URL, method, headers and body are. Each caller keeps its own cache key, serializer, filter
/// and progress; callers with the same serializer and filter share the image. Methods may be called on any thread.
///
/// Safe because its state is behind a lock; a subclass answers for what it adds.
open class ImageDownloader: @unchecked Sendable {
    /// Told what came of a download, exactly once and on the main thread.
    public typealias CompletionHandler = @MainActor @Sendable (AFIDataResponse<Image>) -> Void

    /// Told how far a download has come.
    public typealias ProgressHandler = DataRequest.ProgressHandler

    /// Which of the downloads that wait starts first.
    public enum DownloadPrioritization: Sendable {
        /// The one that was asked for first.
        case fifo
        /// The one that was asked for last.
        case lifo
    }

    private struct State {
        var credential: URLCredential?
        var serializer = ImageResponseSerializer()
    }

    /// The downloader that views use unless they are given another.
    public static let `default` = ImageDownloader()

    /// Where images are kept; nil for nowhere.
    public let imageCache: (any ImageRequestCache)?

    /// Where requests come from.
    public let session: Session

    let engine: Alcedo.ImageDownloader
    private let state = Lock(State())

    /// Makes a downloader with a session of its own.
    ///
    /// - Parameters:
    ///   - configuration: what counts for all its requests; see ``Session``.
    ///   - downloadPrioritization: which of the downloads that wait starts first.
    ///   - maximumActiveDownloads: how many run at a time; less than 1 counts as 1.
    ///   - imageCache: where images are kept; nil for nowhere.
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

    /// Makes a downloader with a session that must not start requests by itself.
    public init(
        session: Session,
        downloadPrioritization: DownloadPrioritization = .fifo,
        maximumActiveDownloads: Int = 4,
        imageCache: (any ImageRequestCache)? = AutoPurgingImageCache()
    ) {
        precondition(
            !session.startRequestsImmediately, "a downloader decides by itself when its requests start")
        self.session = session
        self.imageCache = imageCache
        engine = session.makeEngine(downloadPrioritization, maximumActiveDownloads)
    }

    /// Which addresses may be connected to, by redirects too; the session's by default.
    ///
    /// With ``AddressPolicy/publicOnly`` file URLs are refused as well.
    public var addressPolicy: AddressPolicy {
        get { engine.addressPolicy }
        set { engine.addressPolicy = newValue }
    }

    /// What later downloads answer a server with that asks for a credential; nil by default.
    public var credential: URLCredential? { state.withLock { $0.credential } }

    /// Makes images where a download names no serializer of its own.
    open var imageResponseSerializer: ImageResponseSerializer {
        get { state.withLock { $0.serializer } }
        set { state.withLock { $0.serializer = newValue } }
    }

    /// Has later downloads answer a server that asks for a credential.
    open func addAuthentication(
        user: String, password: String, persistence: URLCredential.Persistence = .forSession
    ) {
        addAuthentication(
            usingCredential: URLCredential(user: user, password: password, persistence: persistence))
    }

    /// Has later downloads answer a server that asks for a credential.
    open func addAuthentication(usingCredential credential: URLCredential) {
        state.withLock { $0.credential = credential }
    }

    // MARK: - Downloading

    /// Gets an image: from memory, unless the request's cache policy forbids that, or from the network.
    ///
    /// - Parameters:
    ///   - urlRequest: what is asked for; if it can't be made, the completion is told.
    ///   - cacheKey: where memory keeps the image; nil for the request and the filter's identifier.
    ///   - receiptID: the receipt's name.
    ///   - serializer: makes the image; nil for ``imageResponseSerializer``.
    ///   - filter: changes the image; called on a worker thread.
    ///   - progress: told how far the download has come, while the length of the whole is known.
    ///   - progressQueue: where progress is told.
    ///   - completion: told once, on the main thread and never before this method returns.
    /// - Returns: the receipt to cancel it with; nil if memory has the image.
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
        let made = AFResult(making: urlRequest.asURLRequest)
        guard case .success(let request) = made, let key = CoalescingKey(everythingOf: request) else {
            let error = made.failure ?? .invalidURL(url: "")
            deliver(AFIDataResponse(to: nil, .failure(AFIError(error))), to: completion)
            return RequestReceipt(
                request: DataRequest(.failure(error), engine: engine), receiptID: receiptID, share: nil)
        }
        let place = CachePlace(request: request, key: cacheKey, filter: filter)
        let isRefused = request.url.flatMap { engine.refusal(of: $0) } != nil
        if !isRefused, !engine.isLoading(key), request.mayComeFromCache,
            let image = imageCache?.image(at: place)
        {
            deliver(AFIDataResponse(to: request, .success(image)), to: completion)
            return nil
        }
        let processor = ResponseProcessor(
            request,
            validations: DataRequest.usualValidations,
            serializer: serializer ?? imageResponseSerializer,
            filter: filter
        )
        var settings = DataRequest.Settings(credential: credential)
        if let progress { settings.progress = (progressQueue, progress) }
        var options = KingfisherParsedOptionsInfo(settings)
        options.processor = processor
        let share = engine.download(request, as: key, options: options) { [self] result, transfer in
            let response = AFIDataResponse(to: request, result, transfer: transfer, processor)
            if case .success(let image) = response.result { imageCache?.add(image, at: place) }
            deliver(response, to: completion)
        }
        let shared = share.sessionTask.map { transfer in
            transfer.companion { DataRequest(of: transfer, request: request, engine: engine) }
        }
        return RequestReceipt(
            request: shared ?? DataRequest(.failure(.invalidURL(url: "")), engine: engine),
            receiptID: receiptID,
            share: share
        )
    }

    /// Gets an image whose completion follows the call; see the form with all parameters.
    ///
    /// There a closure after the call would be the progress handler, in Swift's language mode 6.
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

    /// Gets several images; see the other form.
    ///
    /// - Returns: the receipts of those that memory does not have.
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

    /// Gets several images whose completion follows the call; see the form with all parameters.
    @discardableResult
    public func download(
        _ urlRequests: [any URLRequestConvertible],
        filter: (any ImageFilter)? = nil,
        completion: @escaping CompletionHandler
    ) -> [RequestReceipt] {
        download(urlRequests, filter: filter, progress: nil, progressQueue: .main, completion: completion)
    }

    /// Ends one share in a download: its completion is told ``AFIError/requestCancelled``.
    ///
    /// The transfer goes on while others share it.
    open func cancelRequest(with requestReceipt: RequestReceipt) { requestReceipt.share?.cancel() }
}
