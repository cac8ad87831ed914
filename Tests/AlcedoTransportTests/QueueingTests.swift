import AlcedoTransport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `Queueing by origin` {
    let transport = CurlTransport()
    let gate = Gate()
    let arrivals = Arrivals<String>()

    private func heldServer() throws -> LoopbackServer {
        try LoopbackServer { [gate, arrivals] exchange in
            arrivals.add(exchange.path)
            gate.pass()
            exchange.respond("200 OK", exchange.path)
        }
    }

    private func start(
        _ url: String, connections: Int, priority: Float = 0.5
    ) -> (recorder: Recorder, task: any TransportTask) {
        let recorder = Recorder()
        let request = TransportRequest(url: url) {
            $0.connectionsPerHost = connections
            $0.priority = priority
        }
        return (recorder, transport.start(request, handler: recorder))
    }

    @Test func `no more connections than allowed are in use`() async throws {
        let server = try heldServer()
        let other = try heldServer()
        let started = (0..<20).map { start(server.url + "/\($0)", connections: 3) }
        for _ in 0..<3 { _ = await arrivals.next() }
        // Another origin has connections of its own, and its request shows that the loop has read all others.
        let elsewhere = start(other.url + "/other", connections: 3)
        #expect(await arrivals.next() == "/other")
        #expect(arrivals.count == 0)
        gate.open()
        for transfer in started { _ = try await transfer.recorder.result }
        _ = try await elsewhere.recorder.result
        #expect(server.connectionCount == 3)
        #expect(server.requests.count == 20)
    }

    @Test func `priority decides who is next, then who came first`() async throws {
        let server = try heldServer()
        let first = start(server.url + "/first", connections: 1)
        #expect(await arrivals.next() == "/first")
        let waiting = [
            start(server.url + "/a", connections: 1),
            start(server.url + "/b", connections: 1),
            start(server.url + "/c", connections: 1, priority: 0.9),
            start(server.url + "/d", connections: 1),
            start(server.url + "/e", connections: 1, priority: 0.1),
        ]
        // Another transfer from start to end shows that the loop has put these into the queue.
        let other = try LoopbackServer { $0.respond() }
        _ = try await transport.load(other.url).get()
        waiting[3].task.priority = 1
        #expect(waiting[3].task.priority == 1)
        gate.open()
        for transfer in waiting { _ = try await transfer.recorder.result }
        _ = try await first.recorder.result
        var order: [String] = []
        for _ in waiting { order.append(await arrivals.next()) }
        #expect(order == ["/d", "/c", "/a", "/b", "/e"])
    }

    @Test func `ten thousand may wait`() async throws {
        let server = try heldServer()
        let first = start(server.url + "/first", connections: 1)
        #expect(await arrivals.next() == "/first")
        let started = (0..<10_000).map { start(server.url, connections: 1, priority: Float($0 % 7) / 7) }
        for transfer in started.dropFirst() { transfer.task.cancel() }
        for transfer in started.dropFirst() { #expect(await transfer.recorder.error == .cancelled) }
        gate.open()
        _ = try await started[0].recorder.result
        _ = try await first.recorder.result
        #expect(server.requests.count == 2)
    }
}
