import AlcedoLocks
import Foundation
import Synchronization

/// One transfer of a local URL; its steps run on a serial queue of its own.
final class LocalTransportTask: TransportTask {
    private enum Source: Sendable {
        case file(OpenFile)
        case bytes(Data)
    }

    private let request: TransportRequest
    private let replayed: (response: TransportResponse, body: Data, entry: PendingEntry?)?
    private let queue: SerialQueue
    private let start = MonotonicClock.now
    private let startDate = Date()
    private let cancelled = Atomic(false)
    private let priorityBits: Atomic<UInt32>

    /// Nil before the start and after the end.
    private let handler = Lock<(any TransportHandler)?>(nil)

    convenience init(_ request: TransportRequest, target: BoundedQueue) {
        self.init(request, replayed: nil, target: target)
    }

    /// A transfer that delivers a stored response instead of reading the URL.
    convenience init(
        _ request: TransportRequest, replaying response: TransportResponse, _ body: Data,
        _ entry: PendingEntry?, target: BoundedQueue
    ) {
        self.init(request, replayed: (response, body, entry), target: target)
    }

    private init(
        _ request: TransportRequest,
        replayed: (response: TransportResponse, body: Data, entry: PendingEntry?)?,
        target: BoundedQueue
    ) {
        self.request = request
        self.replayed = replayed
        queue = SerialQueue(target: target)
        priorityBits = Atomic(request.priority.bitPattern)
    }

    var priority: Float {
        get { Float(bitPattern: priorityBits.load(ordering: .relaxed)) }
        set { priorityBits.store(newValue.bitPattern, ordering: .relaxed) }
    }

    func cancel() {
        guard !cancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        queue.async { self.finish(.failure(.cancelled)) }
    }

    func start(_ handler: any TransportHandler) {
        self.handler.withLock { $0 = handler }
        queue.async { self.open() }
    }

    // MARK: - Steps

    private func open() {
        do throws(TransportError) {
            if let (response, body, _) = replayed {
                try checkSize(Int64(body.count))
                return offer(response, from: .bytes(body))
            }
            let source: Source
            let expected: Int64
            var headers: [(name: String, value: String)] = []
            switch LocalScheme(of: request.url) {
            case .file where request.addressPolicy.isRestricted:
                throw .addressRefused("file:", url: request.url)
            case .file:
                let file = try OpenFile(FileURL.path(of: request.url))
                source = .file(file)
                expected = file.size
            case .data:
                let url = try DataURL(request.url)
                source = .bytes(url.body)
                expected = Int64(url.body.count)
                headers = [("Content-Type", url.mediaType)]
            case nil:
                throw .unsupportedScheme(LocalScheme.name(in: request.url) ?? "", url: request.url)
            }
            try checkSize(expected)
            offer(
                TransportResponse(url: request.url, status: 0, headers: headers, expectedBytes: expected),
                from: source)
        } catch {
            finish(.failure(error))
        }
    }

    private func offer(_ response: TransportResponse, from source: Source) {
        let decision = Decision<Bool>()
        guard let handler = currentHandler else { return }
        handler.transfer(didReceive: response) { isWanted in
            if decision.make(isWanted) { self.queue.async { self.apply(decision, response, source) } }
        }
        apply(decision, response, source)
    }

    private func apply(_ decision: Decision<Bool>, _ response: TransportResponse, _ source: Source) {
        guard let isWanted = decision.take() else { return }
        guard isWanted else { return finish(.failure(.rejected(url: request.url))) }
        do throws(TransportError) {
            switch source {
            case .file(let file):
                finish(response, try read(file))
            case .bytes(let body):
                show(body, total: body.count, response.expectedBytes)
                finish(response, body)
            }
        } catch {
            finish(.failure(error))
        }
    }

    private func read(_ file: OpenFile) throws(TransportError) -> Data {
        var body = BodyBuffer()
        while true {
            // One byte more than the size, so that the read at the end needs no growth.
            guard let target = body.reserve(1, expected: file.size + 1) else {
                throw .fileUnreadable(path: file.path, reason: "out of memory")
            }
            let count = try file.read(into: target, count: body.room)
            if count == 0 { return body.take() }
            body.commit(count)
            try checkSize(Int64(body.count))
            guard let currentHandler, !cancelled.load(ordering: .acquiring) else { throw .cancelled }
            let chunk = UnsafeRawBufferPointer(start: target, count: count)
            currentHandler.transfer(didReceive: chunk.bytes, received: Int64(body.count), expected: file.size)
        }
    }

    private func show(_ chunk: Data, total: Int, _ expected: Int64?) {
        guard !chunk.isEmpty, let currentHandler else { return }
        chunk.withUnsafeBytes {
            currentHandler.transfer(didReceive: $0.bytes, received: Int64(total), expected: expected)
        }
    }

    private func checkSize(_ count: Int64) throws(TransportError) {
        guard count <= request.maximumBodyBytes else {
            throw .tooLarge(limit: request.maximumBodyBytes, url: request.url)
        }
    }

    // MARK: - Ending

    /// The handler; nil after the end.
    private var currentHandler: (any TransportHandler)? { handler.withLock { $0 } }

    private func finish(_ response: TransportResponse, _ body: Data) {
        var metrics = TransportMetrics()
        metrics.start = startDate
        metrics.total = MonotonicClock.now - start
        metrics.bytesReceived = Int64(body.count)
        var result = TransferResult(response: response, body: body, metrics: metrics)
        result.pendingEntry = replayed?.entry
        finish(.success(result))
    }

    private func finish(_ result: Result<TransferResult, TransportError>) {
        let handler = handler.withLock { handler in
            defer { handler = nil }
            return handler
        }
        handler?.transferDidFinish(cancelled.load(ordering: .acquiring) ? .failure(.cancelled) : result)
    }
}
