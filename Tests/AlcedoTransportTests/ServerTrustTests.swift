import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)), .enabled(if: SecureServer.isAvailable))
struct `Server trust decided by the handler` {
    let transport = CurlTransport()
    let server: SecureServer
    let url: String
    let scope = TrustScope()

    init() async throws {
        server = try await SecureServer(files: ["small": 4])
        url = server.url + "/small"
    }

    private func request(_ configure: (inout TransportRequest) -> Void = { _ in }) -> TransportRequest {
        .patient(url) {
            $0.trustScope = scope
            configure(&$0)
        }
    }

    private func deciding(_ decision: TrustDecision) -> TransferRecorder {
        TransferRecorder(onTrust: { $1(decision) })
    }

    @Test func `the handler is shown a server's certificate and what is wrong with it`() async throws {
        let shown = Recorder<ServerTrust>()
        let recorder = TransferRecorder(onTrust: { trust, decide in
            shown.append(trust)
            decide(.accept)
        })
        transport.start(request(), handler: recorder)
        let result = try await recorder.result
        #expect(result.body == Data(count: 4))
        #expect(result.response.httpVersion == "HTTP/2")
        #expect(recorder.events == ["trust 127.0.0.1", "response 200", "chunk", "finish"])
        let trust = try await shown.first()
        #expect(trust.port == server.port)
        #expect(!trust.isValid)
        #expect(trust.defect?.contains("self-signed") == true)
        let certificate = try #require(trust.certificates.first)
        #expect(trust.certificates.count == 1)
        #expect(certificate.subject == "CN=loopback" && certificate.issuer == "CN=loopback")
        #expect(certificate.alternativeNames == ["127.0.0.1"])
        #expect((certificate.validFrom...certificate.validUntil).contains(Date()))
        #expect(abs(certificate.validUntil.timeIntervalSince(certificate.validFrom) - 2 * 86_400) < 2)
        #expect(certificate.fingerprint.count == 32)
        let pem = try String(contentsOf: URL(filePath: server.authorityFile), encoding: .utf8)
        let base64 = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        #expect(Data(base64Encoded: base64) == certificate.der)
    }

    @Test func `a server that the handler rejects gets no request`() async throws {
        let recorder = deciding(.reject)
        transport.start(request { $0.certificateAuthorityFile = server.authorityFile }, handler: recorder)
        #expect(await recorder.error == .serverRejected(url: url))
        #expect(recorder.events == ["trust 127.0.0.1", "finish"])
        #expect(recorder.metrics.first?.requests.first?.request == nil)
    }

    @Test(arguments: [true, false])
    func `the handler may leave a server to libcurl's verdict`(isKnown: Bool) async throws {
        let recorder = deciding(.byDefault)
        transport.start(
            request { if isKnown { $0.certificateAuthorityFile = server.authorityFile } }, handler: recorder)
        if isKnown {
            #expect(try await recorder.result.body == Data(count: 4))
        } else if case .tls(let reason, url) = await recorder.error {
            #expect(reason.contains("self-signed"))
        } else {
            Issue.record("not refused")
        }
    }

    @Test func `a certificate for another name is shown to the handler as a defect`() async throws {
        let shown = Recorder<ServerTrust>()
        let recorder = TransferRecorder(onTrust: { trust, decide in
            shown.append(trust)
            decide(.byDefault)
        })
        let request = TransportRequest.patient("https://localhost:\(server.port)/small") {
            $0.trustScope = scope
            $0.certificateAuthorityFile = server.authorityFile
        }
        transport.start(request, handler: recorder)
        guard case .tls = await recorder.error else {
            Issue.record("not refused")
            return
        }
        #expect(try await shown.first().defect?.contains("mismatch") == true)
    }

    @Test func `a connection that the handler has accepted is for its trust scope only`() async throws {
        let first = deciding(.accept)
        transport.start(request(), handler: first)
        #expect(try await first.result.metrics.isConnectionReused == false)
        let second = deciding(.reject)
        transport.start(request(), handler: second)
        #expect(try await second.result.metrics.isConnectionReused)
        #expect(second.events.first == "response 200")

        let other = deciding(.reject)
        transport.start(request { $0.trustScope = TrustScope() }, handler: other)
        #expect(await other.error == .serverRejected(url: url))
        guard case .tls = await transport.failure(url) else {
            Issue.record("verified by somebody else's handler")
            return
        }
        let unverified = try await transport.load(url) { $0.verifiesServer = false }
        #expect(!unverified.metrics.isConnectionReused)
        let known = try await transport.load(url) { $0.certificateAuthorityFile = server.authorityFile }
        #expect(!known.metrics.isConnectionReused)
    }

    @Test func `a connection that the handler was not asked about is not used`() async throws {
        _ = try await transport.load(url) { $0.certificateAuthorityFile = server.authorityFile }
        _ = try await transport.load(url) { $0.verifiesServer = false }
        let recorder = deciding(.reject)
        transport.start(request { $0.certificateAuthorityFile = server.authorityFile }, handler: recorder)
        #expect(await recorder.error == .serverRejected(url: url))
    }

    @Test(arguments: [true, false])
    func `requests at once ask the handler once, unless they are rejected`(isAccepted: Bool) async throws {
        let recorders = (0..<60).map { _ in
            TransferRecorder(onTrust: { _, decide in
                DispatchQueue.global().async { decide(isAccepted ? .accept : .reject) }
            })
        }
        for recorder in recorders { transport.start(request(), handler: recorder) }
        for recorder in recorders {
            if isAccepted { #expect(try await recorder.result.body.count == 4) }
            if !isAccepted { #expect(await recorder.error == .serverRejected(url: url)) }
        }
        let asked = recorders.count { $0.events.first == "trust 127.0.0.1" }
        #expect(asked == (isAccepted ? 1 : 60), "\(recorders.map(\.events))")
    }

    @Test func `transfers of the same trust scope wait for the handler, and others go on`() async throws {
        let plain = try LoopbackServer()
        plain.serve("/", .text("bird"))
        let pending = Recorder<TransferRecorder.Verdict>()
        let recorders = (0..<2).map { _ in TransferRecorder(onTrust: { pending.append($1) }) }
        transport.start(request(), handler: recorders[0])
        let decide = try await pending.first()
        transport.start(request(), handler: recorders[1])
        #expect(try await transport.load(plain.address("/")).text == "bird")
        #expect(try await transport.load(url) { $0.verifiesServer = false }.body.count == 4)
        #expect(recorders.map(\.finishCount) == [0, 0])
        decide(.accept)
        for recorder in recorders { #expect(try await recorder.result.body.count == 4) }
        #expect(pending.count == 1)
    }

    @Test func `no time limit runs while the handler decides about a server`() async throws {
        let plain = try LoopbackServer()
        plain.serve("/", Reply.text("").hold(.head, until: Gate()))
        // A busy machine may use up a short time before there is a question at all.
        for seconds in [1.0, 10, 120] {
            let news = Recorder<TransferRecorder.Verdict?>()
            let recorder = TransferRecorder(
                onTrust: { news.append($1) }, onFinish: { _ in news.append(nil) })
            let short = request {
                let limit = Duration.seconds(seconds)
                ($0.timeouts.connect, $0.timeouts.firstByte, $0.timeouts.stall) = (limit, limit, limit)
                $0.trustScope = TrustScope()
            }
            transport.start(short, handler: recorder)
            guard let decide = try await news.first() else { continue }
            _ = await transport.failure(plain.address("/")) {
                $0.timeouts.firstByte = .seconds(seconds * 1.2)
            }
            #expect(recorder.finishCount == 0)
            decide(.accept)
            if case .success = await recorder.outcome { return }
        }
        Issue.record("never fast enough")
    }

    @Test func `cancelling passes the question about a server on to the next transfer`() async throws {
        let pending = Recorder<(index: Int, decide: TransferRecorder.Verdict)>()
        let recorders = (0..<8).map { index in TransferRecorder(onTrust: { pending.append((index, $1)) }) }
        let tasks = recorders.map { transport.start(request(), handler: $0) }
        for count in 1..<8 {
            let asked = try #require(await pending.waitFor(count: count).last)
            tasks[asked.index].cancel()
            #expect(await recorders[asked.index].error == .cancelled)
            asked.decide(.accept)
        }
        let last = try #require(await pending.waitFor(count: 8).last)
        last.decide(.accept)
        #expect(try await recorders[last.index].result.body.count == 4)
    }

    @Test func `the transport may end while the handler decides about a server`() async throws {
        let pending = Recorder<TransferRecorder.Verdict>()
        let recorders = (0..<8).map { _ in TransferRecorder(onTrust: { pending.append($1) }) }
        for recorder in recorders { transport.start(request(), handler: recorder) }
        let decide = try await pending.first()
        transport.invalidate()
        decide(.accept)
        for recorder in recorders { #expect(await recorder.error == .cancelled) }
    }

    @Test func `the handler decides about a server behind a tunnel, too`() async throws {
        let proxy = try TunnelProxy()
        let recorder = deciding(.accept)
        transport.start(
            request { $0.proxy = .server(ProxyServer(.http, host: "127.0.0.1", port: proxy.port)) },
            handler: recorder)
        #expect(try await recorder.result.body.count == 4)
        #expect(recorder.events.first == "trust 127.0.0.1")
    }

    @Test func `the handler has nothing to decide about plain HTTP`() async throws {
        let plain = try LoopbackServer()
        plain.serve("/", .text("bird"))
        let recorder = deciding(.reject)
        transport.start(.patient(plain.address("/")) { $0.trustScope = scope }, handler: recorder)
        #expect(try await recorder.result.text == "bird")
    }
}
