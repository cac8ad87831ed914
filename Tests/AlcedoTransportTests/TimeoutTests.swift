import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

/// A busy machine may notice any of them late; so the tests ask which one it was, and that it was not early.
@Suite(.timeLimit(.minutes(10)))
struct `Time-outs` {
    let transport = CurlTransport()
    let server: LoopbackServer
    let beginning = SuspendingClock.now

    init() throws { server = try LoopbackServer() }

    /// Makes `path` say `beginning` and then nothing more.
    private func fallSilent(_ path: String, after beginning: String) -> String {
        server.serve(path, Reply.raw(beginning).hold(.byte(beginning.utf8.count), until: Gate()))
        return server.address(path)
    }

    /// Waits until a request for which there is no answer has given up.
    private func letPass(seconds: Double) async throws {
        let other = try LoopbackServer()
        other.serve("/", Reply.text("").hold(.head, until: Gate()))
        let error = await transport.failure(other.address("/")) { $0.timeouts.firstByte = .seconds(seconds) }
        #expect(error == .timedOut(.firstByte, seconds: seconds, url: other.address("/")))
    }

    @Test func `a server that does not secure the connection runs into the connect time-out`() async throws {
        // The server waits for the end of a request, which a TLS handshake does not contain.
        let url = server.address("/").replacing("http:", with: "https:")
        let error = await transport.failure(url) { $0.timeouts.connect = .seconds(0.1) }
        #expect(error == .timedOut(.connect, seconds: 0.1, url: url))
        #expect(SuspendingClock.now - beginning >= .milliseconds(100))
    }

    @Test func `a server that does not respond runs into the first-byte time-out`() async throws {
        try await letPass(seconds: 0.1)
        #expect(SuspendingClock.now - beginning >= .milliseconds(100))
    }

    @Test(arguments: ["HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"])
    func `a server that stops runs into the stall time-out`(start: String) async throws {
        let url = fallSilent("/", after: start)
        let error = await transport.failure(url) { $0.timeouts.stall = .seconds(0.1) }
        #expect(error == .timedOut(.stall, seconds: 0.1, url: url))
        #expect(SuspendingClock.now - beginning >= .milliseconds(100))
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"])
    func `whatever a server does, the total time-out ends it`(start: String) async throws {
        let url = fallSilent("/", after: start)
        let error = await transport.failure(url) { request in
            request.timeouts = TransportTimeouts {
                ($0.connect, $0.firstByte, $0.stall, $0.total) = (.zero, .zero, .zero, .milliseconds(100))
            }
        }
        #expect(error == .timedOut(.total, seconds: 0.1, url: url))
        #expect(SuspendingClock.now - beginning >= .milliseconds(100))
    }

    @Test func `a server that drips runs into the total time-out`() async throws {
        server.serve("/", Reply.letters(10_000).drip(1, every: .milliseconds(5)))
        let url = server.address("/")
        let error = await transport.failure(url) { $0.timeouts.total = .seconds(0.2) }
        #expect(error == .timedOut(.total, seconds: 0.2, url: url))
        #expect(SuspendingClock.now - beginning >= .milliseconds(200))
    }

    @Test func `an address that does not respond runs into the connect time-out`() async throws {
        let port = try FullPort(.version4)
        defer { withExtendedLifetime(port) {} }
        let url = "http://127.0.0.1:\(port.number)/"
        let error = await transport.failure(url) { $0.timeouts.connect = .seconds(0.1) }
        #expect(error == .timedOut(.connect, seconds: 0.1, url: url))
        #expect(SuspendingClock.now - beginning >= .milliseconds(100))
    }

    @Test(.enabled(if: FullPort.hasVersion6))
    func `an address that does not respond does not stand in the way of one that does`() async throws {
        // libcurl takes the name for both ::1 and 127.0.0.1.
        let port = try FullPort(.version6, port: server.port)
        defer { withExtendedLifetime(port) {} }
        server.serve("/", .text("bird"))
        let url = "http://localhost:\(port.number)/"
        // The system waits longer for ::1 than the connect time-out, after which the transfer fails.
        #expect(try await transport.load(url) { $0.timeouts.connect = .seconds(120) }.text == "bird")
    }

    @Test func `redirects do not start the total time-out afresh`() async throws {
        let url = server.address("/")
        server.serve("/", .redirect(to: url))
        let error = await transport.failure(url) { request in
            request.maximumRedirects = .max
            request.timeouts.total = .seconds(0.15)
        }
        #expect(error == .timedOut(.total, seconds: 0.15, url: url))
        #expect(SuspendingClock.now - beginning >= .milliseconds(150))
    }

    @Test func `waiting in the queue does not count for the time-outs`() async throws {
        let gate = Gate()
        server.serve("/first", Reply.text("").hold(.head, until: gate))
        let first = TransferRecorder()
        transport.start(.patient(server.address("/first")), handler: first)
        await server.waitForRequests(1)
        let recorders = [TransferRecorder(), TransferRecorder()]
        let impatient = TransportRequest(to: fallSilent("/second", after: "")) { request in
            request.connectionsPerHost = 1
            request.timeouts = TransportTimeouts {
                let limit = Duration.milliseconds(100)
                ($0.connect, $0.firstByte, $0.stall, $0.total) = (limit, limit, limit, limit)
            }
        }
        transport.start(impatient, handler: recorders[0])
        transport.start(
            .patient(server.address("/first")) { $0.connectionsPerHost = 1 }, handler: recorders[1])
        try await letPass(seconds: 0.3)
        #expect(recorders.allSatisfy { $0.finishCount == 0 })

        let release = SuspendingClock.now
        gate.open()
        guard case .timedOut(_, seconds: 0.1, _) = await recorders[0].error else {
            Issue.record("\(String(describing: await recorders[0].outcome))")
            return
        }
        #expect(SuspendingClock.now - release >= .milliseconds(100))
        let metrics = try await recorders[1].result.metrics
        #expect(metrics.queued >= 0.4)
        #expect(.seconds(metrics.queued + metrics.total) <= SuspendingClock.now - beginning)
        _ = try await first.result
    }

    @Test func `a transfer does not stall while its handler decides`() async throws {
        let url = fallSilent("/", after: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
        let decisions = Recorder<TransferRecorder.Decision>()
        let recorder = TransferRecorder { decisions.append($1) }
        transport.start(.patient(url) { $0.timeouts.stall = .seconds(0.1) }, handler: recorder)
        let decide = try await decisions.first()
        try await letPass(seconds: 0.3)
        #expect(recorder.finishCount == 0)

        let decision = SuspendingClock.now
        decide(true)
        #expect(await recorder.error == .timedOut(.stall, seconds: 0.1, url: url))
        #expect(SuspendingClock.now - decision >= .milliseconds(100))
    }

    @Test func `a handler that never decides runs into the total time-out`() async throws {
        server.serve("/", .text("bird"))
        let url = server.address("/")
        let recorder = TransferRecorder { _, _ in }
        transport.start(.patient(url) { $0.timeouts.total = .seconds(0.1) }, handler: recorder)
        #expect(await recorder.error == .timedOut(.total, seconds: 0.1, url: url))
        #expect(SuspendingClock.now - beginning >= .milliseconds(100))
    }
}
