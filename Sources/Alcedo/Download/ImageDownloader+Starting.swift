import AlcedoLocks
import AlcedoTransport
public import Foundation
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

    /// The caller's latch opens as the last thing that is done.
    func download(_ caller: DownloadCaller, from url: URL) -> DownloadTask {
        let task = DownloadTask()
        defer { caller.latch.step() }
        guard let modifier = caller.options.requestModifier else {
            begin(caller, url: url, key: .url(url.absoluteString), request: nil, handle: task)
            return task
        }
        let request = plainRequest(for: url)
        if let modifier = modifier as? any ImageDownloadRequestModifier {
            let modified = modifier.modified(for: request)
            begin(caller, url: url, modified: modified, handle: task)
            if modified != nil { announce(task, to: modifier, for: caller) }
            return task
        }
        let begins = OnceCallback<URLRequest?> { [self] modified in
            begin(caller, url: url, modified: modified, handle: task)
            if modified != nil { announce(task, to: modifier, for: caller) }
            caller.latch.step()
        }
        task.work {
            guard begins.drop() else { return }
            caller.latch.step()
            caller.cancel(.requestError(reason: .asyncTaskContextCancelled))
        }
        Task { begins.call(await modifier.modified(for: request)) }
        return task
    }

    /// Tells a modifier that its download has started, before the caller hears how it ended.
    private func announce(
        _ task: DownloadTask, to modifier: any AsyncImageDownloadRequestModifier, for caller: DownloadCaller
    ) {
        guard let started = modifier.onDownloadTaskStarted else { return }
        if let announce = caller.options.announce { announce { started(task) } } else { started(task) }
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
            return caller.finish(.failure(.responseError(reason: .URLSessionError(error: refusal.urlError))))
        }
        let path = consumers(of: caller.options)
        for backlog in path { backlog.observe(for: self) { [weak self] in self?.startNext() } }
        let (task, token, next) = transfers.withLock { transfers in
            transfers.admit(caller, from: path, to: key) {
                SessionDataTask(
                    of: url, key: key, request: request, options: caller.options,
                    consumers: path.isEmpty ? nil : Consumers(path), for: self)
            }
        }
        handle.link(to: task, token: token)
        // While the image is made the transfer knows the caller no more.
        handle.cancellation.whenCancelled { [weak caller] in
            caller?.cancel(.requestError(reason: .taskCancelled(task: task, token: token)))
        }
        switch next {
        case .start: start(task)
        case .join: prioritize(task)
        case .wait: limitWait(of: task)
        }
    }

    /// Has the transport start a transfer whose turn has come.
    private func start(_ task: SessionDataTask) {
        guard let url = task.originalURL, let (request, options) = task.takeStart() else { return }
        let current = delegate
        let full = request ?? (current == nil ? nil : plainRequest(for: url))
        current?.imageDownloader(self, willDownloadImageForURL: url, with: full)
        var wanted = transportRequest(for: url, request: full, options: options)
        wanted.priority = priority(of: task)
        wanted.consumers = task.consumers
        if queueTimeout > 0 {
            let waited = (ContinuousClock.now - task.asked) / .seconds(1)
            wanted.timeouts.queue = max(0.001, queueTimeout - waited)
        }
        let transfer = ImageTransfer(of: task, url: url, for: self)
        let session = session
        let caching = session.responses.map { CachingTransport(transport, store: $0) }
        let begin: @Sendable () -> Void = { [transport, wanted] in
            task.attach((caching ?? transport).start(wanted, handler: transfer))
        }
        if let cookies = session.cookies { cookies.beforeRequest(begin) } else { begin() }
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
        startElsewhere(transfers.withLock { $0.remove(task) })
    }

    /// Starts those who may start now that a consumer has room, or holds back others.
    private func startNext() {
        startElsewhere(transfers.withLock { $0.queue.takeNext() })
    }

    private func startElsewhere(_ tasks: [SessionDataTask]) {
        for task in tasks {
            // A delegate's code is not for the network thread.
            if delegate == nil { start(task) } else { delegateQueue.async { self.start(task) } }
        }
    }

    func priority(of task: SessionDataTask) -> Float {
        transfers.withLock { _ in task.rank.priority }
    }

    /// Has a transfer whose callers have changed take its place among the others, wherever it is.
    func prioritize(_ task: SessionDataTask) {
        let (next, hasChanged) = transfers.withLock { transfers in
            let priority = task.callersPriority ?? task.rank.priority
            let hasChanged = priority != task.rank.priority || task.consumers != nil
            if hasChanged { transfers.queue.reorder(task, priority: priority) }
            return (hasChanged ? transfers.queue.takeNext() : [], hasChanged)
        }
        if hasChanged { task.applyPriority() }
        startElsewhere(next)
    }
}

// MARK: - The longest wait

extension ImageDownloader {
    /// The longest wait from the call until the request is sent, in seconds; 0, the default, for no limit.
    ///
    /// A load waits for its turn if ``maximumActiveDownloads`` is less than what is asked for, for a connection to its
    /// host, and while too many images wait to be decoded or stored, or for a queue or a delegate of the program's.
    /// Expiry fails the load with ``TransportError/queueTimedOut(waitingFor:seconds:url:)``, which names what it has
    /// waited for. Counts for loads that are asked for from then on.
    public var queueTimeout: TimeInterval {
        get { settings.withLock { $0.queueTimeout } }
        set { settings.withLock { $0.queueTimeout = newValue } }
    }

    /// Ends a load if its turn has not come in time.
    private func limitWait(of task: SessionDataTask) {
        let seconds = queueTimeout
        guard seconds > 0 else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self, weak task] in
            if let self, let task { giveUp(task, after: seconds) }
        }
    }

    private func giveUp(_ task: SessionDataTask, after seconds: TimeInterval) {
        let next = transfers.withLock { transfers in
            task.turn == .waiting ? transfers.remove(task) : nil
        }
        guard let next else { return }
        startElsewhere(next)
        let obstacle = task.obstacle?.name ?? "one of \(maximumActiveDownloads) downloads at a time to end"
        let error = TransportError.queueTimedOut(
            waitingFor: obstacle, seconds: seconds, url: task.originalURL?.absoluteString ?? "")
        for caller in task.complete(failure: error) {
            caller.finish(.failure(.responseError(reason: .URLSessionError(error: error.urlError))))
        }
    }
}
