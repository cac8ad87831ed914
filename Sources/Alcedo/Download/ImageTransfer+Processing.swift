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
            task.take(result.body, metrics: metrics)
            if downloader.delegate == nil, session == nil {
                process(result.body, metrics: metrics, response: nil, held: nil)
            } else {
                let held = downloader.backlog?.hold(result.body.count)
                WorkerPool.shared.submit { [self] in
                    askDelegate(about: result, metrics: metrics, held: held)
                }
            }
        case .failure(let error):
            WorkerPool.shared.submit { [self] in fail(error) }
        }
    }

    private func fail(_ error: TransportError) {
        let reason = refusal.withLock { $0 } ?? .responseError(reason: .URLSessionError(error: error))
        tellSession(of: error)
        downloader.delegate?.imageDownloader(
            downloader, didFinishDownloadingImageForURL: url, with: task.response?.httpResponse(url: url),
            error: reason)
        for caller in task.complete(failure: error) { caller.finish(.failure(reason)) }
    }

    private func askDelegate(about result: TransferResult, metrics: NetworkMetrics, held: Backlog.Held?) {
        tellSession(of: nil)
        guard let delegate = downloader.delegate else {
            return process(result.body, metrics: metrics, response: nil, held: held)
        }
        let response = result.response.httpResponse(url: url)
        delegate.imageDownloader(
            downloader, didFinishDownloadingImageForURL: url, with: response, error: nil)
        guard let data = delegate.imageDownloader(downloader, didDownload: result.body, with: task) else {
            for caller in task.complete() {
                caller.finish(.failure(.responseError(reason: .dataModifyingFailed(task: task))))
            }
            return
        }
        process(data, metrics: metrics, response: response, held: held)
    }

    /// Runs each distinct processor once and answers everybody who asked for it.
    ///
    /// Callers may leave until their turn comes; what nobody wants any more by then is not decoded.
    private func process(
        _ data: Data,
        metrics: NetworkMetrics,
        response: URLResponse?,
        held: Backlog.Held?
    ) {
        let waiting = task.callers
        guard let first = waiting.first else { return }
        // What has to go to another thread in the end is done there altogether.
        let goesElsewhere = waiting.contains { $0.mayBlock || !$0.options.onlyReadsHeaders }
        if downloader.delegate == nil, !goesElsewhere {
            for callers in groups() {
                let result = result(of: data, options: callers[0].options, metrics: metrics)
                for caller in callers { caller.finishFromNetwork(result) }
            }
            return
        }
        let held = held ?? downloader.backlog?.hold(data.count)
        first.options.process { [self] in
            for callers in groups() {
                if callers.contains(where: { $0 === first }) {
                    process(data, for: callers, metrics: metrics, response: response, held: held)
                } else {
                    let held = downloader.backlog?.hold(data.count)
                    callers[0].options.process { [self] in
                        process(data, for: callers, metrics: metrics, response: response, held: held)
                    }
                }
            }
            held?.release()
        }
    }

    /// Ends the transfer: the callers who are left, together with those who want the same image.
    private func groups() -> [[DownloadCaller]] {
        let callers = task.complete()
        guard callers.count > 1 else { return callers.isEmpty ? [] : [callers] }
        return Array(Dictionary(grouping: callers) { ImageRecipe($0.options) }.values)
    }

    private func process(
        _ data: Data,
        for callers: [DownloadCaller],
        metrics: NetworkMetrics,
        response: URLResponse?,
        held: Backlog.Held?
    ) {
        var options = callers[0].options
        options.backgroundDecode = callers.contains(where: \.options.backgroundDecode)
        options.transfer = task
        let result = result(of: data, options: options, metrics: metrics)
        held?.release()
        if case .success(let loaded) = result {
            downloader.delegate?.imageDownloader(
                downloader, didDownload: loaded.image, for: url, with: response)
        }
        for caller in callers { caller.finish(result) }
    }

    private func result(
        of data: Data,
        options: KingfisherParsedOptionsInfo,
        metrics: NetworkMetrics
    ) -> Result<ImageLoadingResult, KingfisherError> {
        Self.image(of: data, options: options).map {
            ImageLoadingResult(image: $0, url: url, originalData: data, metrics: metrics)
        }
    }

    private static func image(
        of data: Data,
        options: KingfisherParsedOptionsInfo
    ) -> Result<KFCrossPlatformImage, KingfisherError> {
        let item = ImageProcessItem.data(data)
        guard let image = options.processor.process(item: item, options: options) else {
            return .failure(
                .processorError(reason: .processingFailed(processor: options.processor, item: item)))
        }
        return .success(options.backgroundDecode ? image.kf.decoded : image)
    }
}

/// What two callers must have in common to be given the same image.
private struct ImageRecipe: Hashable {
    let processor: String
    let scale: CGFloat
    let preloadsAll: Bool
    let onlyFirstFrame: Bool

    init(_ options: KingfisherParsedOptionsInfo) {
        processor = options.processor.identifier
        scale = options.scaleFactor
        preloadsAll = options.preloadAllAnimationData
        onlyFirstFrame = options.onlyLoadFirstFrame
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
