import AlcedoTransport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `Time-outs` {
    let transport = CurlTransport()
    let gate = Gate()

    /// A server that sends `beginning` and then nothing, until the gate opens.
    private func silentServer(after beginning: String = "") throws -> LoopbackServer {
        try LoopbackServer { [gate] exchange in
            exchange.send(beginning)
            gate.pass()
        }
    }

    @Test func `a server that does not secure the connection runs into the connect time-out`() async throws {
        defer { gate.open() }
        // The server waits for the end of a request, which a TLS handshake does not contain.
        let server = try silentServer()
        let url = server.url.replacing("http:", with: "https:")
        let error = await transport.failure(url) { $0.timeouts.connect = 0.1 }
        #expect(error == .timedOut(.connect, seconds: 0.1, url: url))
    }

    @Test func `a server that does not answer runs into the first-byte time-out`() async throws {
        defer { gate.open() }
        let server = try silentServer()
        let error = await transport.failure(server.url) { $0.timeouts.firstByte = 0.1 }
        #expect(error == .timedOut(.firstByte, seconds: 0.1, url: server.url))
    }

    @Test(arguments: ["HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"])
    func `a server that stops runs into the stall time-out`(beginning: String) async throws {
        defer { gate.open() }
        let server = try silentServer(after: beginning)
        let error = await transport.failure(server.url) { $0.timeouts.stall = 0.1 }
        #expect(error == .timedOut(.stall, seconds: 0.1, url: server.url))
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"])
    func `whatever a server does, the total time-out ends it`(beginning: String) async throws {
        defer { gate.open() }
        let server = try silentServer(after: beginning)
        let error = await transport.failure(server.url) { request in
            request.timeouts = TransportTimeouts {
                ($0.connect, $0.firstByte, $0.stall, $0.total) = (0, 0, 0, 0.1)
            }
        }
        #expect(error == .timedOut(.total, seconds: 0.1, url: server.url))
    }

    @Test func `redirects do not start the total time-out afresh`() async throws {
        let server = try LoopbackServer { exchange in
            exchange.respond("302 Found", headers: ["Location: /\(exchange.number)"])
        }
        let error = await transport.failure(server.url) { request in
            request.maximumRedirects = .max
            request.timeouts.total = 0.15
        }
        guard case .timedOut(.total, seconds: 0.15, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `waiting in the queue costs no time`() async throws {
        let arrivals = Arrivals<String>()
        let server = try LoopbackServer { [gate] exchange in
            arrivals.add(exchange.path)
            if exchange.path == "/first" { gate.pass() }
            exchange.respond()
        }
        let silent = try silentServer()
        let first = Recorder()
        let second = Recorder()
        transport.start(
            TransportRequest(url: server.url + "/first") { $0.connectionsPerHost = 1 }, handler: first)
        #expect(await arrivals.next() == "/first")
        let request = TransportRequest(url: server.url + "/second") { request in
            request.connectionsPerHost = 1
            request.timeouts = TransportTimeouts {
                ($0.connect, $0.firstByte, $0.stall, $0.total) = (0.1, 0.1, 0.1, 0.1)
            }
        }
        transport.start(request, handler: second)
        _ = await transport.failure(silent.url) { $0.timeouts.firstByte = 0.2 }
        gate.open()
        let metrics = try await second.result.metrics
        #expect(metrics.queued > 0.15)
        #expect(metrics.total < 0.1)
        _ = try await first.result
    }

    @Test func `a handler that thinks does not let its transfer stall`() async throws {
        defer { gate.open() }
        let server = try LoopbackServer { $0.respond("200 OK", String(repeating: "x", count: 500_000)) }
        let silent = try silentServer()
        let decisions = Arrivals<Recorder.Decision>()
        let recorder = Recorder { decisions.add($1) }
        let request = TransportRequest(url: server.url) { $0.timeouts.stall = 0.1 }
        transport.start(request, handler: recorder)
        let decide = await decisions.next()
        _ = await transport.failure(silent.url) { $0.timeouts.firstByte = 0.25 }
        decide(true)
        #expect(try await recorder.result.body.count == 500_000)
    }

    @Test func `a handler that never decides runs into the total time-out`() async throws {
        let server = try LoopbackServer { $0.respond("200 OK", "bird") }
        let recorder = Recorder { _, _ in }
        let request = TransportRequest(url: server.url) { $0.timeouts.total = 0.1 }
        transport.start(request, handler: recorder)
        #expect(await recorder.error == .timedOut(.total, seconds: 0.1, url: server.url))
    }
}
