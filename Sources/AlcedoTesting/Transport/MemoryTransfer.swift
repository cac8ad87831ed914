import Alcedo
import AlcedoWaiting
import Foundation

/// A transfer of a ``MemoryTransport``: a task that calls the handler's methods in order.
final class MemoryTransfer: TransportTask {
    private let task: Task<Void, Never>
    private let sharedPriority: Monitor<Float>

    init(
        _ request: TransportRequest, _ response: ScriptedResponse, handler: any TransportHandler,
        cancellations: Recorder<URL>
    ) {
        sharedPriority = Monitor(request.priority)
        task = Task.detached {
            let start = Date()
            var result: Result<TransferResult, TransportError>
            do throws(TransportError) {
                result = .success(try await Self.run(request, response, start, handler))
            } catch {
                result = .failure(error)
            }
            if Task.isCancelled {
                result = .failure(.cancelled)
                cancellations.append(request.url)
            }
            handler.transferDidFinish(result)
        }
    }

    var priority: Float {
        get { sharedPriority.value }
        set { sharedPriority.update { $0 = newValue } }
    }

    func cancel() { task.cancel() }

    private static func run(
        _ request: TransportRequest, _ response: ScriptedResponse, _ start: Date,
        _ handler: any TransportHandler
    ) async throws(TransportError) -> TransferResult {
        try await pass(response.gate)
        if response.failsAtOnce, let error = response.error { throw error }
        let head = TransportResponse(
            url: request.url, status: response.status, httpVersion: "HTTP/1.1", headers: response.headers,
            expectedBytes: response.announcesLength ? Int64(response.body.count) : nil)
        guard try await accepts(head, handler) else { throw .rejected(url: request.url.absoluteString) }

        var received = 0
        for chunk in response.chunks {
            try await pass(response.chunkGate)
            received += chunk.count
            guard received <= request.maximumBodyBytes else {
                throw .tooLarge(limit: request.maximumBodyBytes, url: request.url.absoluteString)
            }
            chunk.withUnsafeBytes {
                handler.transfer(
                    didReceive: $0.bytes, received: Int64(received), expected: head.expectedBytes)
            }
        }
        if let error = response.error { throw error }

        var metrics = TransportMetrics()
        metrics.start = start
        metrics.total = Date().timeIntervalSince(start)
        metrics.bytesReceived = Int64(received)
        handler.transfer(didCollect: metrics)
        return TransferResult(response: head, body: response.body, metrics: metrics)
    }

    private static func pass(_ gate: Gate?) async throws(TransportError) {
        await gate?.pass()
        if Task.isCancelled { throw .cancelled }
    }

    /// Whether the handler wants the response's body.
    private static func accepts(
        _ head: TransportResponse, _ handler: any TransportHandler
    ) async throws(TransportError) -> Bool {
        let decision = Monitor<Bool?>(nil)
        handler.transfer(didReceive: head) { isWanted in
            decision.update { decision in
                if decision == nil { decision = isWanted }
            }
        }
        guard await decision.wait(until: { $0 != nil }) else { throw .cancelled }
        return decision.value == true
    }
}
