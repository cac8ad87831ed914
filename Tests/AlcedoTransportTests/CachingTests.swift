import AlcedoLocks
import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

/// Keeps responses in memory; what it does not know is looked for until a gate opens.
private final class MemoryStore: ResponseStore {
    let looking = Gate()

    /// Counts what it did not know and was looked for.
    let lookups = CallCounter()
    private let kept = Lock([String: StoredResponse]())

    var generation: Int { 0 }

    func find(_ key: String, _ found: @escaping @Sendable (StoredResponse?) -> Void) {
        if let response = kept.withLock({ $0[key] }) { return found(response) }
        Thread.detachNewThread { [looking, lookups] in
            looking.wait()
            found(nil)
            lookups.increment()
        }
    }

    func store(_ response: StoredResponse, forKey key: String, generation: Int) {
        kept.withLock { $0[key] = response }
    }

    func remove(forKey key: String) { kept.withLock { $0[key] = nil } }

    func invalidate(_ keys: [String]) { for key in keys { remove(forKey: key) } }
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

@Suite(.timeLimit(.minutes(10)))
struct `A transfer through a cache` {
    @Test func `a transfer through a cache can be cancelled if its 304 came before its task`() async throws {
        let server = try LoopbackServer()
        let tag = [("ETag", "\"1\"")]
        server.route("/") { request in
            request.header("If-None-Match") == nil
                ? .text("bird", headers: tag) : .status(304, headers: tag)
        }
        let late = LateTransport()
        late.gate.open()
        let store = MemoryStore()
        store.looking.open()
        let transport = CachingTransport(late, store: store)
        let request = TransportRequest.patient(server.address("/"))
        let first = TransferRecorder()
        transport.start(request, handler: first)
        try await first.result.pendingEntry?.commit()
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

    @Test func `a transfer is cancelled at once while the store looks, and sends no request`() async throws {
        let server = try LoopbackServer()
        let store = MemoryStore()
        let transport = CachingTransport(CurlTransport(), store: store)
        let recorder = TransferRecorder()
        let task = transport.start(.patient(server.address("/")), handler: recorder)
        await store.looking.waitForArrivals(1)
        task.cancel()
        task.cancel()
        guard case .cancelled = await recorder.error else {
            Issue.record("not cancelled")
            return
        }
        store.looking.open()
        await store.lookups.waitFor(1)
        server.serve("/other", .text("bird"))
        _ = try await transport.load(server.address("/other"))
        #expect(recorder.finishCount == 1)
        #expect(server.requestCount() == 1)
    }

    @Test func `a response is cached once committed, and removed once discarded`() async throws {
        let server = try LoopbackServer()
        server.serve("/", .text("bird", headers: [("Cache-Control", "max-age=60")]))
        let store = MemoryStore()
        store.looking.open()
        let transport = CachingTransport(CurlTransport(), store: store)
        let url = server.address("/")
        let first = try await transport.load(url)
        let second = try await transport.load(url)
        #expect(server.requestCount() == 2)
        first.pendingEntry?.discard()
        second.pendingEntry?.commit()
        let third = try await transport.load(url)
        #expect(server.requestCount() == 2)
        third.pendingEntry?.discard()
        let fourth = try await transport.load(url)
        #expect(server.requestCount() == 3)
        fourth.pendingEntry?.discard()
        fourth.pendingEntry?.commit()
        _ = try await transport.load(url)
        #expect(server.requestCount() == 3)
    }

    @Test func `a cached response is removed if a 304 forbids to store it`() async throws {
        let server = try LoopbackServer()
        let tag = [("ETag", "\"1\"")]
        server.route("/") { request in
            request.header("If-None-Match") == nil
                ? .text("bird", headers: tag)
                : .status(304, headers: tag + [("Cache-Control", "no-store")])
        }
        let store = MemoryStore()
        store.looking.open()
        let transport = CachingTransport(CurlTransport(), store: store)
        for _ in 0..<3 {
            let result = try await transport.load(server.address("/"))
            #expect(result.text == "bird")
            result.pendingEntry?.commit()
        }
        #expect(server.requests().map { $0.header("If-None-Match") == nil } == [true, false, true])
    }

    @Test func `a cached response is removed if it is discarded after a 304`() async throws {
        let server = try LoopbackServer()
        let tag = [("ETag", "\"1\"")]
        server.route("/") { request in
            request.header("If-None-Match") == nil ? .text("page", headers: tag) : .status(304, headers: tag)
        }
        let store = MemoryStore()
        store.looking.open()
        let transport = CachingTransport(CurlTransport(), store: store)
        let first = try await transport.load(server.address("/"))
        first.pendingEntry?.commit()
        let second = try await transport.load(server.address("/"))
        second.pendingEntry?.discard()
        _ = try await transport.load(server.address("/"))
        #expect(server.requests().map { $0.header("If-None-Match") == nil } == [true, false, true])
    }
}
