import AlcedoLocks
public import AlcedoTransport
public import Foundation
public import FoundationNetworking

/// Downloads images and processes them; loads whose requests are equal are coalesced into one transfer.
///
/// Requests are equal if they have the same URL, method, header fields, body and credential after their request modifiers,
/// and the same redirect handler. Loads with redirect handlers that are neither objects nor copies of one
/// ``AnyRedirectHandler`` are not coalesced. Cookies of the session configuration are those of one user: take a downloader
/// for each.
///
/// Safe because its state is behind a lock; methods may be called on any thread.
open class ImageDownloader: @unchecked Sendable {
    /// The downloader that loads use unless an option or a manager names another.
    public static let `default` = ImageDownloader(name: "default")

    let transport: any Transport
    /// Counts bodies that Alcedo's threads have yet to process; nil with a transport without backpressure.
    let backpressure: Backpressure?

    /// Counts bodies and images that the delegate has yet to process.
    let delegateBackpressure: Backpressure

    /// Counts bodies that image modifiers and the program's serializers have yet to process.
    let imageBackpressure: Backpressure

    /// Runs delegates, so that one that blocks stops no other downloader.
    let delegateThreads = ProgramThreads("alcedo-deleg")
    let settings = Lock(DownloaderSettings())
    // Taken before the locks of transfers and callers, never while one of these is held.
    let transfers = Lock(DownloadRegistry())

    /// Nil while none are to be remembered.
    let failures = Lock<FailureTable?>(nil)

    /// Creates a downloader that shares its network thread with the others; its name must not be empty.
    public init(name: String) {
        precondition(!name.isEmpty, "a downloader's name must not be empty")
        transport = StandardTransport.shared
        backpressure = StandardTransport.shared.backpressure
        delegateBackpressure = .ofProgram(limit: backpressure?.limit, "the downloader's delegate")
        imageBackpressure = .ofProgram(limit: backpressure?.limit, "image modifiers and cache serializers")
    }

    /// Creates a downloader with a transport of its own; its name must not be empty.
    public init(name: String, transport: any Transport) {
        precondition(!name.isEmpty, "a downloader's name must not be empty")
        self.transport = transport
        backpressure =
            (transport as? StandardTransport)?.backpressure ?? (transport as? CurlTransport)?.backpressure
        delegateBackpressure = .ofProgram(limit: backpressure?.limit, "the downloader's delegate")
        imageBackpressure = .ofProgram(limit: backpressure?.limit, "image modifiers and cache serializers")
    }

    /// The timeout for a connection, for the first byte, and between two bytes, in seconds; 15 by default.
    ///
    /// Starts when the request leaves the queue. For a file it limits each wait for the file system, rounded up to seconds.
    open var downloadTimeout: TimeInterval {
        get { settings.withLock { $0.downloadTimeout } }
        set { settings.withLock { $0.downloadTimeout = newValue } }
    }

    /// Hosts whose certificates are not verified; nil by default.
    open var trustedHosts: Set<String>? {
        get { settings.withLock { $0.trustedHosts } }
        set { settings.withLock { $0.trustedHosts = newValue } }
    }

    /// The addresses that may be connected to, after redirects too; all by default.
    ///
    /// Set ``AddressPolicy/publicOnly`` in a server that loads URLs from untrusted clients. A class of the configuration's
    /// `protocolClasses` loads what it accepts, whatever the address.
    public var addressPolicy: AddressPolicy {
        get { settings.withLock { $0.addressPolicy } }
        set { settings.withLock { $0.addressPolicy = newValue } }
    }

    /// Observes, validates and changes downloads; not kept alive.
    open var delegate: (any ImageDownloaderDelegate)? {
        get { settings.withLock { $0.hooks }.delegate }
        set {
            // In a `Sendable` box, because a delegate need not be `Sendable` and the lock's value is.
            let hook = WeakHooks(delegate: newValue)
            settings.withLock { $0.hooks.delegate = hook.delegate }
        }
    }

    /// Handles challenges for credentials and server trust; nil by default.
    ///
    /// It is not kept alive.
    open var authenticationChallengeResponder: (any AuthenticationChallengeResponsible)? {
        get { settings.withLock { $0.hooks }.responder }
        set {
            let hook = WeakHooks(responder: newValue)
            settings.withLock { settings in
                settings.hooks.responder = hook.responder
                settings.trustScope = TrustScope()
            }
        }
    }

    /// Has no effect, which a ``Diagnostic`` says: libcurl always shares HTTP/2 connections and never pipelines HTTP/1.1.
    open var requestsUsePipelining: Bool {
        get { settings.withLock { $0.requestsUsePipelining } }
        set {
            settings.withLock { $0.requestsUsePipelining = newValue }
            guard newValue else { return }
            let reason = "libcurl shares HTTP/2 connections without it, and never pipelines HTTP/1.1."
            IgnoredSettings.report([.ignoredSetting(name: "requestsUsePipelining", reason: reason)])
        }
    }

    /// The URLSession configuration, of which some properties are honoured; ephemeral by default.
    ///
    /// Honoured: additional headers, the timeouts for a request, if it is shorter than ``downloadTimeout``, and for a
    /// resource, connections per host (6 by default), cookie storage and policy, credential storage, the program's
    /// `protocolClasses`, and proxies under CFNetwork's names (`HTTPEnable`, `HTTPProxy`, `HTTPPort`, …); without these the
    /// environment names the proxies.
    ///
    /// Honoured if `urlCache` is an ``HTTPCache``: that, and `requestCachePolicy` for requests of the protocol's policy.
    ///
    /// Not honoured: any other `urlCache`, because ``ImageCache`` has the caches; properties of cellular or constrained
    /// networks, because Linux does not report these (see ``isNetworkConstrained``); background sessions. A ``Diagnostic``
    /// names each that is set.
    ///
    /// Setting it cancels all transfers of this downloader.
    open var sessionConfiguration: URLSessionConfiguration {
        get { copiedConfiguration }
        set {
            let session = SessionSettings(newValue)
            settings.withLock { $0.session = session }
            cancelAll()
        }
    }

    /// Observes and controls transfers like a URLSession's delegate; see ``SessionDelegate``.
    ///
    /// Setting it cancels all transfers of this downloader.
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
    ///   - url: an http, https, file or data URL.
    ///   - options: how to load and process; options of caches and retries have no effect here.
    ///   - completionHandler: called once, on the options' callback queue, and never before this method returns.
    /// - Returns: this caller's handle, to cancel.
    @discardableResult
    open func downloadImage(
        with url: URL,
        options: KingfisherParsedOptionsInfo,
        completionHandler: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)? = nil
    ) -> DownloadTask {
        // An asynchronous modifier returns after this call, and before the completion.
        let isAsync =
            options.requestModifier.map { !($0 is any ImageDownloadRequestModifier) } ?? false
        let latch = ReturnLatch(steps: isAsync ? 2 : 1)
        return download(
            DownloadCaller(
                options: options.reducing(), context: options.downloadContext, latch: latch,
                completion: completionHandler),
            from: url)
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
        options.downloadContext.progress = ProgressCallback(progressBlock)
        return downloadImage(with: url, options: options, completionHandler: completionHandler)
    }

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

    /// Cancels all transfers of this downloader; each caller gets a cancellation error.
    public func cancelAll() { cancelAll { _ in true } }

    /// Cancels the transfers of one URL, with any header fields, for all their callers.
    public func cancel(url: URL) {
        let url = url.absoluteString
        cancelAll { $0.url == url }
    }

    private func cancelAll(where isCancelled: (CoalescingKey) -> Bool) {
        // Queued transfers end first, so that none of them starts in place of one that ends.
        let tasks = transfers.withLock { transfers in
            let tasks = transfers.byKey.values.filter { isCancelled($0.key) }
            return tasks.filter { $0.queueState == .queued } + tasks.filter { $0.queueState != .queued }
        }
        for task in tasks { task.cancelAll() }
    }
}

/// Asynchronous forms of the callback method, which they call; overriding that changes these too.
///
/// Cancelling the calling task cancels its load. Each throws a ``KingfisherError``, or a
/// `CancellationError` if the task was cancelled before the call.
extension ImageDownloader {
    public func downloadImage(
        with url: URL,
        options: KingfisherParsedOptionsInfo
    ) async throws -> ImageLoadingResult {
        var options = options
        options.callbackQueue = .untouch
        options.downloadContext.completionMayBlock = false
        return try await awaitCompletion(on: options.threadsOfDownload(by: self)) { [self, options] finish in
            downloadImage(with: url, options: options, completionHandler: finish)
        }
    }

    /// Downloads and processes an image, reporting progress on the main thread.
    public func downloadImage(
        with url: URL,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil
    ) async throws -> ImageLoadingResult {
        var options = KingfisherParsedOptionsInfo(options)
        options.downloadContext.progress = ProgressCallback(progressBlock)
        return try await downloadImage(with: url, options: options)
    }

    public func downloadImage(
        with url: URL,
        options: KingfisherOptionsInfo? = nil
    ) async throws -> ImageLoadingResult {
        try await downloadImage(with: url, options: KingfisherParsedOptionsInfo(options))
    }
}
