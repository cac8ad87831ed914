import AlcedoLocks
import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `Cancelling` {
    let transport = CurlTransport()
    let server: LoopbackServer
    let gate = Gate()

    /// The server sends the beginning of a body and the rest when the gate opens.
    init() throws {
        server = try LoopbackServer()
        server.serve("/", Reply.text("birdbird").hold(.byte(4), until: gate))
    }

    @Test func `cancelling works while the body arrives`() async throws {
        let started = Recorder<Int64>()
        let recorder = TransferRecorder(onChunk: { started.append($0) })
        let task = transport.start(.patient(server.address("/")), handler: recorder)
        #expect(await started.waitFor(count: 1) == [4])
        task.cancel()
        task.cancel()
        #expect(await recorder.error == .cancelled)
    }

    @Test(arguments: ["response", "chunk", "finish"])
    func `cancelling works in every method of the handler`(method: String) async throws {
        server.serve("/held", Reply.text("bird").hold(.head, until: gate))
        let url = server.address("/held")
        let task = Lock<(any TransportTask)?>(nil)
        let cancel: @Sendable () -> Void = { task.withLock { $0 }?.cancel() }
        let recorder = TransferRecorder(
            onResponse: { _, decide in
                if method == "response" { cancel() }
                decide(method != "finish")
            },
            onChunk: { _ in if method == "chunk" { cancel() } },
            onFinish: { _ in cancel() })
        let started = transport.start(.patient(url), handler: recorder)
        task.withLock { $0 = started }
        gate.open()
        #expect(await recorder.error == (method == "finish" ? .rejected(url: url) : .cancelled))
        #expect(recorder.events == ["response 200"] + (method == "chunk" ? ["chunk"] : []) + ["finish"])
    }

    @Test func `cancelling takes a waiting request out of the queue at once`() async throws {
        let recorders = (0..<3).map { _ in TransferRecorder() }
        let tasks = recorders.enumerated().map { index, recorder in
            transport.start(
                .patient(server.address("/?\(index)")) { $0.connectionsPerHost = 1 }, handler: recorder)
        }
        await server.waitForRequests(1)
        tasks[1].cancel()
        #expect(await recorders[1].error == .cancelled)
        #expect(recorders[0].finishCount + recorders[2].finishCount == 0)
        gate.open()
        #expect(try await recorders[2].result.text == "birdbird")
        #expect(server.requests().map(\.target) == ["/?0", "/?2"])
    }

    @Test func `cancelling frees the connection for requests that wait`() async throws {
        let tasks = (0..<2).map { index in
            transport.start(
                .patient(server.address("/?\(index)")) { $0.connectionsPerHost = 1 },
                handler: TransferRecorder())
        }
        await server.waitForRequests(1)
        tasks[0].cancel()
        await server.waitForRequests(2)
        #expect(server.requests().map(\.target) == ["/?0", "/?1"])
    }

    @Test func `invalidating the transport cancels all its transfers`() async throws {
        let started = Recorder<Int64>()
        let recorders = (0..<30).map { _ in TransferRecorder(onChunk: { started.append($0) }) }
        for recorder in recorders { transport.start(.patient(server.address("/")), handler: recorder) }
        await started.waitFor(count: 1)
        transport.invalidate()
        for recorder in recorders { #expect(await recorder.error == .cancelled) }
        #expect(await transport.failure(server.address("/")) == .cancelled)
    }

    @Test func `invalidating the transport cancels a thousand transfers, each once`() async throws {
        server.serve("/held", Reply.text("").hold(.head, until: gate))
        let recorders = (0..<1000).map { _ in TransferRecorder() }
        for recorder in recorders {
            transport.start(
                .patient(server.address("/held")) { $0.connectionsPerHost = 1000 }, handler: recorder)
        }
        await server.waitForRequests(1000, path: "/held")
        transport.invalidate()
        for recorder in recorders { #expect(await recorder.error == .cancelled) }
        _ = await transport.failure(server.address("/held"))
        #expect(recorders.allSatisfy { $0.finishCount == 1 })
    }

    @Test func `releasing the last reference to the transport cancels its transfers`() async throws {
        let started = Recorder<Int64>()
        let recorder = TransferRecorder(onChunk: { started.append($0) })
        var transport: CurlTransport? = CurlTransport()
        let task = transport?.start(.patient(server.address("/")), handler: recorder)
        await started.waitFor(count: 1)
        transport = nil
        #expect(await recorder.error == .cancelled)
        task?.cancel()
        task?.priority = 1
    }

    @Test func `a finished transfer lets go of its handler though its task is kept`() async throws {
        gate.open()
        var recorder: TransferRecorder? = TransferRecorder()
        weak let observed = recorder
        let task = transport.start(.patient(server.address("/")), handler: try #require(recorder))
        _ = await recorder?.outcome
        recorder = nil
        // The loop may be about to return from the handler; it has when the next transfer has finished.
        _ = try await transport.load(server.address("/"))
        #expect(observed == nil)
        task.cancel()
    }

    @Test func `cancelling at random moments ends every transfer exactly once`() async throws {
        server.serve("/redirected", .redirect(to: "/body"))
        server.serve("/body", .letters(20_000))
        let recorders = (0..<1500).map { index in
            TransferRecorder { _, decide in
                if index % 3 == 0 { DispatchQueue.global().async { decide(true) } } else { decide(true) }
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for (index, recorder) in recorders.enumerated() {
                let url = server.address(index % 2 == 0 ? "/redirected" : "/body")
                group.addTask { [transport] in
                    let task = transport.start(.patient(url), handler: recorder)
                    for _ in 0..<Int.random(in: 0..<50) { await Task.yield() }
                    if index % 5 == 0 { task.priority = 1 }
                    if index % 4 != 0 { task.cancel() }
                    let outcome = await recorder.outcome
                    if index % 4 == 0, case .failure(let error)? = outcome {
                        Issue.record("transfer \(index): \(error)")
                    }
                    if index % 4 == 0, case .success(let result)? = outcome {
                        #expect(result.body.count == 20_000)
                    }
                }
            }
        }
        _ = try await transport.load(server.address("/body"))
        let wrong = recorders.map(\.events).filter { events in
            events.last != "finish" || events.count { $0 == "finish" } != 1
        }
        #expect(wrong.isEmpty)
    }
}
