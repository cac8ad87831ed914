import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `Loading over HTTP` {
    let transport = CurlTransport()
    let server: LoopbackServer
    let url: String

    init() throws {
        server = try LoopbackServer()
        url = server.address("/")
    }

    @Test func `a GET brings the status, the headers and the body`() async throws {
        server.serve("/", .text("a bird", headers: [("X-Kind", "Heron"), ("x-kind", "egret")]))
        let result = try await transport.load(url)
        #expect(result.text == "a bird")
        #expect(result.response.status == 200)
        #expect(result.response.httpVersion == "HTTP/1.1")
        #expect(result.response.url.absoluteString == url)
        #expect(result.response.expectedBytes == 6)
        #expect(result.response.value(forHeader: "x-KIND") == "Heron")
        #expect(result.response.headers.map(\.name) == ["Content-Length", "X-Kind", "x-kind"])
        #expect(server.requests().first?.text.hasPrefix("GET / HTTP/1.1\r\n") == true)
    }

    @Test(arguments: [204, 304, 404, 500])
    func `every final status is a result`(status: Int) async throws {
        server.serve("/", .status(status))
        let result = try await transport.load(url)
        #expect(result.response.status == status)
        #expect(result.body.isEmpty)
    }

    @Test func `the handler hears everything once and in order`() async throws {
        let body = String(repeating: "x", count: 300_000)
        let hints = "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
        server.serve("/", .raw(hints + "HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + body))
        let recorder = TransferRecorder()
        transport.start(.patient(url), handler: recorder)
        #expect(try await recorder.result.text == body)
        #expect(recorder.events == ["response 200", "chunk", "finish"])
        #expect(recorder.received == Array(body.utf8))
    }

    @Test func `a connection is used again, and the metrics say so`() async throws {
        server.serve("/", .text("bird"))
        let beginning = Date()
        let first = try await transport.load(url).metrics
        let second = try await transport.load(url).metrics
        #expect(server.traffic.connectionsAccepted == 1)
        #expect(!first.isConnectionReused)
        #expect(second.isConnectionReused)
        #expect(first.connect ?? 0 > 0)
        #expect(first.total >= first.firstByte ?? .infinity)
        #expect(second.connect == nil)
        #expect(second.tls == nil)
        #expect(second.bytesSent == server.requests().last.map { Int64($0.head.count) })
        #expect(second.bytesReceived == Int64("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbird".utf8.count))
        #expect(beginning <= first.start && first.start <= second.start)
    }

    @Test func `headers, a method and a body are sent as they are`() async throws {
        server.route("/") { request in
            let body = String(decoding: request.body, as: UTF8.self)
            return .text("\(request.header("Content-Type") ?? "none") \(body)")
        }
        let result = try await transport.load(url) {
            $0.method = "PUT"
            $0.body = Data("wings".utf8)
            $0.headers = [("X-Bird", "wren"), ("X-Empty", ""), ("User-Agent", "tests")]
        }
        let head = try #require(server.requests().first).text
        #expect(result.text == "none wings")
        #expect(head.hasPrefix("PUT / HTTP/1.1\r\n"))
        #expect(head.contains("\r\nX-Bird: wren\r\n"))
        #expect(head.contains("\r\nX-Empty:\r\n"))
        #expect(head.contains("\r\nUser-Agent: tests\r\n"))
        #expect(!head.lowercased().contains("expect:"))
    }

    @Test(arguments: ["POST", "DELETE"])
    func `a POST or DELETE without a body sends none`(method: String) async throws {
        server.route("/") { .text("\($0.method) \($0.body.count)") }
        #expect(try await transport.load(url) { $0.method = method }.text == "\(method) 0")
    }

    @Test func `a handle that sent a body forgets it`() async throws {
        server.route("/") { .text("\($0.method) \($0.body.count)") }
        let first = try await transport.load(url) { ($0.method, $0.body) = ("POST", Data("x".utf8)) }
        #expect(first.text == "POST 1")
        #expect(try await transport.load(url).text == "GET 0")
    }

    @Test func `a HEAD announces a length and brings nothing`() async throws {
        server.serve("/", Reply().claimingLength("5000000000"))
        let result = try await transport.load(url) { $0.method = "HEAD" }
        #expect(result.response.expectedBytes == 5_000_000_000)
        #expect(result.body.isEmpty)
    }

    @Test func `a compressed body is decoded, and its length not taken for the body's`() async throws {
        server.serve("/", .gzipped("H4sIAAAAAAACA8vOzEtPyyzOSC0CAI+DfWIKAAAA"))
        let result = try await transport.load(url)
        #expect(result.text == "kingfisher")
        #expect(result.response.expectedBytes == nil)
        #expect(server.requests().first?.header("Accept-Encoding")?.contains("gzip") == true)
    }

    @Test func `a password is sent to a server that asks for one`() async throws {
        server.route("/") { request in
            let isRight = request.header("Authorization") == "Basic dTpw"
            return .text(
                isRight ? "in" : "out", status: isRight ? 200 : 401,
                headers: [("WWW-Authenticate", "Basic realm=\"x\"")])
        }
        let recorder = TransferRecorder()
        let request = TransportRequest.patient(url) {
            $0.credential = TransportCredential(user: "u", password: "p")
        }
        transport.start(request, handler: recorder)
        #expect(try await recorder.result.text == "in")
        #expect(recorder.events == ["response 200", "chunk", "finish"])

        let refused = try await transport.load(url) {
            $0.credential = TransportCredential(user: "u", password: "wrong")
        }
        #expect(refused.response.status == 401)
        #expect(refused.text == "out")
        #expect(try await transport.load(url).response.status == 401)
    }

    @Test func `a reused connection that has died is replaced without a word`() async throws {
        server.serve("/", .text("1"), .nothing(), .text("3"))
        #expect(try await transport.load(url).text == "1")
        #expect(try await transport.load(url).text == "3")
        #expect(server.traffic.connectionsAccepted == 2)
    }

    @Test func `a new connection that dies is not tried again`() async throws {
        server.serve("/", .nothing())
        guard case .connectionLost = await transport.failure(url) else {
            Issue.record("no connectionLost")
            return
        }
        #expect(server.requestCount() == 1)
    }

    @Test func `many requests to several hosts each get their own response`() async throws {
        let servers = try (0..<3).map { _ in try LoopbackServer() }
        for (number, server) in servers.enumerated() { server.route("/") { .text("\(number)\($0.target)") } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<300 {
                let url = servers[index % 3].address("/?\(index)")
                group.addTask { [transport] in
                    let text = try await transport.load(url).text
                    #expect(text == "\(index % 3)/?\(index)")
                }
            }
            try await group.waitForAll()
        }
        for server in servers { #expect(server.traffic.connectionsAccepted <= 6) }
    }
}
