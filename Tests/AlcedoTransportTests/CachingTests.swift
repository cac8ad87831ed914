import AlcedoLocks
import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

/// Keeps responses in memory.
private final class MemoryStore: ResponseStore {
    private let kept = Lock([String: StoredResponse]())

    func find(_ key: String, _ found: @escaping @Sendable (StoredResponse?) -> Void) {
        found(kept.withLock { $0[key] })
    }

    func store(_ response: StoredResponse, forKey key: String) { kept.withLock { $0[key] = response } }

    func remove(forKey key: String) { kept.withLock { $0[key] = nil } }
}

/// Does not say which transfer it has started before a gate lets it.
private final class LateTransport: Transport {
    let gate = Gate()
    private let base = CurlTransport()

    func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask {
        let task = base.start(request, handler: handler)
        gate.wait()
        return task
    }
}

@Suite(.timeLimit(.minutes(3)))
struct `A transfer through a cache` {
    @Test func `is cancelled though the server had confirmed what is kept before its transfer was known`()
        async throws
    {
        let server = try LoopbackServer()
        let tag = [("ETag", "\"1\"")]
        server.route("/") { request in
            request.header("If-None-Match") == nil
                ? .text("bird", headers: tag) : .status(304, headers: tag)
        }
        let late = LateTransport()
        late.gate.open()
        let transport = CachingTransport(late, store: MemoryStore())
        let request = TransportRequest.patient(server.address("/"))
        let first = TransferRecorder()
        transport.start(request, handler: first)
        _ = try await first.result
        late.gate.close()
        let asked = Recorder<TransferRecorder.Decision>()
        let second = TransferRecorder(onResponse: { asked.append($1) })
        let tasks = Recorder<any TransportTask>()
        Thread.detachNewThread { tasks.append(transport.start(request, handler: second)) }
        await asked.waitFor(count: 1)
        late.gate.open()
        await tasks.waitFor(count: 1).first?.cancel()
        guard case .cancelled = await second.error else {
            Issue.record("not cancelled")
            return
        }
        #expect(server.requestCount() == 2)
    }
}
