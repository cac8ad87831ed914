import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `Queueing by origin` {
    let transport = CurlTransport()
    let server: LoopbackServer
    let other: LoopbackServer
    let gate = Gate()

    /// The server holds its replies until the gate opens; the other one answers at once.
    init() throws {
        server = try LoopbackServer()
        server.serve("/", Reply.text("").hold(.head, until: gate))
        other = try LoopbackServer()
        other.serve("/", .text(""))
    }

    private func start(
        _ query: String, connections: Int, priority: Float = 0.5
    ) -> (recorder: TransferRecorder, task: any TransportTask) {
        let recorder = TransferRecorder()
        let request = TransportRequest.patient(server.address("/?\(query)")) {
            $0.connectionsPerHost = connections
            $0.priority = priority
        }
        return (recorder, transport.start(request, handler: recorder))
    }

    @Test func `an origin gets no more connections than allowed`() async throws {
        let started = (0..<20).map { start("\($0)", connections: 3) }
        await server.waitForRequests(3)
        // Another origin has connections of its own, and its reply shows that the loop has read all others.
        _ = try await transport.load(other.address("/"))
        #expect(server.requestCount() == 3)
        gate.open()
        for transfer in started { _ = try await transfer.recorder.result }
        #expect(server.traffic.connectionsAccepted == 3)
        #expect(server.requestCount() == 20)
        #expect(server.traffic.mostInProgress == 3)
    }

    @Test func `priority decides which transfer is next, then the order of arrival`() async throws {
        let first = start("first", connections: 1)
        await server.waitForRequests(1)
        let waiting = [
            start("a", connections: 1),
            start("b", connections: 1),
            start("c", connections: 1, priority: 0.9),
            start("d", connections: 1),
            start("e", connections: 1, priority: 0.1),
        ]
        // Another transfer from start to end shows that the loop has put these into the queue.
        _ = try await transport.load(other.address("/"))
        waiting[3].task.priority = 1
        #expect(waiting[3].task.priority == 1)
        _ = try await transport.load(other.address("/"))
        gate.open()
        for transfer in waiting { _ = try await transfer.recorder.result }
        _ = try await first.recorder.result
        #expect(server.requests().map(\.target) == ["/?first", "/?d", "/?c", "/?a", "/?b", "/?e"])
    }

    @Test func `a late raise of the priority overtakes a thousand waiting transfers`() async throws {
        let first = start("first", connections: 1)
        await server.waitForRequests(1)
        let waiting = (0..<1_000).map { start("\($0)", connections: 1) }
        _ = try await transport.load(other.address("/"))
        waiting[999].task.priority = 0.8
        waiting[500].task.priority = 0.9
        waiting[0].task.priority = 0.1
        waiting[1].task.priority = .nan
        _ = try await transport.load(other.address("/"))
        // The reply holds the second request too, and then comes a raise that is later still.
        gate.admit(1)
        await server.waitForRequests(2)
        waiting[7].task.priority = 1
        _ = try await transport.load(other.address("/"))
        gate.open()
        for transfer in waiting + [first] { _ = try await transfer.recorder.result }
        let order = server.requests().map { $0.target.dropFirst(2) }
        #expect(order.prefix(5) == ["first", "500", "7", "999", "2"])
        #expect(order.count == 1_001)
        #expect(order.filter { $0 != "1" }.last == "0")
    }

    @Test func `thousands of transfers at once use a few connections`() async throws {
        let started = (0..<3_000).map { start("", connections: 6, priority: Float($0 % 7) / 7) }
        await server.waitForRequests(6)
        gate.open()
        for transfer in started { _ = try await transfer.recorder.result }
        #expect(server.requestCount() == 3_000)
        #expect(server.traffic.connectionsAccepted == 6)
    }

    @Test func `ten thousand transfers may wait, and be cancelled`() async throws {
        let first = start("first", connections: 1)
        await server.waitForRequests(1)
        let started = (0..<10_000).map { start("", connections: 1, priority: Float($0 % 7) / 7) }
        for transfer in started.dropFirst() { transfer.task.cancel() }
        var cancelled = 0
        for transfer in started.dropFirst() where await transfer.recorder.error == .cancelled {
            cancelled += 1
        }
        #expect(cancelled == 9_999)
        gate.open()
        _ = try await started[0].recorder.result
        _ = try await first.recorder.result
        #expect(server.requestCount() == 2)
    }
}
