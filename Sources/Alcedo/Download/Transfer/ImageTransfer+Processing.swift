import AlcedoLocks
import AlcedoTransport
import Foundation
import FoundationNetworking

extension ImageTransfer {
    func transferDidFinish(_ result: Result<TransferResult, TransportError>) {
        downloader.forget(task)
        switch result {
        case .success(let result):
            let metrics = NetworkMetrics(result)
            task.take(result.body, metrics: metrics, pendingEntry: result.pendingEntry)
            if downloader.delegate == nil, session == nil {
                process(result.body, metrics: metrics, response: nil)
            } else {
                let held = downloader.delegateBacklog.hold(result.body.count)
                tellDelegates { [self] in
                    askDelegate(about: result, metrics: metrics)
                    held.release()
                }
            }
        case .failure(let error):
            if downloader.delegate == nil, session == nil {
                WorkerPool.shared.submit { [self] in fail(error) }
            } else {
                tellDelegates { [self] in fail(error) }
            }
        }
    }

    private func fail(_ error: TransportError) {
        let reason =
            refusal.withLock { $0 } ?? .responseError(reason: .URLSessionError(error: error.urlError))
        tellSession(of: error)
        downloader.delegate?.imageDownloader(
            downloader, didFinishDownloadingImageForURL: url, with: task.response?.httpResponse(url: url),
            error: reason)
        for caller in task.complete(failure: error) { caller.finish(.failure(reason)) }
    }

    private func askDelegate(about result: TransferResult, metrics: NetworkMetrics) {
        tellSession(of: nil)
        guard let delegate = downloader.delegate else {
            return process(result.body, metrics: metrics, response: nil)
        }
        let response = result.response.httpResponse(url: url)
        let data = delegate.imageDownloader(downloader, didDownload: result.body, with: task)
        let failure = KingfisherError.responseError(reason: .dataModifyingFailed(task: task))
        delegate.imageDownloader(
            downloader, didFinishDownloadingImageForURL: url, with: response,
            error: data == nil ? failure : nil)
        guard let data else {
            task.callers.first.map { result.pendingEntry?.settle(madeImage: false, $0.options) }
            for caller in task.complete() { caller.finish(.failure(failure)) }
            return
        }
        process(data, metrics: metrics, response: response)
    }

    /// Runs each distinct processor once and answers everybody who asked for it.
    ///
    /// Callers may leave until their turn comes; what nobody wants any more by then is not decoded. Each queue has a turn
    /// of its own, so that nobody waits for another's.
    private func process(_ data: Data, metrics: NetworkMetrics, response: URLResponse?) {
        let waiting = task.close()
        if downloader.delegate == nil, data.hasQuickHeaders,
            waiting.allSatisfy({ !$0.caller.mayBlock && $0.caller.options.readsHeadersHere })
        {
            for callers in groups(waiting) {
                let callers = task.take(Set(callers.map(\.token)))
                guard let first = callers.first else { continue }
                let result = result(of: data, options: first.options, metrics: metrics)
                for caller in callers { caller.finishFromNetwork(result) }
            }
            return
        }
        for callers in groups(waiting) {
            let options = callers[0].caller.options
            let held = downloader.hold(data.count, for: options)
            submit(options) { [self] in
                process(
                    data, for: task.take(Set(callers.map(\.token))), metrics: metrics, response: response,
                    held: held)
            }
        }
    }

    /// Runs `block` where the options want images made: never on the network thread, where this is called.
    private func submit(_ options: KingfisherParsedOptionsInfo, _ block: @escaping @Sendable () -> Void) {
        if let queue = options.processingQueue, !queue.isUntouched { return queue.execute(block) }
        task.attach(WorkerPool.shared.submit(priority: downloader.priority(of: task), block))
    }

    /// Those together who want the same image, made in the same place.
    private func groups(
        _ callers: [(token: SessionDataTask.CancelToken, caller: DownloadCaller)]
    ) -> [[(token: SessionDataTask.CancelToken, caller: DownloadCaller)]] {
        guard callers.count > 1 else { return callers.isEmpty ? [] : [callers] }
        return Array(Dictionary(grouping: callers) { ImageRecipe($0.caller.options) }.values)
    }

    private func process(
        _ data: Data,
        for callers: [DownloadCaller],
        metrics: NetworkMetrics,
        response: URLResponse?,
        held: Backlog.Held?
    ) {
        guard var options = callers.first?.options else {
            held?.release()
            return
        }
        options.backgroundDecode = callers.contains(where: \.options.backgroundDecode)
        options.transfer = task
        let result = result(of: data, options: options, metrics: metrics)
        held?.release()
        guard downloader.delegate != nil, case .success(let loaded) = result else {
            for caller in callers { caller.finish(result) }
            return
        }
        let forDelegate = downloader.delegateBacklog.hold(data.count)
        tellDelegates { [self] in
            downloader.delegate?.imageDownloader(
                downloader, didDownload: loaded.image, for: url, with: response)
            forDelegate.release()
            for caller in callers { caller.finish(result) }
        }
    }

    private func result(
        of data: Data,
        options: KingfisherParsedOptionsInfo,
        metrics: NetworkMetrics
    ) -> Result<ImageLoadingResult, KingfisherError> {
        let image = Self.image(of: data, options: options)
        task.pendingEntry?.settle(madeImage: (try? image.get()) != nil, options)
        return image.map { ImageLoadingResult(image: $0, url: url, originalData: data, metrics: metrics) }
    }

    private static func image(
        of data: Data,
        options: KingfisherParsedOptionsInfo
    ) -> Result<KFCrossPlatformImage, KingfisherError> {
        options.processed(.data(data)).map { options.backgroundDecode ? $0.kf.decoded : $0 }
    }
}

extension PendingEntry {
    /// Commits the response if it has become an image, or is one though a processor refuses it; discards it otherwise.
    fileprivate func settle(madeImage: Bool, _ options: KingfisherParsedOptionsInfo) {
        if madeImage { return commit() }
        guard isUndecided else { return }
        // The default processor has read the headers already.
        let isImage =
            !options.onlyReadsHeaders
            && (try? EncodedImage(
                body, limits: options.decodeLimits, onlyFirstFrame: true, mayBeReduced: true)) != nil
        if isImage { commit() } else { discard() }
    }
}

extension KingfisherParsedOptionsInfo {
    /// Whether making the image decodes nothing and waits for no other process.
    fileprivate var readsHeadersHere: Bool {
        onlyReadsHeaders && (decodeIsolation == .automatic || decodeIsolation == .inProcess)
    }
}

extension Data {
    /// Whether an image is made of it in no time: it is small, of a format whose headers come first and are short, and ends
    /// as it should, for otherwise it is decoded to see what it lacks.
    fileprivate var hasQuickHeaders: Bool {
        guard count <= 256 << 10 else { return false }
        return starts(with: [0xFF, 0xD8, 0xFF]) && suffix(2).elementsEqual([0xFF, 0xD9])
            || starts(with: [0x89, 0x50, 0x4E, 0x47]) && suffix(8).starts(with: Array("IEND".utf8))
            || (starts(with: Array("RIFF".utf8)) && dropFirst(8).starts(with: Array("WEBP".utf8)))
    }
}

/// What two callers must have in common to be given the same image.
private struct ImageRecipe: Hashable {
    let queue: ObjectIdentifier?
    let processor: String
    let scale: CGFloat
    let preloadsAll: Bool
    let onlyFirstFrame: Bool
    let isolation: DecodeIsolation

    init(_ options: KingfisherParsedOptionsInfo) {
        queue = options.processingQueue?.queue.map { ObjectIdentifier($0) }
        processor = options.processor.identifier
        scale = options.scaleFactor
        preloadsAll = options.preloadAllAnimationData
        onlyFirstFrame = options.onlyLoadFirstFrame
        isolation = options.decodeIsolation
    }
}

extension NetworkMetrics {
    init(_ result: TransferResult) {
        let metrics = result.metrics
        let isNew = !metrics.isConnectionReused
        self.init(
            rawMetrics: TaskMetrics(transport: metrics),
            retrieveImageDuration: nil,
            totalRequestDuration: metrics.total,
            domainLookupDuration: isNew ? metrics.nameLookup : nil,
            connectDuration: isNew ? metrics.connect.map { $0 - (metrics.nameLookup ?? 0) } : nil,
            secureConnectionDuration: isNew ? metrics.tls.map { $0 - (metrics.connect ?? 0) } : nil,
            requestBodyBytesSent: metrics.requests.last?.requestBodyBytes ?? 0,
            responseBodyBytesReceived: metrics.requests.last?.responseBodyBytes ?? metrics.bytesReceived,
            httpStatusCode: result.response.status == 0 ? nil : result.response.status,
            redirectCount: metrics.redirectCount
        )
    }
}
