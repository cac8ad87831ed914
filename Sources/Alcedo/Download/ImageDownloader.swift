import AlcedoLocks
public import AlcedoTransport
public import Foundation
public import FoundationNetworking

/// Downloads images and processes them; callers of one URL share one transfer.
///
/// Safe because its state is behind a lock; methods may be called on any thread.
open class ImageDownloader: @unchecked Sendable {
    /// The downloader that loads use unless an option or a manager names another.
    public static let `default` = ImageDownloader(name: "default")

    let transport: any Transport
    /// Bodies that wait for Alcedo's own threads; nil with a transport that does not ask.
    let backlog: Backlog?

    /// Bodies and images that wait for the delegate.
    let delegateBacklog: Backlog

    /// Where delegates are called, so that one that blocks stops nobody else.
    let delegateQueue = BoundedQueue(
        label: "alcedo.delegate", width: max(2, ProcessInfo.processInfo.activeProcessorCount))
    let settings = Lock(DownloaderSettings())
    let transfers = Lock(DownloadTransfers())

    /// Makes a downloader that shares its network thread with the others; its name must not be empty.
    public init(name: String) {
        precondition(!name.isEmpty, "a downloader's name must not be empty")
        transport = StandardTransport.shared
        backlog = StandardTransport.shared.backlog
        delegateBacklog = .ofDelegate(limit: backlog?.limit)
    }

    /// Makes a downloader with a transport of its own; its name must not be empty.
    public init(name: String, transport: any Transport) {
        precondition(!name.isEmpty, "a downloader's name must not be empty")
        self.transport = transport
        backlog = (transport as? StandardTransport)?.backlog ?? (transport as? CurlTransport)?.backlog
        delegateBacklog = .ofDelegate(limit: backlog?.limit)
    }

    /// The longest wait for a connection, for the first byte, and between two bytes, in seconds; 15 by default.
    ///
    /// Each counts from when the request leaves the queue.
    open var downloadTimeout: TimeInterval {
        get { settings.withLock { $0.downloadTimeout } }
        set { settings.withLock { $0.downloadTimeout = newValue } }
    }

    /// Hosts whose certificates are not verified; nil by default.
    open var trustedHosts: Set<String>? {
        get { settings.withLock { $0.trustedHosts } }
        set { settings.withLock { $0.trustedHosts = newValue } }
    }

    /// Which addresses may be connected to, by redirects too; all by default.
    ///
    /// A server that loads what strangers ask for wants ``AddressPolicy/publicOnly``.
    public var addressPolicy: AddressPolicy {
        get { settings.withLock { $0.addressPolicy } }
        set { settings.withLock { $0.addressPolicy = newValue } }
    }

    /// Watches, checks and changes downloads; not kept alive.
    open var delegate: (any ImageDownloaderDelegate)? {
        get { settings.withLock { $0.delegate }.value }
        set {
            let delegate = WeakDelegate(value: newValue)
            settings.withLock { $0.delegate = delegate }
        }
    }

    /// Answers servers that ask for a credential, and decides whether to trust them; nil by default.
    ///
    /// It is not kept alive.
    open var authenticationChallengeResponder: (any AuthenticationChallengeResponsible)? {
        get { settings.withLock { $0.responder }.value }
        set {
            let responder = WeakResponder(value: newValue)
            settings.withLock { settings in
                settings.responder = responder
                settings.trustScope = TrustScope()
            }
        }
    }

    /// Has no effect: libcurl shares HTTP/2 connections by itself and never pipelines HTTP/1.1.
    open var requestsUsePipelining: Bool {
        get { settings.withLock { $0.requestsUsePipelining } }
        set { settings.withLock { $0.requestsUsePipelining = newValue } }
    }

    /// What of a URLSession's configuration counts here; ephemeral by default.
    ///
    /// Honoured: additional headers, the time-outs for a request, if it is shorter than ``downloadTimeout``, and for a
    /// resource, connections per host (6 by default), cookie storage and policy, credential storage, and proxies under
    /// CFNetwork's names (`HTTPEnable`, `HTTPProxy`, `HTTPPort`, …); without these the environment names the proxies.
    ///
    /// Honoured if `urlCache` is an ``HTTPCache``: that, and `requestCachePolicy` for requests of the protocol's policy.
    ///
    /// Not honoured: any other `urlCache`, because the caches are ``ImageCache``'s; what is about cellular or constrained
    /// networks, because Linux does not tell which they are (see ``isNetworkConstrained``).
    ///
    /// Setting it ends every transfer of this downloader.
    open var sessionConfiguration: URLSessionConfiguration {
        get { copiedConfiguration }
        set {
            let session = SessionSettings(newValue)
            settings.withLock { $0.session = session }
            cancelAll()
        }
    }

    /// Watches and steers transfers as a URLSession's delegate does; see ``SessionDelegate``.
    ///
    /// Setting it ends every transfer of this downloader.
    open var sessionDelegate: SessionDelegate {
        get { settings.withLock { $0.sessionDelegate } }
        set {
            settings.withLock { settings in
                settings.sessionDelegate = newValue
                settings.trustScope = TrustScope()
            }
            cancelAll()
        }
    }

    /// Downloads and processes an image.
    ///
    /// - Parameters:
    ///   - url: where from; http, https, file or data.
    ///   - options: what to do with it; caches and retries are not the downloader's.
    ///   - completionHandler: called once, on the queue that the options name, and never before this method returns.
    /// - Returns: this caller's handle, to cancel.
    @discardableResult
    open func downloadImage(
        with url: URL,
        options: KingfisherParsedOptionsInfo,
        completionHandler: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)? = nil
    ) -> DownloadTask {
        // An asynchronous modifier's answer comes after the call, and before the completion.
        let isAsync =
            options.requestModifier.map { !($0 is any ImageDownloadRequestModifier) } ?? false
        let latch = ReturnLatch(steps: isAsync ? 2 : 1)
        return download(
            DownloadCaller(options: options, completion: completionHandler, latch: latch), from: url)
    }

    /// Downloads and processes an image, reporting progress on the main thread.
    @discardableResult
    open func downloadImage(
        with url: URL,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        completionHandler: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)? = nil
    ) -> DownloadTask {
        var options = KingfisherParsedOptionsInfo(options)
        options.progress = ProgressCallback(progressBlock)
        return downloadImage(with: url, options: options, completionHandler: completionHandler)
    }

    /// Downloads and processes an image.
    @discardableResult
    open func downloadImage(
        with url: URL,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)? = nil
    ) -> DownloadTask {
        downloadImage(
            with: url,
            options: KingfisherParsedOptionsInfo(options),
            completionHandler: completionHandler
        )
    }

    /// Ends every transfer of this downloader; each caller gets an error that says so.
    public func cancelAll() {
        // Those that wait go first, so that none of them starts in place of one that ends.
        let tasks = transfers.withLock { transfers in
            let tasks = transfers.byKey.values
            return tasks.filter { $0.turn == .waiting } + tasks.filter { $0.turn != .waiting }
        }
        for task in tasks { task.cancelAll() }
    }

    /// Ends the transfer of one URL, for all its callers.
    public func cancel(url: URL) {
        transfers.withLock { $0.byKey[.url(url.absoluteString)] }?.cancelAll()
    }
}
