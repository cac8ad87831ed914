import AlcedoLocks
import AlcedoTransport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `Cancelling` {
    let gate = Gate()

    /// Sends the beginning of a body and the rest when the gate opens.
    private func slowServer(_ arrivals: Arrivals<String> = Arrivals()) throws -> LoopbackServer {
        try LoopbackServer { [gate] exchange in
            arrivals.add(exchange.path)
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nbird")
            gate.pass()
            exchange.send("bird")
        }
    }

    @Test func `works while the body comes in`() async throws {
        defer { gate.open() }
        let transport = CurlTransport()
        let server = try slowServer()
        let started = Arrivals<Int64>()
        let recorder = Recorder(onChunk: { started.add($0) })
        let task = transport.start(TransportRequest(url: server.url), handler: recorder)
        #expect(await started.next() == 4)
        task.cancel()
        task.cancel()
        #expect(await recorder.error == .cancelled)
    }

    @Test func `works in every method of the handler`() async throws {
        defer { gate.open() }
        let transport = CurlTransport()
        let server = try slowServer()
        for method in ["response", "chunk", "finish"] {
            let task = Arrivals<any TransportTask>()
            let own = Lock<(any TransportTask)?>(nil)
            let hold = Gate()
            let cancel: @Sendable () -> Void = {
                hold.pass()
                own.withLock { $0 }?.cancel()
            }
            let recorder = Recorder(
                onResponse: { _, decide in
                    if method == "response" { cancel() }
                    decide(method != "finish")
                },
                onChunk: { _ in if method == "chunk" { cancel() } },
                onFinish: { _ in cancel() })
            let started = transport.start(TransportRequest(url: server.url), handler: recorder)
            own.withLock { $0 = started }
            task.add(started)
            hold.open()
            #expect(await recorder.error == (method == "finish" ? .rejected(url: server.url) : .cancelled))
        }
    }

    @Test func `takes a waiting request out of the queue at once`() async throws {
        defer { gate.open() }
        let transport = CurlTransport()
        let arrivals = Arrivals<String>()
        let server = try slowServer(arrivals)
        let recorders = (0..<3).map { _ in Recorder() }
        let tasks = recorders.enumerated().map { index, recorder in
            transport.start(
                TransportRequest(url: server.url + "/\(index)") { $0.connectionsPerHost = 1 },
                handler: recorder)
        }
        #expect(await arrivals.next() == "/0")
        tasks[1].cancel()
        #expect(await recorders[1].error == .cancelled)
        #expect(recorders[0].finishCount + recorders[2].finishCount == 0)
        gate.open()
        #expect(try await recorders[2].result.text == "birdbird")
        #expect(server.requests.count == 2)
    }

    @Test func `frees the connection for those who wait`() async throws {
        defer { gate.open() }
        let transport = CurlTransport()
        let arrivals = Arrivals<String>()
        let server = try slowServer(arrivals)
        let first = transport.start(
            TransportRequest(url: server.url + "/0") { $0.connectionsPerHost = 1 }, handler: Recorder())
        let second = transport.start(
            TransportRequest(url: server.url + "/1") { $0.connectionsPerHost = 1 }, handler: Recorder())
        #expect(await arrivals.next() == "/0")
        first.cancel()
        #expect(await arrivals.next() == "/1")
        second.cancel()
    }

    @Test func `the transport cancels all that it has`() async throws {
        defer { gate.open() }
        let transport = CurlTransport()
        let server = try slowServer()
        let started = Arrivals<Int64>()
        let recorders = (0..<30).map { _ in Recorder(onChunk: { started.add($0) }) }
        for recorder in recorders { transport.start(TransportRequest(url: server.url), handler: recorder) }
        _ = await started.next()
        transport.invalidate()
        for recorder in recorders { #expect(await recorder.error == .cancelled) }
        #expect(await transport.failure(server.url) == .cancelled)
    }

    @Test func `the last reference to the transport does the same`() async throws {
        defer { gate.open() }
        let server = try slowServer()
        let started = Arrivals<Int64>()
        let recorder = Recorder(onChunk: { started.add($0) })
        var transport: CurlTransport? = CurlTransport()
        let task = transport?.start(TransportRequest(url: server.url), handler: recorder)
        _ = await started.next()
        transport = nil
        #expect(await recorder.error == .cancelled)
        task?.cancel()
        task?.priority = 1
    }

    @Test func `lets go of the handler`() async throws {
        let transport = CurlTransport()
        let server = try LoopbackServer { $0.respond("200 OK", "bird") }
        var recorder: Recorder? = Recorder()
        weak let observed = recorder
        let task = transport.start(TransportRequest(url: server.url), handler: try #require(recorder))
        _ = await recorder?.outcome
        recorder = nil
        // The loop may be about to return from the handler; it has when the next transfer has finished.
        _ = await transport.load(server.url)
        #expect(observed == nil)
        task.cancel()
    }

    @Test func `at random moments ends every transfer exactly once`() async throws {
        let transport = CurlTransport()
        let server = try LoopbackServer { exchange in
            if exchange.path == "/r" { return exchange.respond("302 Found", headers: ["Location: /x"]) }
            exchange.respond("200 OK", String(repeating: "x", count: 20_000))
        }
        let recorders = (0..<1500).map { index in
            Recorder { _, decide in
                if index % 3 == 0 { DispatchQueue.global().async { decide(true) } } else { decide(true) }
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for (index, recorder) in recorders.enumerated() {
                let request = TransportRequest(url: server.url + (index % 2 == 0 ? "/r" : "/x"))
                group.addTask {
                    let task = transport.start(request, handler: recorder)
                    for _ in 0..<Int.random(in: 0..<50) { await Task.yield() }
                    if index % 5 == 0 { task.priority = 1 }
                    if index % 4 != 0 { task.cancel() }
                    let outcome = await recorder.outcome
                    if index % 4 == 0 { #expect((try? outcome.get())?.body.count == 20_000) }
                }
            }
        }
        _ = await transport.load(server.url)
        #expect(recorders.allSatisfy { $0.finishCount == 1 && $0.events.last == "finish" })
    }
}
