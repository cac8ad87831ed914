import AlcedoLocks
public import Foundation
public import FoundationNetworking

/// Downloads images and processes them; callers of one URL share one transfer.
///
/// Safe because its state is behind a lock; methods may be called on any thread.
open class ImageDownloader: @unchecked Sendable {
    /// The downloader that loads use unless an option or a manager names another.
    public static let `default` = ImageDownloader(name: "default")

    let transport: any Transport
    let settings = Lock(DownloaderSettings())
    private let running = Lock<[String: SessionDataTask]>([:])

    /// Makes a downloader that shares its network thread with the others; its name must not be empty.
    public init(name: String) {
        precondition(!name.isEmpty, "a downloader's name must not be empty")
        transport = StandardTransport.shared
    }

    /// Makes a downloader with a transport of its own; its name must not be empty.
    public init(name: String, transport: any Transport) {
        precondition(!name.isEmpty, "a downloader's name must not be empty")
        self.transport = transport
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

    /// Watches, checks and changes downloads; not kept alive.
    open var delegate: (any ImageDownloaderDelegate)? {
        get { settings.withLock { $0.delegate }.value }
        set {
            let delegate = WeakDelegate(value: newValue)
            settings.withLock { $0.delegate = delegate }
        }
    }

    /// Additional headers and connections per host (6 by default) are honoured; what concerns URLSession's own
    /// cache, cookies and cellular networks is not.
    ///
    /// Setting it ends every transfer of this downloader.
    open var sessionConfiguration: URLSessionConfiguration {
        get { settings.withLock { $0.session }.copiedConfiguration }
        set {
            let session = SessionSettings(newValue)
            settings.withLock { $0.session = session }
            cancelAll()
        }
    }

    /// Downloads and processes an image.
    ///
    /// - Parameters:
    ///   - url: where from; http, https, file or data.
    ///   - options: what to do with it; caches and retries are not the downloader's.
    ///   - completionHandler: called once, on the queue that the options name.
    /// - Returns: this caller's handle, to cancel.
    @discardableResult
    open func downloadImage(
        with url: URL,
        options: KingfisherParsedOptionsInfo,
        completionHandler: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)? = nil
    ) -> DownloadTask {
        download(DownloadCaller(options: options, completion: completionHandler), from: url)
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
        for task in running.withLock({ Array($0.values) }) { task.cancelAll() }
    }

    /// Ends the transfer of one URL, for all its callers.
    public func cancel(url: URL) {
        running.withLock { $0[url.absoluteString] }?.cancelAll()
    }
}

// MARK: - Beginning and joining

extension ImageDownloader {
    private func download(_ caller: DownloadCaller, from url: URL) -> DownloadTask {
        let task = DownloadTask()
        guard let modifier = caller.options.requestModifier else {
            begin(caller, url: url, request: nil, handle: task)
            return task
        }
        let request = plainRequest(for: url)
        if let modifier = modifier as? any ImageDownloadRequestModifier {
            begin(caller, url: url, modified: modifier.modified(for: request), handle: task)
            modifier.onDownloadTaskStarted?(task)
        } else {
            let answer = Claim()
            task.work {
                guard answer.take() else { return }
                caller.finish(.failure(.requestError(reason: .asyncTaskContextCancelled)))
            }
            Task {
                let modified = await modifier.modified(for: request)
                guard answer.take() else { return }
                begin(caller, url: url, modified: modified, handle: task)
                modifier.onDownloadTaskStarted?(task)
            }
        }
        return task
    }

    private func begin(
        _ caller: DownloadCaller,
        url: URL,
        modified request: URLRequest?,
        handle: DownloadTask
    ) {
        guard let request else {
            handle.rest()
            return caller.finish(.failure(.requestError(reason: .emptyRequest)))
        }
        begin(caller, url: request.url, request: request, handle: handle)
    }

    /// Joins the running transfer of the URL, or starts one.
    private func begin(
        _ caller: DownloadCaller,
        url: URL?,
        request: URLRequest?,
        handle: DownloadTask
    ) {
        guard let url, case let key = url.absoluteString, !key.isEmpty else {
            let request = request ?? url.map(plainRequest) ?? URLRequest(url: URL(fileURLWithPath: ""))
            return caller.finish(.failure(.requestError(reason: .invalidURL(request: request))))
        }
        let (task, token, isNew) = running.withLock { running in
            if let task = running[key], let token = task.join(caller) { return (task, token, false) }
            let task = SessionDataTask(originalURL: url) { [weak self] in self?.forget($0) }
            let token = task.join(caller) ?? 0
            running[key] = task
            return (task, token, true)
        }
        handle.link(to: task, token: token)
        guard isNew else { return }
        let current = delegate
        let full = request ?? (current == nil ? nil : plainRequest(for: url))
        current?.imageDownloader(self, willDownloadImageForURL: url, with: full)
        let wanted = transportRequest(for: key, request: full, options: caller.options)
        let transfer = ImageTransfer(of: task, url: url, bodyBytes: wanted.body?.count ?? 0, for: self)
        task.attach(transport.start(wanted, handler: transfer))
    }

    /// Lets go of a transfer that admits no more callers.
    func forget(_ task: SessionDataTask) {
        guard let key = task.originalURL?.absoluteString else { return }
        running.withLock { running in
            if running[key] === task { running[key] = nil }
        }
    }
}
