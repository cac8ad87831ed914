import AlcedoLocks
import AlcedoTransport
import Dispatch
import Foundation
package import FoundationNetworking

// From a call to a transfer: modifies the request, coalesces it or queues a transfer, and starts that when it may run.

extension ImageDownloader {
    /// Sends `request` unmodified, or coalesces it with a transfer of the same key.
    ///
    /// - Returns: the caller's handle, which has a transfer unless the request has no URL.
    package func download(
        _ request: URLRequest,
        as key: CoalescingKey?,
        options: KingfisherParsedOptionsInfo,
        context: DownloadContext,
        completion:
            @escaping @Sendable (Result<ImageLoadingResult, KingfisherError>, SessionDataTask?) -> Void
    ) -> DownloadTask {
        let task = DownloadTask(priority: options.downloadPriority)
        let caller = DownloadCaller(
            options: options, context: context, completionWithTransfer: completion)
        start(caller, url: request.url, key: key, request: request, handle: task)
        return task
    }

    package func isLoading(_ key: CoalescingKey) -> Bool {
        transfers.withLock { $0.byKey[key] } != nil
    }

    /// Starts a load of `url`, once a modifier has changed its request.
    func download(_ caller: DownloadCaller, from url: URL) -> DownloadTask {
        let task = DownloadTask(priority: caller.options.downloadPriority)
        // Last, because the completion must not be called before the call has returned.
        defer { caller.latch.step() }
        guard let modifier = caller.options.requestModifier else {
            let key = CoalescingKey(url, nil, for: caller)
            start(caller, url: url, key: key, request: nil, handle: task)
            return task
        }
        let start: @Sendable (URLRequest?) -> Void = { [self] request in
            guard let request else {
                task.detach()
                return caller.finish(.failure(.requestError(reason: .emptyRequest)))
            }
            IgnoredSettings.report(request.ignoredSettings)
            let key = request.url.map { CoalescingKey($0, request, for: caller) }
            self.start(caller, url: request.url, key: key, request: request, handle: task)
            guard let started = modifier.onDownloadTaskStarted else { return }
            // Before the caller's completion.
            caller.context.announce { started(task) }
        }
        let request = plainRequest(for: url)
        if let modifier = modifier as? any ImageDownloadRequestModifier {
            let modified = modifier.modified(for: request)
            if caller.options.isSourceTaskStale {
                caller.cancel(.requestError(reason: .asyncTaskContextCancelled))
            } else {
                start(modified)
            }
            return task
        }
        let startOnce = OnceCallback<URLRequest?> { modified in
            start(modified)
            caller.latch.step()
        }
        task.work {
            guard startOnce.drop() else { return }
            caller.latch.step()
            caller.cancel(.requestError(reason: .asyncTaskContextCancelled))
        }
        Task(executorPreference: ProgramThreads.starts) {
            startOnce.call(await modifier.modified(for: request))
        }
        return task
    }

    /// Coalesces the caller with the transfer of this key, or starts one.
    private func start(
        _ caller: DownloadCaller,
        url: URL?,
        key: CoalescingKey?,
        request: URLRequest?,
        handle: DownloadTask
    ) {
        guard let url, let key, case let text = url.absoluteString, !text.isEmpty else {
            let request = request ?? url.map(plainRequest) ?? URLRequest(url: URL(fileURLWithPath: ""))
            return caller.finish(.failure(.requestError(reason: .invalidURL(request: request))))
        }
        if caller.options.lowDataModeSource != nil, isNetworkConstrained?() == true {
            let error = TransportError.constrainedNetwork(url: text)
            return caller.finish(.failure(.responseError(reason: .URLSessionError(error: error.urlError))))
        }
        if !caller.options.forceRefresh, let failure = failures.withLock({ $0?[key.ofFailure] }) {
            let error = TransportError.failedBefore(failure, url: text)
            return caller.finish(.failure(.responseError(reason: .URLSessionError(error: error.urlError))))
        }
        let path = consumers(of: caller)
        for backpressure in path { backpressure.observe(for: self) { [weak self] in self?.startNext() } }
        // A fallback waits until the handle has the transfer that has failed, so that it gets the later one last.
        let failsAndIsLinked = Countdown(from: 2) { [self] in
            start(caller, url: url, key: key.ofOwnURL, request: request, handle: handle)
        }
        // Before it joins a transfer, which may fail at once.
        if key.isShared { caller.fallBack { failsAndIsLinked.step() } }
        let (task, token, next) = transfers.withLock { transfers in
            transfers.coalesce(caller, from: path, to: key) {
                SessionDataTask(
                    of: url, key: key, request: request, starter: caller,
                    consumers: path.isEmpty ? nil : Consumers(path), for: self)
            }
        }
        // Without the lock under which they were added: observers are the program's code.
        caller.events?.deliver()
        // The transfer is of the caller's own URL, so there is no other to fall back to.
        if key.isShared, task.originalURL == url { caller.fallBack(to: nil) }
        handle.link(to: task, token: token)
        // The transfer drops the caller while its image is decoded.
        handle.cancellation.whenCancelled { [weak caller] in
            caller?.cancel(.requestError(reason: .taskCancelled(task: task, token: token)))
        }
        switch next {
        case .start: start(task)
        case .coalesce: prioritize(task)
        case .wait:
            scheduleQueueTimeout(of: task)
            // Another may have to start instead, or a timer.
            if startRate != nil { startNext() }
        }
        if key.isShared { failsAndIsLinked.step() }
    }

    /// Has the transport start an admitted transfer.
    private func start(_ task: SessionDataTask) {
        guard let url = task.originalURL, let (request, starter, events) = task.takeStart() else { return }
        for events in events { events.send(.transferring) }
        let current = delegate
        let full = request ?? (current == nil ? nil : plainRequest(for: url))
        current?.imageDownloader(self, willDownloadImageForURL: url, with: full)
        var wanted = transportRequest(
            for: url, request: full, options: starter.options, credential: starter.context.credential)
        wanted.priority = priority(of: task)
        wanted.consumers = task.consumers
        if queueTimeout > .zero {
            let waited = ContinuousClock.now - task.created
            // At least 1 ms, because zero means no limit.
            wanted.timeouts.queue = max(.milliseconds(1), queueTimeout - waited)
        }
        let exchange = Exchange(of: wanted, for: starter)
        task.attach(exchange)
        let transfer = ImageTransferHandler(of: task, url: url, exchange, for: self)
        let session = session
        let network = resuming(starter.options)
        let base: any Transport =
            session.protocols.isEmpty ? network : ProtocolTransport(session.protocols, before: network)
        // In front of the layer that resumes downloads, so that the cache sees whole bodies only.
        let caching = session.responses.map { CachingTransport(base, store: $0, now: starter.now) }
        let send: @Sendable () -> Void = {
            task.attach((caching ?? base).start(exchange.firstRequest, handler: transfer))
        }
        if let cookies = session.cookies { cookies.beforeRequest(send) } else { send() }
    }

    // MARK: - Queue

    /// The most transfers that run at a time, further ones are queued; unlimited by default, values below 1 count as 1.
    ///
    /// The session configuration also limits the connections of a host.
    public var maximumActiveDownloads: Int {
        get { transfers.withLock { $0.queue.limit } }
        set {
            let next = transfers.withLock { transfers in
                transfers.queue.limit = max(1, newValue)
                return transfers.queue.takeNext()
            }
            for task in next.tasks { start(task) }
            if let timer = next.timer { schedule(timer) }
        }
    }

    /// The order in which queued downloads of one priority start; `.fifo` by default.
    ///
    /// Applies to later downloads.
    public var downloadOrder: DownloadOrder {
        get { transfers.withLock { $0.queue.order } }
        set { transfers.withLock { $0.queue.order = newValue } }
    }

    /// The longest time from the call until the request is sent; zero, the default, for no limit.
    ///
    /// A load is queued at the limit of ``maximumActiveDownloads`` or ``startRate``, for a connection to its host, and while
    /// too many images wait to be decoded or stored, or for a queue or a delegate of the program's. Expiry fails the load with
    /// ``TransportError/queueTimedOut(waitingFor:seconds:url:)``, which names the cause. Applies to later loads.
    public var queueTimeout: Duration {
        get { settings.withLock { $0.queueTimeout } }
        set { settings.withLock { $0.queueTimeout = newValue } }
    }

    /// Returns whether the network is constrained, such as a metered one; nil counts as no.
    ///
    /// By default nil. In a program with views of AlcedoGTK, it is by default whether GIO's `GNetworkMonitor` reports a metered
    /// network or none; `{ false }` turns that off.
    ///
    /// Called before each download with a `lowDataModeSource`, on the thread that starts it: of a load on one that it may block.
    public var isNetworkConstrained: (@Sendable () -> Bool)? {
        get { settings.withLock { $0.isNetworkConstrained } ?? DesktopNetwork.isConstrained }
        set { settings.withLock { $0.isNetworkConstrained = newValue } }
    }

    /// Removes a transfer that accepts no more callers, and starts the next ones.
    func remove(_ task: SessionDataTask) {
        startOffNetworkThread(transfers.withLock { $0.remove(task) })
    }

    func startOffNetworkThread(_ next: DownloadQueue.Next) {
        for task in next.tasks {
            // Delegates must not run on the network thread.
            if delegate == nil { start(task) } else { delegateThreads.async { self.start(task) } }
        }
        if let timer = next.timer { schedule(timer) }
    }

    func priority(of task: SessionDataTask) -> Float {
        transfers.withLock { _ in task.rank.priority }
    }

    /// Applies the priority of a transfer whose callers have changed.
    func prioritize(_ task: SessionDataTask) {
        let (next, hasChanged) = transfers.withLock { transfers in
            let priority = task.callersPriority ?? task.rank.priority
            let hasChanged = priority != task.rank.priority || task.consumers != nil
            if hasChanged { transfers.queue.reorder(task, priority: priority) }
            return (hasChanged ? transfers.queue.takeNext() : DownloadQueue.Next(), hasChanged)
        }
        if hasChanged { task.applyPriority() }
        startOffNetworkThread(next)
    }

    /// Ends a load that is still queued at the end of the timeout.
    private func scheduleQueueTimeout(of task: SessionDataTask) {
        let seconds = queueTimeout.seconds
        guard seconds > 0 else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self, weak task] in
            if let self, let task { expire(task, after: seconds) }
        }
    }

    private func expire(_ task: SessionDataTask, after seconds: TimeInterval) {
        let expired = transfers.withLock { transfers -> (next: DownloadQueue.Next, waitingFor: String)? in
            guard task.queueState == .queued else { return nil }
            let waitingFor = transfers.queue.waitingFor
            return (transfers.remove(task), waitingFor)
        }
        guard let expired else { return }
        startOffNetworkThread(expired.next)
        let blocker = task.blocker?.name ?? expired.waitingFor
        let error = TransportError.queueTimedOut(
            waitingFor: blocker, seconds: seconds, url: task.originalURL?.absoluteString ?? "")
        for caller in task.complete(failure: error) {
            caller.finish(.failure(.responseError(reason: .URLSessionError(error: error.urlError))))
        }
    }
}
