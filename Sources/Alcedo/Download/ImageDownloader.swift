import AlcedoLocks
public import Foundation
import FoundationNetworking

/// Downloads images and processes them; callers of one URL share one transfer.
///
/// Safe because its state is behind a lock; methods may be called on any thread.
open class ImageDownloader: @unchecked Sendable {
    /// The downloader that loads use unless an option or a manager names another.
    public static let `default` = ImageDownloader(name: "default")

    /// Tells downloaders apart in messages.
    let name: String

    let transport: any Transport
    let settings = Lock(DownloaderSettings())
    private let running = Lock<[String: SessionDataTask]>([:])

    /// Makes a downloader.
    ///
    /// - Parameters:
    ///   - name: tells downloaders apart in messages.
    ///   - transport: what moves the bytes; one shared by all downloaders by default.
    public init(name: String, transport: any Transport = StandardTransport.shared) {
        self.name = name
        self.transport = transport
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
        download(
            DownloadCaller(
                options: options,
                progress: nil,
                mayBlock: options.callbackQueue.isUntouched,
                completion: completionHandler
            ), from: url)
    }

    /// Downloads and processes an image, reporting progress on the main thread.
    @discardableResult
    open func downloadImage(
        with url: URL,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        completionHandler: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)? = nil
    ) -> DownloadTask {
        let options = KingfisherParsedOptionsInfo(options)
        return download(
            DownloadCaller(
                options: options,
                progress: ProgressCallback(progressBlock),
                mayBlock: options.callbackQueue.isUntouched,
                completion: completionHandler
            ),
            from: url
        )
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
    func download(_ caller: DownloadCaller, from url: URL) -> DownloadTask {
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
            Task {
                begin(caller, url: url, modified: await modifier.modified(for: request), handle: task)
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
        guard let request else { return caller.finish(.failure(.requestError(reason: .emptyRequest))) }
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
        let wanted = transportRequest(for: key, host: url.host(), request: full, options: caller.options)
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

// MARK: - Async forms

extension ImageDownloader {
    /// Downloads and processes an image.
    ///
    /// - Throws: ``KingfisherError``; `CancellationError` if the task was cancelled before the call.
    public func downloadImage(
        with url: URL,
        options: KingfisherParsedOptionsInfo
    ) async throws -> ImageLoadingResult {
        try await downloadImage(with: url, options: options, progress: nil)
    }

    /// Downloads and processes an image, reporting progress on the main thread.
    ///
    /// - Throws: ``KingfisherError``; `CancellationError` if the task was cancelled before the call.
    public func downloadImage(
        with url: URL,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil
    ) async throws -> ImageLoadingResult {
        try await downloadImage(
            with: url,
            options: KingfisherParsedOptionsInfo(options),
            progress: ProgressCallback(progressBlock)
        )
    }

    /// Downloads and processes an image.
    ///
    /// - Throws: ``KingfisherError``; `CancellationError` if the task was cancelled before the call.
    public func downloadImage(
        with url: URL,
        options: KingfisherOptionsInfo? = nil
    ) async throws -> ImageLoadingResult {
        try await downloadImage(with: url, options: KingfisherParsedOptionsInfo(options), progress: nil)
    }

    private func downloadImage(
        with url: URL,
        options: KingfisherParsedOptionsInfo,
        progress: ProgressCallback?
    ) async throws -> ImageLoadingResult {
        var options = options
        options.callbackQueue = .untouch
        return try await awaitCompletion { [options] finish in
            download(
                DownloadCaller(options: options, progress: progress, mayBlock: false, completion: finish),
                from: url
            )
        }
    }
}
