import AlcedoLocks
import AlcedoTransport
import Foundation
import FoundationNetworking

/// Leads one transfer from the response's head to the callers' images.
final class ImageTransfer: TransportHandler {
    private let task: SessionDataTask
    private let url: URL
    private let downloader: ImageDownloader
    private let bodyBytes: Int
    private let refusal = Lock<KingfisherError?>(nil)

    init(of task: SessionDataTask, url: URL, bodyBytes: Int, for downloader: ImageDownloader) {
        self.task = task
        self.url = url
        self.bodyBytes = bodyBytes
        self.downloader = downloader
    }

    func transfer(didReceive response: TransportResponse, decide: @escaping @Sendable (Bool) -> Void) {
        let delegate = WeakDelegate(value: downloader.delegate)
        guard response.status != 0 else { return decide(true) }
        let isValid =
            delegate.value?.isValidStatusCode(response.status, for: downloader)
            ?? ((200..<400).contains(response.status) && response.status != 304)
        guard isValid else {
            guard let response = response.httpResponse(url: url) else { return decide(false) }
            return refuse(.responseError(reason: .invalidHTTPStatusCode(response: response)), decide)
        }
        guard delegate.value != nil else { return decide(true) }
        Task { [downloader, url] in
            guard let delegate = delegate.value, let urlResponse = response.httpResponse(url: url),
                await delegate.imageDownloader(downloader, didReceive: urlResponse) == .cancel
            else { return decide(true) }
            refuse(.responseError(reason: .cancelledByDelegate(response: urlResponse)), decide)
        }
    }

    private func refuse(_ error: KingfisherError, _ decide: @Sendable (Bool) -> Void) {
        refusal.withLock { $0 = error }
        decide(false)
    }

    func transfer(
        willRedirect response: TransportResponse,
        to request: TransportRequest,
        decide: @escaping @Sendable (TransportRequest?) -> Void
    ) {
        let request = downloader.trusting(request)
        guard let handler = task.callers.lazy.compactMap(\.options.redirectHandler).first,
            let urlResponse = response.httpResponse(url: url), let target = URL(string: request.url)
        else { return decide(request) }
        var proposed = URLRequest(url: target)
        proposed.httpMethod = request.method
        proposed.httpBody = request.body
        for (name, value) in request.headers { proposed.addValue(value, forHTTPHeaderField: name) }
        Task { [task, downloader, proposed] in
            let answer = await handler.handleHTTPRedirection(
                for: task, response: urlResponse, newRequest: proposed)
            decide(
                answer.map { answer in
                    var request = request
                    request.url = answer.url?.absoluteString ?? request.url
                    request.headers = []
                    request.apply(answer)
                    return downloader.trusting(request)
                }
            )
        }
    }

    func transfer(didReceive chunk: RawSpan, received: Int64, expected: Int64?) {
        if let expected { task.report(received: received, expected: expected) }
    }

    func transferDidFinish(_ result: Result<TransferResult, TransportError>) {
        downloader.forget(task)
        switch result {
        case .success(let result):
            let metrics = NetworkMetrics(result, bodyBytesSent: bodyBytes)
            if downloader.delegate == nil {
                process(result.body, metrics: metrics, response: nil)
            } else {
                WorkerPool.shared.submit { [self] in askDelegate(about: result, metrics: metrics) }
            }
        case .failure(let error):
            WorkerPool.shared.submit { [self] in fail(error) }
        }
    }

    private func fail(_ error: TransportError) {
        let reason = refusal.withLock { $0 } ?? .responseError(reason: .URLSessionError(error: error))
        downloader.delegate?.imageDownloader(
            downloader, didFinishDownloadingImageForURL: url, with: nil, error: reason)
        for caller in task.complete() { caller.finish(.failure(reason)) }
    }

    private func askDelegate(about result: TransferResult, metrics: NetworkMetrics) {
        guard let delegate = downloader.delegate else {
            return process(result.body, metrics: metrics, response: nil)
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
        process(data, metrics: metrics, response: response)
    }

    /// Runs each distinct processor once and answers everybody who asked for it.
    private func process(_ data: Data, metrics: NetworkMetrics, response: URLResponse?) {
        let groups = Dictionary(grouping: task.complete(data: data, metrics: metrics)) {
            $0.options.processor.identifier
        }
        for callers in groups.values {
            guard let options = callers.first?.options else { continue }
            if callers.allSatisfy(\.options.onlyReadsHeaders), downloader.delegate == nil {
                let result = result(of: data, options: options, metrics: metrics)
                for caller in callers { caller.finishFromNetwork(result) }
            } else {
                var options = options
                options.backgroundDecode = callers.contains(where: \.options.backgroundDecode)
                options.process { [self, options] in
                    let result = result(of: data, options: options, metrics: metrics)
                    if case .success(let loaded) = result {
                        downloader.delegate?.imageDownloader(
                            downloader, didDownload: loaded.image, for: url, with: response)
                    }
                    for caller in callers { caller.finish(result) }
                }
            }
        }
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

extension TransportResponse {
    func httpResponse(url: URL) -> HTTPURLResponse? {
        HTTPURLResponse(
            url: URL(string: self.url) ?? url,
            statusCode: status,
            httpVersion: httpVersion,
            headerFields: Dictionary(headers.map { ($0.name, $0.value) }) { "\($0), \($1)" }
        )
    }
}

extension NetworkMetrics {
    init(_ result: TransferResult, bodyBytesSent: Int) {
        let metrics = result.metrics
        let isNew = !metrics.isConnectionReused
        self.init(
            retrieveImageDuration: nil,
            totalRequestDuration: metrics.total,
            domainLookupDuration: isNew ? metrics.nameLookup : nil,
            connectDuration: isNew ? metrics.connect.map { $0 - (metrics.nameLookup ?? 0) } : nil,
            secureConnectionDuration: isNew ? metrics.tls.map { $0 - (metrics.connect ?? 0) } : nil,
            requestBodyBytesSent: Int64(bodyBytesSent),
            responseBodyBytesReceived: metrics.bytesReceived,
            httpStatusCode: result.response.status == 0 ? nil : result.response.status,
            redirectCount: metrics.redirectCount
        )
    }
}
