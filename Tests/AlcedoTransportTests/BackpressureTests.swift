import AlcedoLocks
import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `Bodies that wait` {
    /// Is full with three bodies.
    let transport = CurlTransport(backpressureLimit: 3000)
    let server: LoopbackServer
    let held = Recorder<Backpressure.Reservation>()

    init() throws {
        server = try LoopbackServer()
        server.serve("/", .letters(1000))
    }

    private func start(_ path: String, at server: LoopbackServer? = nil) -> TransferRecorder {
        let recorder = TransferRecorder(onFinish: { [transport, held] outcome in
            if case .success(let result) = outcome {
                held.append(transport.backpressure.reserve(result.body.count))
            }
        })
        let request = TransportRequest.patient((server ?? self.server).address(path)) {
            $0.connectionsPerHost = 1
        }
        transport.start(request, handler: recorder)
        return recorder
    }

    /// A request that can't be sent fails on the loop, which has by then done all that it was told before.
    private func waitForLoop() async { _ = await transport.failure("http://") }

    @Test func `waiting bodies keep other transfers from starting while there are too many`() async throws {
        let started = (0..<10).map { start("/?\($0)") }
        await held.waitFor(count: 3)
        await waitForLoop()
        #expect(server.requestCount() == 3)

        for count in 3..<10 {
            held.values[count - 3].release()
            held.values[count - 3].release()
            await held.waitFor(count: count + 1)
            await waitForLoop()
            #expect(server.requestCount() == count + 1)
        }
        for recorder in started { _ = try await recorder.result }
        #expect(server.requestCount() == 10)
    }

    @Test func `waiting bodies that are released let transfers of all origins start`() async throws {
        let other = try LoopbackServer()
        other.serve("/", .letters(1000))
        var wall: Backpressure.Reservation? = transport.backpressure.reserve(3000)
        let started = [start("/?a"), start("/", at: other), start("/?b")]
        await waitForLoop()
        #expect(wall != nil && server.requestCount() + other.requestCount() == 0)
        wall = nil
        for recorder in started { _ = try await recorder.result }
    }

    @Test func `bodies in flight are limited for each origin and in all`() async throws {
        let (gate, other, third) = (Gate(), try LoopbackServer(), try LoopbackServer())
        server.serve("/large", Reply.letters(6000).hold(.byte(10), until: gate))
        other.serve("/huge", Reply.letters(30_000).hold(.byte(29_000), until: gate))
        third.serve("/held", Reply.letters(10).hold(.byte(5), until: gate))
        third.serve("/", .letters(10))
        let received = Recorder<Int64>()
        func get(_ path: String, _ server: LoopbackServer) -> TransferRecorder {
            let recorder = TransferRecorder(onChunk: { received.append($0) })
            transport.start(
                .patient(server.address(path)) { $0.connectionsPerHost = 6 }, handler: recorder)
            return recorder
        }
        let large = get("/large", server)
        await received.waitFor(count: 1)
        let second = get("/large", server)
        // A server that announces more than it sends is the only one to wait.
        _ = try await get("/", third).result
        #expect(server.requestCount() == 1)
        let huge = get("/huge", other)
        await received.wait { $0.contains { $0 >= 25_000 } }
        // An origin without a transfer may start one.
        let held = get("/held", third)
        await third.waitForRequests(2)
        let last = get("/", third)
        await waitForLoop()
        #expect(third.requestCount() == 2)
        gate.open()
        for recorder in [large, second, huge, held, last] { _ = try await recorder.result }
        #expect(server.requestCount() == 2 && third.requestCount() == 3)
    }

    /// More than the limit at once, but they are nobody's concern once they have been handed over.
    @Test func `bodies that nobody holds do not count as waiting`() async throws {
        server.serve("/large", .letters(4000))
        let recorders = (0..<5).map { _ in TransferRecorder() }
        for recorder in recorders {
            transport.start(
                .patient(server.address("/large")) { $0.connectionsPerHost = 2 }, handler: recorder)
        }
        for recorder in recorders { #expect(try await recorder.result.body.count == 4000) }
    }

    @Test func `waiting bodies do not stop a running transfer, not even at a redirect`() async throws {
        let gate = Gate()
        server.serve("/old", Reply.redirect(to: server.address("/")).hold(.head, until: gate))
        let redirected = start("/old")
        await server.waitForRequests(1)
        let wall = transport.backpressure.reserve(3000)
        let waiting = start("/?waiting")
        await waitForLoop()
        gate.open()
        #expect(try await redirected.result.body.count == 1000)
        #expect(server.requestCount() == 2)
        wall.release()
        #expect(try await waiting.result.body.count == 1000)
    }

    @Test func `a transfer that waits for other bodies can be cancelled`() async throws {
        let wall = transport.backpressure.reserve(3000)
        let recorder = TransferRecorder()
        let task = transport.start(.patient(server.address("/")), handler: recorder)
        await waitForLoop()
        task.cancel()
        #expect(await recorder.error == .cancelled)
        wall.release()
        _ = try await start("/").result
        #expect(server.requestCount() == 1)
    }
}
