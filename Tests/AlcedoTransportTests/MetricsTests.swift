import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `Metrics of requests` {
    let transport = CurlTransport()
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    @Test func `metrics list each request, with redirects and authentication`() async throws {
        server.route("/") { request in
            request.header("Authorization") == nil
                ? .text("out", status: 401, headers: [("WWW-Authenticate", "Basic realm=\"x\"")])
                : .redirect(to: "/in")
        }
        server.serve("/in", .text("birds"))
        let recorder = TransferRecorder(onChallenge: {
            $1(.use(TransportCredential(user: "u", password: "p")))
        })
        transport.start(.patient(server.address("/")), handler: recorder)
        let metrics = try await recorder.result.metrics
        let requests = metrics.requests
        #expect(requests.map(\.status) == [401, 302, 200])
        #expect(requests.map(\.url.absoluteString) == ["/", "/", "/in"].map(server.address))
        #expect(requests.map(\.httpVersion) == Array(repeating: "HTTP/1.1", count: 3))
        #expect(requests.map(\.isConnectionReused) == [false, true, true])
        #expect(requests.map(\.responseBodyBytes) == [3, 0, 5])
        #expect(requests.map(\.requestHeaderBytes) == server.requests().map { Int64($0.head.count) })
        #expect(requests.allSatisfy { $0.remoteAddress == "127.0.0.1" && $0.localAddress == "127.0.0.1" })
        #expect(requests.allSatisfy { $0.remotePort == Int(server.port) })
        #expect(Set(requests.map(\.localPort)).count == 1)
        #expect(requests.allSatisfy { $0.tlsVersion == nil && $0.tls == nil })
        #expect(metrics.redirectCount == 1)
        #expect(zip(requests, requests.dropFirst()).allSatisfy { $0.start <= $1.start })
        #expect(recorder.metrics.map { $0.requests } == [requests])
    }

    @Test func `the phases in the metrics of a request follow each other`() async throws {
        server.serve("/", .text("birds"))
        let metrics = try await transport.load(server.address("/")) {
            ($0.method, $0.body) = ("POST", Data("eggs".utf8))
        }.metrics
        let request = try #require(metrics.requests.first)
        let connect = try #require(request.connect)
        let sending = try #require(request.request)
        let receiving = try #require(request.response)
        #expect(connect.start <= connect.end && connect.end <= sending.start)
        #expect(sending.end <= receiving.start && receiving.end <= request.duration)
        #expect(request.method == "POST")
        #expect(request.requestBodyBytes == 4)
        #expect(request.requestHeaderBytes == server.requests().first.map { Int64($0.head.count) })
        #expect(metrics.bytesSent == request.requestHeaderBytes + 4)
        #expect(request.responseHeaderBytes + request.responseBodyBytes == metrics.bytesReceived)
    }

    @Test func `metrics come with a failed request too, but not with an invalid URL`() async throws {
        let port = try ClosedPort()
        defer { withExtendedLifetime(port) {} }
        let refused = TransferRecorder()
        transport.start(.patient("http://127.0.0.1:\(port.number)/"), handler: refused)
        _ = await refused.outcome
        let request = try #require(refused.metrics.first?.requests.first)
        #expect(request.status == 0 && request.request == nil && request.response == nil)

        let invalid = TransferRecorder()
        transport.start(.patient("http://"), handler: invalid)
        _ = await invalid.outcome
        #expect(invalid.metrics.isEmpty)
    }

    @Test(.enabled(if: SecureServer.isAvailable))
    func `metrics say how a connection is secured`() async throws {
        let secure = try await SecureServer(files: ["small": 4])
        for isReused in [false, true] {
            let metrics = try await transport.load(secure.url + "/small") { $0.verifiesServer = false }
                .metrics
            let request = try #require(metrics.requests.first)
            #expect(request.tlsVersion == "TLSv1.3")
            #expect(request.httpVersion == "HTTP/2")
            #expect(request.isConnectionReused == isReused)
            #expect((request.tls == nil) == isReused)
        }
    }
}
