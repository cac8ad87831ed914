import AlcedoLocks
import AlcedoPixels
import AlcedoTransport
import Foundation
import FoundationNetworking

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
    /// With delegates, everything that follows happens on their threads; without, on the network thread up to ``decode``.
    func transferDidFinish(_ result: Result<TransferResult, TransportError>) {
        downloader.remove(task)
        let hasDelegates = downloader.delegate != nil || session != nil
        switch result {
        case .success(let result) where exchange.isConfirmation(result.response):
            if hasDelegates {
                callDelegates { [self] in confirm(result) }
            } else {
                WorkerPool.shared.submit { [self] in confirm(result) }
            }
        case .success(let result):
            let fetched = result.response.status == 0 ? nil : exchange.fetched(result.response)
            let body = DownloadedBody(
                data: result.body, metrics: NetworkMetrics(result), fetched: fetched)
            task.take(result.body, metrics: body.metrics, pendingEntry: result.pendingEntry)
            guard hasDelegates else { return decode(body) }
            let reservation = downloader.delegateBackpressure.reserve(result.body.count)
            callDelegates { [self] in
                if let accepted = accept(body, of: result) { decode(accepted) }
                reservation.release()
            }
        case .failure(let error):
            if hasDelegates {
                callDelegates { [self] in fail(error) }
            } else {
                WorkerPool.shared.submit { [self] in fail(error) }
            }
        }
    }

    private func fail(_ error: TransportError) {
        let reason =
            rejection.withLock { $0 } ?? .responseError(reason: .URLSessionError(error: error.urlError))
        notifySession(of: error)
        downloader.record(reason, of: task)
        downloader.delegate?.imageDownloader(
            downloader, didFinishDownloadingImageForURL: url, with: task.response?.httpResponse(url: url),
            error: reason)
        for caller in task.complete(failure: error) { caller.finish(.failure(reason)) }
    }

    /// Ends a transfer whose server has confirmed a cached response: there is no body.
    private func confirm(_ result: TransferResult) {
        guard let response = result.response.httpResponse(url: url) else {
            return fail(.malformedResponse(reason: "unreadable headers", url: url.absoluteString))
        }
        task.take(Data(), metrics: NetworkMetrics(result))
        notifySession(of: nil)
        downloader.delegate?.imageDownloader(
            downloader, didFinishDownloadingImageForURL: url, with: response, error: nil)
        let fetched = exchange.fetched(result.response)
        for caller in task.complete() {
            caller.options.context.revalidation?.confirm(fetched)
            caller.finish(.failure(.responseError(reason: .invalidHTTPStatusCode(response: response))))
        }
    }

    // MARK: - Accept

    /// The body as the delegates want it; nil if the downloader's delegate rejects it, which fails the callers.
    private func accept(_ body: DownloadedBody, of result: TransferResult) -> DownloadedBody? {
        notifySession(of: nil)
        guard let delegate = downloader.delegate else { return body }
        var body = body
        body.response = result.response.httpResponse(url: url)
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

    /// Makes one image for each group of callers that want the same, on the queue of each group's options.
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
        let groups = ImageRecipe.groups(of: callers)
        guard isInline else { return process(groups, of: body) }
        for group in groups {
            let callers = task.take(group.tokens)
            guard let result = image(of: body, for: callers) else { continue }
            for caller in callers { caller.finishFromNetwork(result) }
        }
    }

    /// Runs `block` on the queue of the options: never on the network thread, where this is called.
    func submit(_ options: KingfisherParsedOptionsInfo, _ block: @escaping @Sendable () -> Void) {
        if let queue = options.processingQueue, !queue.isUntouched { return queue.execute(block) }
        task.attach(WorkerPool.shared.submit(priority: downloader.priority(of: task), block))
    }

    /// The image that all these callers want, from the steps that are done already, if any; nil without callers.
    func image(
        of body: DownloadedBody, for callers: [DownloadCaller], after done: ProcessedSteps? = nil
    ) -> Result<ImageLoadingResult, KingfisherError>? {
        guard var options = callers.first?.options else { return nil }
        for caller in callers { caller.events?.send(.making(of: body.data.count, with: options)) }
        options.backgroundDecode = callers.contains(where: \.options.backgroundDecode)
        options.context.checksPixels = callers.contains(where: \.options.context.checksPixels)
        options.context.transfer = task
        if callers.count > 1 { options.context.isCurrent = callers.isAnyCurrent }
        options.context.source = options.context.source ?? .network(url)
        let item = ImageProcessItem.data(body.data)
        let image = (done?.finished(options) ?? options.processed(item)).flatMap {
            options.decoded($0, of: item)
        }
        task.pendingEntry?.settle(image.failure, options)
        downloader.record(image.failure, of: task)
        return image.map { image in
            ImageLoadingResult(
                image: image, url: url, originalData: body.data, metrics: body.metrics, fetched: body.fetched)
        }
    }

    // MARK: - Deliver

    /// Finishes the callers, after the downloader's delegate has seen the image.
    func deliver(
        _ result: Result<ImageLoadingResult, KingfisherError>,
        of body: DownloadedBody,
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
        onlyReadsHeaders && (decodeIsolation == .automatic || decodeIsolation == .inProcess)
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
            || (starts(with: Array("RIFF".utf8)) && dropFirst(8).starts(with: Array("WEBP".utf8)))
    }
}
