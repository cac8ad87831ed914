import AlcedoLocks
import Foundation

extension ImageLoad {
    /// Loads from the source, or from what a registered loader has in its place; bypasses the caches.
    func load(_ source: Source) {
        activeLoads?.track(handle)
        guard !handle.isCancelled else { return endCancelled() }
        let isIntercepted = !options.networkInterceptors.isEmpty
        let threads =
            isIntercepted ? threadsOfConstraint(for: source) : options.threadsOfStart(for: source)
        let start: @Sendable () -> Void = { [self] in
            if isIntercepted { interceptLoading(source) } else { loadContent(of: source) }
        }
        if let threads { threads.async(priority: options.downloadPriority, start) } else { start() }
    }

    private func loadContent(of source: Source) {
        guard !handle.isCancelled else { return endCancelled() }
        let content = options.content(of: source)
        // Cancelled while the program's loader ran.
        guard !handle.isCancelled else { return endCancelled() }
        if let refusal = options.downloader?.refusal(of: content) {
            return tryAlternative(after: .refusal(refusal), to: source)
        }
        switch content {
        case .network(let resource): download(resource.downloadURL, of: source)
        case .provider(let provider): read(provider, of: source)
        }
    }

    /// Ends a load that was cancelled, possibly before it was tracked.
    func endCancelled() {
        finish(.failure(cancellation))
        activeLoads?.untrack(handle)
    }

    private func download(_ url: URL, of source: Source) {
        guard let downloader = options.downloader else {
            preconditionFailure("the manager sets a downloader")
        }
        var options = options
        options.context.completionMayBlock =
            options.context.completionMayBlock ?? options.callbackQueue.isUntouched
        options.callbackQueue = .untouch
        options.context.source = source
        options.context.revalidation =
            state.withLock { $0.freshness.revalidation } ?? options.context.revalidation
        options.context.announce = { [weak self] callback in self?.announce(callback) }
        if state.withLock({ $0.usesLowDataSource }) { options.lowDataModeSource = nil }
        options.context.events?.send(.waiting)
        // The handle gets this transfer before its completion starts another.
        let isLinked = CompletionGate()
        let task = downloader.downloadImage(with: url, options: options) { [self] result in
            isLinked.whenOpen { [self] in
                switch result {
                case .success(let result): store(result, from: source)
                case .failure(let error):
                    if !useConfirmed(after: error, of: source) { fail(error, source: source) }
                }
            }
        }
        handle.link(to: task)
        reportReplacement()
        isLinked.open()
    }

    private func read(_ provider: any ImageDataProvider, of source: Source) {
        reportReplacement()
        options.context.events?.send(.transferring)
        let completion = OnceCallback<Result<Data, any Error>> { [self] outcome in
            handle.detach()
            switch outcome {
            case .success(let data): process(data, from: source)
            case .failure(is CancellationError): finish(.failure(cancellation))
            case .failure(let error):
                let reason = KingfisherError.ImageSettingErrorReason.dataProviderError(
                    provider: provider, error: error)
                fail(.imageSettingError(reason: reason), source: source)
            }
        }
        let stop = Cancellation()
        // The handle gets this work before its completion starts another.
        handle.work {
            // First, because the provider may report the cancellation of its task.
            completion.drop()
            stop.cancel()
        }
        if let provider = provider as? any LimitedImageDataProvider {
            return provider.data(
                limits: options.decodeLimits,
                timeout: options.downloader?.downloadTimeout ?? LocalFile.standardTimeout, cancellation: stop
            ) { completion.call($0) }
        }
        let task = Task(executorPreference: ProgramThreads.providers) {
            do { completion.call(.success(try await provider.data())) } catch {
                completion.call(.failure(error))
            }
        }
        stop.whenCancelled { task.cancel() }
    }

    /// Calls `downloadTaskUpdated` for a retry or an alternative source.
    func reportReplacement() {
        guard let downloadTaskUpdated, state.withLock({ $0.isReplacement }) else { return }
        announce { downloadTaskUpdated(handle) }
    }

    private func process(_ data: Data, from source: Source) {
        options.context.events?.send(.transferred(bytes: data.count, metrics: nil))
        options.process { [self] in
            guard isCurrent(source) else { return }
            options.context.events?.send(.making(of: data.count, with: options))
            let item = ImageProcessItem.data(data)
            switch options.processed(item, of: source).flatMap({ options.decoded($0, of: item) }) {
            case .success(let image):
                guard isCurrent(source) else { return }
                store(ImageLoadingResult(image: image, url: source.url, originalData: data), from: source)
            case .failure(let error): fail(error, source: source)
            }
        }
    }
}

/// Delays one action until it is opened.
private final class CompletionGate: Sendable {
    private struct State {
        var isOpen = false
        var action: (@Sendable () -> Void)?
    }

    private let state = Lock(State())

    /// Runs `action` now if the gate is open, else when it opens.
    func whenOpen(_ action: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state in
            if !state.isOpen { state.action = action }
            return state.isOpen
        }
        if isOpen { action() }
    }

    func open() {
        let action = state.withLock { state in
            state.isOpen = true
            return state.action.take()
        }
        action?()
    }
}
