import AlcedoLocks
import AlcedoTransport
import Foundation
package import FoundationNetworking

// From a call to a transfer: the request is modified, joins a transfer that runs, or starts one in its turn.

extension ImageDownloader {
    /// Sends `request` as it is, unless a transfer with this key runs: then that is shared.
    ///
    /// - Returns: the caller's share; its transfer is there already, unless the request has no URL.
    package func download(
        _ request: URLRequest,
        as key: TransferKey?,
        options: KingfisherParsedOptionsInfo,
        completion:
            @escaping @Sendable (Result<ImageLoadingResult, KingfisherError>, SessionDataTask?) -> Void
    ) -> DownloadTask {
        let task = DownloadTask()
        let caller = DownloadCaller(options: options, completion: completion)
        begin(caller, url: request.url, key: key, request: request, handle: task)
        return task
    }

    /// Whether a transfer with this key runs or waits for its turn.
    package func isLoading(_ key: TransferKey) -> Bool {
        transfers.withLock { $0.byKey[key] } != nil
    }

    func download(_ caller: DownloadCaller, from url: URL) -> DownloadTask {
        let task = DownloadTask()
        guard let modifier = caller.options.requestModifier else {
            begin(caller, url: url, key: .url(url.absoluteString), request: nil, handle: task)
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
        let key = request.url.map { TransferKey.url($0.absoluteString) }
        begin(caller, url: request.url, key: key, request: request, handle: handle)
    }

    /// Joins the running transfer that has this key, or starts one.
    private func begin(
        _ caller: DownloadCaller,
        url: URL?,
        key: TransferKey?,
        request: URLRequest?,
        handle: DownloadTask
    ) {
        guard let url, let key, case let text = url.absoluteString, !text.isEmpty else {
            let request = request ?? url.map(plainRequest) ?? URLRequest(url: URL(fileURLWithPath: ""))
            return caller.finish(.failure(.requestError(reason: .invalidURL(request: request))))
        }
        if caller.options.lowDataModeSource != nil, isNetworkConstrained?() == true {
            let refusal = TransportError.constrainedNetwork(url: text)
            return caller.finish(.failure(.responseError(reason: .URLSessionError(error: refusal))))
        }
        let (task, token, next) = transfers.withLock { transfers in
            transfers.admit(caller, to: key) {
                SessionDataTask(of: url, key: key, request: request, options: caller.options, for: self)
            }
        }
        handle.link(to: task, token: token)
        switch next {
        case .start: start(task)
        case .raise: task.prioritize(caller.options.downloadPriority)
        case .wait: break
        }
    }

    /// Has the transport start a transfer whose turn has come.
    private func start(_ task: SessionDataTask) {
        guard let url = task.originalURL, let (request, options) = task.takeStart() else { return }
        let current = delegate
        let full = request ?? (current == nil ? nil : plainRequest(for: url))
        current?.imageDownloader(self, willDownloadImageForURL: url, with: full)
        let wanted = transportRequest(for: url, request: full, options: options)
        let transfer = ImageTransfer(of: task, url: url, for: self)
        let caching = session.responses.map { CachingTransport(transport, store: $0) }
        task.attach((caching ?? transport).start(wanted, handler: transfer))
    }
}

// MARK: - Turns

extension ImageDownloader {
    /// How many transfers run at a time, those beyond it wait; unlimited by default, less than 1 counts as 1.
    ///
    /// Whatever it is, a host has no more connections than the session configuration allows.
    public var maximumActiveDownloads: Int {
        get { transfers.withLock { $0.queue.limit } }
        set {
            let next = transfers.withLock { transfers in
                transfers.queue.limit = max(1, newValue)
                return transfers.queue.takeNext()
            }
            for task in next { start(task) }
        }
    }

    /// Who starts first among those that wait and have the same priority; `.fifo` by default.
    ///
    /// Setting it counts for what is asked for from then on.
    public var downloadOrder: DownloadOrder {
        get { transfers.withLock { $0.queue.order } }
        set { transfers.withLock { $0.queue.order = newValue } }
    }

    /// Says whether the network is one to be spared, such as a metered one; nil, the default, never.
    ///
    /// Asked before each download that has a `lowDataModeSource`, on the thread that begins it.
    public var isNetworkConstrained: (@Sendable () -> Bool)? {
        get { settings.withLock { $0.isNetworkConstrained } }
        set { settings.withLock { $0.isNetworkConstrained = newValue } }
    }

    /// Lets go of a transfer that admits no more callers, and starts whoever is next.
    func forget(_ task: SessionDataTask) {
        let next = transfers.withLock { $0.remove(task) }
        for task in next {
            // A delegate's code is not for the network thread.
            if delegate == nil { start(task) } else { WorkerPool.shared.submit { self.start(task) } }
        }
    }

    func priority(of task: SessionDataTask) -> Float {
        transfers.withLock { _ in task.rank.priority }
    }

    func reorder(_ task: SessionDataTask, priority: Float) {
        transfers.withLock { $0.queue.reorder(task, priority: priority) }
    }
}
