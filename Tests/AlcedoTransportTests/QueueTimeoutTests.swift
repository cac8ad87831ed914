import AlcedoLocks
import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `Requests that wait too long` {
    let transport = CurlTransport(backpressureLimit: 1000)
    let server: LoopbackServer
    let gate = Gate()

    init() throws {
        server = try LoopbackServer()
        server.serve("/held", Reply.letters(10).hold(.head, until: gate))
        server.serve("/", .letters(10))
    }

    private func failure(limit: Double = 0.05) async -> TransportError? {
        await transport.failure(server.address("/")) {
            $0.connectionsPerHost = 1
            $0.timeouts.queue = .seconds(limit)
        }
    }

    private func error(_ reason: String, _ path: String = "/") -> TransportError {
        .queueTimedOut(waitingFor: reason, seconds: 0.05, url: server.address(path))
    }

    @Test func `a request that waits too long for a connection fails, and others don't`() async throws {
        let (first, patient) = (TransferRecorder(), TransferRecorder())
        transport.start(.patient(server.address("/held")) { $0.connectionsPerHost = 1 }, handler: first)
        await server.waitForRequests(1)
        transport.start(.patient(server.address("/")) { $0.connectionsPerHost = 1 }, handler: patient)
        #expect(await failure() == error("a connection to 127.0.0.1"))
        gate.open()
        #expect(try await first.result.body.count == 10)
        #expect(try await patient.result.body.count == 10)
    }

    @Test func `a request that waits too long for bodies to be decoded fails`() async throws {
        let wall = transport.backpressure.reserve(1000)
        #expect(await failure() == error("earlier images to be decoded or stored"))
        wall.release()
        #expect(await failure(limit: 1_000) == nil)
    }

    @Test func `a request's time in the queue does not count once it is sent`() async throws {
        let recorder = TransferRecorder()
        transport.start(
            .patient(server.address("/held")) { $0.timeouts.queue = .seconds(0.05) }, handler: recorder)
        let other = TransferRecorder()
        transport.start(
            .patient(server.address("/held")) {
                ($0.timeouts.queue, $0.connectionsPerHost) = (.seconds(0.05), 1)
            },
            handler: other)
        #expect(await other.error == error("a connection to 127.0.0.1", "/held"))
        gate.open()
        #expect(try await recorder.result.body.count == 10)
    }
}
