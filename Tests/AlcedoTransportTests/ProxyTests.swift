import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `Proxies` {
    let transport = CurlTransport()
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    private func forwarding(_ configure: (inout ProxyServer) -> Void = { _ in }) -> TransportProxy {
        .server(ProxyServer(.http, host: "127.0.0.1", port: Int(server.port), configure))
    }

    @Test func `a proxy gets the whole URL for plain HTTP`() async throws {
        server.serve("http://birds.test/wren", .text("from the proxy"))
        let result = try await transport.load("http://birds.test/wren") { $0.proxy = forwarding() }
        #expect(result.text == "from the proxy")
        #expect(server.requests().map(\.target) == ["http://birds.test/wren"])
    }

    @Test(arguments: ["127.0.0.1", "*"])
    func `a proxy is not used for hosts that bypass it`(host: String) async throws {
        server.serve("/", .text("straight"))
        let proxy = TransportProxy.server(
            ProxyServer(.http, host: "127.0.0.1", port: try ClosedPort().number) { $0.bypassedHosts = [host] }
        )
        #expect(try await transport.load(server.address("/")) { $0.proxy = proxy }.text == "straight")
    }

    @Test func `a proxy that accepts no connection is an error`() async throws {
        let port = try ClosedPort()
        defer { withExtendedLifetime(port) {} }
        let proxy = TransportProxy.server(ProxyServer(.http, host: "127.0.0.1", port: port.number))
        guard case .cannotConnect = await transport.failure(server.address("/"), { $0.proxy = proxy }) else {
            Issue.record("connected")
            return
        }
    }

    @Test(arguments: [ProxyServer.Kind.http, .https, .socks5])
    func `a proxy whose host cannot be found is named`(kind: ProxyServer.Kind) async throws {
        let name = String(repeating: "a", count: 64) + ".test"
        let proxy = TransportProxy.server(ProxyServer(kind, host: name, port: 80))
        let error = try #require(await transport.failure(server.address("/")) { $0.proxy = proxy })
        #expect(error.description.contains("Could not use the proxy “\(name):80”"))
    }

    @Test(arguments: [("", 80, ":80"), ("birds.test", 99_999, "birds.test:99999"), ("a b", 1, "a b:1")])
    func `a proxy with an invalid address is named`(host: String, port: Int, shown: String) async throws {
        let proxy = TransportProxy.server(ProxyServer(.http, host: host, port: port))
        let error = try #require(await transport.failure(server.address("/")) { $0.proxy = proxy })
        #expect(error.description.contains("Could not use the proxy “\(shown)”"))
    }

    @Test func `a proxy's credential is sent without a challenge, and to the proxy only`() async throws {
        server.route("http://birds.test/") { request in
            request.header("Proxy-Authorization") == "Basic dTpw"
                ? .text("in \(request.header("Authorization") ?? "-")")
                : .text("", status: 407, headers: [("Proxy-Authenticate", "Basic realm=\"proxy\"")])
        }
        let recorder = TransferRecorder()
        let proxy = forwarding { $0.credential = TransportCredential(user: "u", password: "p") }
        transport.start(.patient("http://birds.test/") { $0.proxy = proxy }, handler: recorder)
        #expect(try await recorder.result.text == "in -")
        #expect(recorder.events == ["response 200", "chunk", "finish"])
    }

    @Test func `a proxy that rejects its credential brings the handler a challenge`() async throws {
        server.route("http://birds.test/") { request in
            request.header("Proxy-Authorization") == "Basic dTpw"
                ? .text("in \(request.body.count)")
                : .text("", status: 407, headers: [("Proxy-Authenticate", "Basic realm=\"proxy\"")])
        }
        let challenges = Recorder<HTTPChallenge>()
        let recorder = TransferRecorder(onChallenge: { challenge, decide in
            challenges.append(challenge)
            decide(.use(TransportCredential(user: "u", password: "p")))
        })
        let request = TransportRequest.patient("http://birds.test/") {
            $0.proxy = forwarding { $0.credential = TransportCredential(user: "u", password: "wrong") }
            ($0.method, $0.body) = ("POST", Data("abc".utf8))
        }
        transport.start(request, handler: recorder)
        #expect(try await recorder.result.text == "in 3")
        let challenge = try await challenges.first()
        #expect(challenge.isProxy && challenge.realm == "proxy" && challenge.previousFailures == 1)
        #expect(challenge.host == "127.0.0.1" && challenge.port == Int(server.port))
    }
}

@Suite(.timeLimit(.minutes(10)), .enabled(if: SecureServer.isAvailable))
struct `Tunnels` {
    let transport = CurlTransport()
    let server: SecureServer

    init() async throws { server = try await SecureServer(files: ["small": 4]) }

    private func request(_ proxy: TunnelProxy, _ kind: ProxyServer.Kind = .http) -> TransportRequest {
        .patient(server.url + "/small") {
            $0.certificateAuthorityFile = server.authorityFile
            $0.proxy = .server(ProxyServer(kind, host: "127.0.0.1", port: proxy.port))
        }
    }

    @Test(arguments: [ProxyServer.Kind.http, .socks5])
    func `a tunnel leads to a server that is verified as ever`(kind: ProxyServer.Kind) async throws {
        let proxy = try TunnelProxy()
        let recorder = TransferRecorder()
        transport.start(request(proxy, kind), handler: recorder)
        let result = try await recorder.result
        #expect(result.body == Data(count: 4))
        #expect(result.response.httpVersion == "HTTP/2")
        #expect(result.response.value(forHeader: "X-Proxy") == nil)
        let word = kind == .http ? "CONNECT" : "SOCKS"
        #expect(proxy.requests.values == ["\(word) 127.0.0.1:\(server.port)"])
        guard case .tls = await transport.failure(server.url, { $0.proxy = request(proxy, kind).proxy })
        else {
            Issue.record("not verified")
            return
        }
    }

    @Test func `a tunnel's proxy may ask the handler for a password`() async throws {
        let proxy = try TunnelProxy(authorization: "Basic dTpw")
        let challenges = Recorder<HTTPChallenge>()
        let recorder = TransferRecorder(onChallenge: { challenge, decide in
            challenges.append(challenge)
            let password = challenge.previousFailures == 0 ? "wrong" : "p"
            DispatchQueue.global().async { decide(.use(TransportCredential(user: "u", password: password))) }
        })
        transport.start(request(proxy), handler: recorder)
        #expect(try await recorder.result.body == Data(count: 4))
        #expect(challenges.values.map(\.previousFailures) == [0, 1])
        let challenge = try await challenges.first()
        #expect(challenge.isProxy && challenge.realm == "tunnels" && challenge.urlScheme == "https")
        #expect(challenge.response.status == 407)
        #expect(challenge.host == "127.0.0.1" && challenge.port == proxy.port)
    }

    @Test(arguments: [ChallengeDecision.goOnWithout, .cancel])
    func `a tunnel does not open without its proxy's password`(decision: ChallengeDecision) async throws {
        let proxy = try TunnelProxy(authorization: "Basic dTpw")
        let recorder = TransferRecorder(onChallenge: { $1(decision) })
        transport.start(request(proxy), handler: recorder)
        switch await recorder.error {
        case .cannotConnect where decision == .goOnWithout: break
        case .authenticationCancelled where decision == .cancel: break
        case let other: Issue.record("\(String(describing: other))")
        }
        #expect(recorder.events == ["challenge tunnels", "finish"])
    }

    @Test func `a tunnel does not open through a proxy that cannot prove who it is`() async throws {
        let other = TransportProxy.server(ProxyServer(.https, host: "127.0.0.1", port: server.port))
        guard case .tls = await transport.failure(server.url, { $0.proxy = other }) else {
            Issue.record("not verified")
            return
        }
    }
}
