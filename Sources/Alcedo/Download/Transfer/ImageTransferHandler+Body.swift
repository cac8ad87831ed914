import AlcedoLocks
import AlcedoPixels
import AlcedoTransport
import Foundation
import FoundationNetworking
import Synchronization

// From a complete body to the callers' images: accept, decode, deliver.

/// A complete body on its way to the callers' images.
struct DownloadedBody: Sendable {
    var data: Data
    let metrics: NetworkMetrics

    /// Nil without a delegate.
    var response: URLResponse?

    /// Nil without HTTP.
    var fetched: FetchedResponse?
}

extension ImageTransferHandler {
    /// With delegates, everything that follows happens on their threads; without, on the network thread up to ``decode(_:)``.
    func transferDidFinish(_ result: Result<TransferResult, TransportError>) {
        // First, so that the next queued transfer starts while this body is decoded.
        downloader.remove(task)
        switch result {
        case .success(let result) where exchange.isConfirmation(result.response):
            leaveNetworkThread { [self] in confirm(result) }
        case .failure(let error):
            leaveNetworkThread { [self] in fail(error) }
        case .success(let result):
            let fetched = result.response.status == 0 ? nil : exchange.fetched(result.response)
            let body = DownloadedBody(data: result.body, metrics: NetworkMetrics(result), fetched: fetched)
            task.take(result.body, metrics: body.metrics, pendingEntry: result.pendingEntry)
            guard hasDelegates else { return decode(body) }
            let reservation = downloader.delegateBackpressure.reserve(result.body.count)
            callDelegates { [self] in
                if let accepted = accept(body, of: result) { decode(accepted) }
                reservation.release()
            }
        }
    }

    private func leaveNetworkThread(_ block: @escaping @Sendable () -> Void) {
        if hasDelegates { callDelegates(block) } else { WorkerPool.shared.submit(block) }
    }

    private func fail(_ error: TransportError) {
        let reason =
            rejection.withLock { $0 } ?? .responseError(reason: .URLSessionError(error: error.urlError))
        notifySession(of: error)
        downloader.record(reason, of: task)
        downloader.delegate?.imageDownloader(
            downloader, didFinishDownloadingImageForURL: url, with: task.response?.httpResponse,
            error: reason)
        for caller in task.complete(failure: error) { caller.finish(.failure(reason)) }
    }

    /// The transfer has ended; the callers are finished next.
    private func notifySession(of error: TransportError?) {
        session?.urlSession(SessionDelegate.session, task: task.task, didCompleteWithError: error?.urlError)
    }

    /// Ends a transfer whose server has confirmed a cached response: there is no body.
    private func confirm(_ result: TransferResult) {
        guard let response = result.response.httpResponse else {
            return fail(.malformedResponse(reason: "unreadable headers", url: url.absoluteString))
        }
        task.take(Data(), metrics: NetworkMetrics(result))
        notifySession(of: nil)
        downloader.delegate?.imageDownloader(
            downloader, didFinishDownloadingImageForURL: url, with: response, error: nil)
        let fetched = exchange.fetched(result.response)
        for caller in task.complete() {
            caller.context.revalidation?.confirm(fetched)
            caller.finish(.failure(.responseError(reason: .invalidHTTPStatusCode(response: response))))
        }
    }

    // MARK: - Accept

    /// The body as the delegates want it; nil if the downloader's delegate rejects it, which fails the callers.
    private func accept(_ body: DownloadedBody, of result: TransferResult) -> DownloadedBody? {
        notifySession(of: nil)
        guard let delegate = downloader.delegate else { return body }
        var body = body
        body.response = result.response.httpResponse
        let data = delegate.imageDownloader(downloader, didDownload: body.data, with: task)
        let failure = KingfisherError.responseError(reason: .dataModifyingFailed(task: task))
        delegate.imageDownloader(
            downloader, didFinishDownloadingImageForURL: url, with: body.response,
            error: data == nil ? failure : nil)
        guard let data else {
            task.callers.first.map { result.pendingEntry?.settle(failure, $0.options) }
            for caller in task.complete() { caller.finish(.failure(failure)) }
            return nil
        }
        body.data = data
        return body
    }

    // MARK: - Decode

    /// Creates one image for each group of callers that want the same, on the queue of each group's options.
    ///
    /// Callers may cancel until their group is decoded; a group without callers is not decoded. Only images
    /// whose headers are quick to read are made on the network thread.
    private func decode(_ body: DownloadedBody) {
        let callers = task.close()
        for (_, caller) in callers {
            caller.events?.send(.transferred(bytes: body.data.count, metrics: body.metrics))
        }
        let isInline =
            callers.allSatisfy { !$0.caller.mayBlock && $0.caller.options.readsHeadersHere }
            && downloader.delegate == nil && body.data.hasQuickHeaders
        var groups = CallerGroup.all(of: callers)
        if isInline {
            for group in groups {
                let callers = task.take(group.tokens)
                guard let result = image(of: body, for: callers) else { continue }
                for caller in callers { caller.finishFromNetwork(result) }
            }
        } else {
            for index in groups.indices {
                groups[index].reservation = downloader.reserve(
                    body.data.count, for: groups[index].caller.options)
            }
            for part in CallerGroup.parts(groups, after: 0) { submit(part, after: nil, of: body) }
        }
    }

    /// Processes groups of callers on the queue of their options: never on the network thread, where this is called.
    private func submit(_ part: [CallerGroup], after done: ProcessedSteps?, of body: DownloadedBody) {
        let block: @Sendable () -> Void = { [self] in process(part, after: done, of: body) }
        guard let queue = part[0].caller.options.processingQueue, !queue.isUntouched else {
            return task.attach(WorkerPool.shared.submit(priority: downloader.priority(of: task), block))
        }
        let fate = BlockFate { [task] in
            for group in part {
                group.reservation?.release()
                for token in group.tokens { task.cancel(token: token) }
            }
        }
        queue.execute {
            fate.isRun.store(true, ordering: .relaxed)
            block()
        }
    }

    /// Runs the steps that all of a part have in common, then the others of each.
    ///
    /// Groups whose callers have all cancelled are left out before each common step.
    private func process(_ part: [CallerGroup], after done: ProcessedSteps?, of body: DownloadedBody) {
        let current = part.filter { group in
            let isCurrent = task.hasCallers(group.tokens)
            if !isCurrent { group.reservation?.release() }
            return isCurrent
        }
        guard let first = current.first else { return }
        guard current.count > 1 else {
            let callers = task.take(first.tokens)
            let result = image(of: body, for: callers, after: done)
            first.reservation?.release()
            if let result { deliver(result, of: body, to: callers) }
            return
        }
        let common = ProcessedSteps.common(
            to: current.map(\.steps), after: done, of: .data(body.data), options: first.caller.options,
            in: processing(for: first.caller))
        let count = common?.count ?? 0
        // If no further step is common, or one has failed, each group continues by itself, with an error of its own.
        let parts = count > done?.count ?? 0 ? CallerGroup.parts(current, after: count) : current.map { [$0] }
        for part in parts.dropFirst() { submit(part, after: common, of: body) }
        process(parts[0], after: common, of: body)
    }

    /// The options for the image of several callers: of `first`, but for what one of them alone may want.
    private func options(
        for callers: [DownloadCaller], like first: DownloadCaller
    ) -> KingfisherParsedOptionsInfo {
        var options = first.options
        options.backgroundDecode = callers.contains(where: \.options.backgroundDecode)
        options.checksPixels = callers.contains(where: \.options.checksPixels)
        options.isCurrent = { [loads = callers.map(\.options.isCurrent)] in
            loads.contains { $0?() != false }
        }
        return options
    }

    /// The image that all these callers want, from the steps that are done already, if any; nil without callers.
    private func image(
        of body: DownloadedBody, for callers: [DownloadCaller], after done: ProcessedSteps? = nil
    ) -> Result<ImageLoadingResult, KingfisherError>? {
        guard let first = callers.first else { return nil }
        for caller in callers { caller.events?.send(.making(of: body.data.count, with: first.options)) }
        let item = ImageProcessItem.data(body.data)
        var options = callers.count == 1 ? first.options : options(for: callers, like: first)
        options.processingRun = processing(for: first)
        let processed = done?.finished(options) ?? options.processed(item)
        let image = processed.flatMap { options.decoded($0, of: item) }
        task.pendingEntry?.settle(image.failure, options)
        downloader.record(image.failure, of: task)
        return image.map { image in
            ImageLoadingResult(
                image: image, url: url, originalData: body.data, metrics: body.metrics, fetched: body.fetched)
        }
    }

    private func processing(for caller: DownloadCaller) -> ProcessingRun {
        ProcessingRun(
            of: caller.context.source ?? .network(url), loadID: caller.context.loadID, transfer: task)
    }

    // MARK: - Deliver

    /// Finishes the callers, after the downloader's delegate has seen the image.
    private func deliver(
        _ result: Result<ImageLoadingResult, KingfisherError>, of body: DownloadedBody,
        to callers: [DownloadCaller]
    ) {
        guard downloader.delegate != nil, case .success(let loaded) = result else {
            for caller in callers { caller.finish(result) }
            return
        }
        let reservation = downloader.delegateBackpressure.reserve(body.data.count)
        callDelegates { [self] in
            downloader.delegate?.imageDownloader(
                downloader, didDownload: loaded.image, for: url, with: body.response)
            reservation.release()
            for caller in callers { caller.finish(result) }
        }
    }
}

/// Notices that a queue of the program's has dropped a block, as an operation queue does with what it cancels.
private final class BlockFate: Sendable {
    let isRun = Atomic(false)
    private let dropped: @Sendable () -> Void

    init(dropped: @escaping @Sendable () -> Void) { self.dropped = dropped }

    deinit {
        // Elsewhere, because the queue may hold a lock.
        if !isRun.load(ordering: .relaxed) { WorkerPool.shared.submit(dropped) }
    }
}

extension Result where Failure == KingfisherError {
    fileprivate var failure: KingfisherError? {
        if case .failure(let error) = self { error } else { nil }
    }
}

extension PendingEntry {
    /// Commits the response if it is an image, even one that a processor rejects; discards it otherwise.
    fileprivate func settle(_ error: KingfisherError?, _ options: KingfisherParsedOptionsInfo) {
        guard let error else { return commit() }
        if error.damage?.isCorruption == true { return discard() }
        guard isUndecided else { return }
        // The default processor has read the headers already.
        let isImage =
            !options.onlyReadsHeaders
            && (try? EncodedImage(
                body, limits: options.decodeLimits, onlyFirstFrame: true, mayBeReduced: true,
                resources: options.decodeResources)) != nil
        if isImage { commit() } else { discard() }
    }
}

extension KingfisherParsedOptionsInfo {
    /// Whether only headers are read, in this process.
    fileprivate var readsHeadersHere: Bool {
        onlyReadsHeaders && (decodeSandbox == .automatic || decodeSandbox == .off)
    }
}

extension Data {
    /// Whether reading its headers is quick: it is small, complete, and of a format with short headers at the start.
    ///
    /// An incomplete image is decoded, to find what is missing.
    fileprivate var hasQuickHeaders: Bool {
        guard count <= 256 << 10 else { return false }
        return starts(with: [0xFF, 0xD8, 0xFF]) && suffix(2).elementsEqual([0xFF, 0xD9])
            || starts(with: [0x89, 0x50, 0x4E, 0x47]) && suffix(8).starts(with: Array("IEND".utf8))
            // A WebP states its length at the start, so its codec finds out by itself that it is incomplete.
            || (starts(with: Array("RIFF".utf8)) && dropFirst(8).starts(with: Array("WEBP".utf8)))
    }
}

// MARK: - Groups

/// Callers that want the same image.
private struct CallerGroup: Sendable {
    /// What two chains must have in common to share the next step.
    private struct Step: Hashable {
        let recipe: ImageRecipe
        let identifier: String
    }

    /// In ascending order.
    let tokens: [SessionDataTask.CancelToken]

    /// One of the callers; its options are read where they are, because a copy counts dozens of references.
    let caller: DownloadCaller

    /// Counts the body's bytes while a `processingQueue` has not processed them.
    var reservation: Backpressure.Reservation?

    var steps: [any ImageProcessor] { caller.options.processor.steps }

    static func all(
        of callers: [(token: SessionDataTask.CancelToken, caller: DownloadCaller)]
    ) -> [CallerGroup] {
        guard callers.count != 1 else {
            return callers.map { CallerGroup(tokens: [$0.token], caller: $0.caller) }
        }
        return Dictionary(grouping: callers) { $0.caller.options.recipe() }.values.map { callers in
            CallerGroup(tokens: callers.map(\.token), caller: callers[0].caller)
        }
    }

    /// Divides by the step that follows the first `count` ones, which all have in common; no part is empty.
    static func parts(_ all: [CallerGroup], after count: Int) -> [[CallerGroup]] {
        guard all.count > 1 else { return all.map { [$0] } }
        var parts: [[CallerGroup]] = []
        var indices: [Step: Int] = [:]
        for group in all {
            let next = group.steps.dropFirst(count).first.map {
                Step(recipe: group.caller.options.recipe(isProcessed: false), identifier: $0.identifier)
            }
            if let next, let index = indices[next] {
                parts[index].append(group)
            } else {
                if let next { indices[next] = parts.count }
                parts.append([group])
            }
        }
        return parts
    }
}
