import AlcedoTransport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `Loading over HTTP` {
    let transport = CurlTransport()

    @Test func `a GET brings the status, the headers and the body`() async throws {
        let server = try LoopbackServer { $0.respond(headers: ["X-Kind: Heron", "x-kind: egret"], "a bird") }
        let result = try await transport.load(server.url + "/bird").get()
        #expect(result.text == "a bird")
        #expect(result.response.status == 200)
        #expect(result.response.httpVersion == "HTTP/1.1")
        #expect(result.response.url == server.url + "/bird")
        #expect(result.response.expectedBytes == 6)
        #expect(result.response.value(forHeader: "x-KIND") == "Heron")
        #expect(result.response.headers.map(\.name) == ["Content-Length", "X-Kind", "x-kind"])
        #expect(server.requests.first?.hasPrefix("GET /bird HTTP/1.1\r\n") == true)
    }

    @Test(arguments: [204, 304, 404, 500])
    func `every final status is a result`(status: Int) async throws {
        let server = try LoopbackServer { $0.respond("\(status) Whatever") }
        let result = try await transport.load(server.url).get()
        #expect(result.response.status == status)
        #expect(result.body.isEmpty)
    }

    @Test func `the handler hears everything once and in order`() async throws {
        let server = try LoopbackServer { exchange in
            exchange.send("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
            exchange.respond("200 OK", String(repeating: "x", count: 300_000))
        }
        let recorder = Recorder()
        transport.start(TransportRequest(url: server.url), handler: recorder)
        let body = try await recorder.result.body
        #expect(recorder.events == ["response 200", "chunk", "finish"])
        #expect(recorder.received == Array(body))
        #expect(body.count == 300_000)
    }

    @Test func `a connection is used again, and the metrics say so`() async throws {
        let server = try LoopbackServer { $0.respond("200 OK", "bird") }
        let first = try await transport.load(server.url).get().metrics
        let second = try await transport.load(server.url).get().metrics
        #expect(server.connectionCount == 1)
        #expect(!first.isConnectionReused)
        #expect(second.isConnectionReused)
        #expect(first.connect ?? 0 > 0)
        #expect(first.total >= first.firstByte ?? 100)
        #expect(second.connect == nil)
        #expect(second.tls == nil)
        #expect(second.bytesSent == Int64(server.requests[1].utf8.count))
        #expect(second.bytesReceived == Int64("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbird".utf8.count))
        #expect(abs(first.start.timeIntervalSinceNow) < 60)
    }

    @Test func `headers, a method and a body are sent as they are`() async throws {
        let server = try LoopbackServer { exchange in
            let type = exchange.header("Content-Type") ?? "none"
            exchange.respond("200 OK", "\(type) \(String(decoding: exchange.body, as: UTF8.self))")
        }
        let result = try await transport.load(server.url) {
            $0.method = "PUT"
            $0.body = Data("wings".utf8)
            $0.headers = [("X-Bird", "wren"), ("X-Empty", ""), ("User-Agent", "tests")]
        }.get()
        let head = try #require(server.requests.first)
        #expect(result.text == "none wings")
        #expect(head.hasPrefix("PUT / HTTP/1.1\r\n"))
        #expect(head.contains("\r\nX-Bird: wren\r\n"))
        #expect(head.contains("\r\nX-Empty:\r\n"))
        #expect(head.contains("\r\nUser-Agent: tests\r\n"))
        #expect(!head.lowercased().contains("expect:"))
    }

    @Test(arguments: ["POST", "DELETE"])
    func `a method without a body has none`(method: String) async throws {
        let server = try LoopbackServer { $0.respond("200 OK", "\($0.body.count)") }
        #expect(try await transport.load(server.url) { $0.method = method }.get().text == "0")
        #expect(server.requests.first?.hasPrefix(method) == true)
    }

    @Test func `a handle that sent a body forgets it`() async throws {
        let server = try LoopbackServer { $0.respond("200 OK", String($0.head.prefix(4))) }
        _ = await transport.load(server.url) { ($0.method, $0.body) = ("POST", Data("x".utf8)) }
        #expect(try await transport.load(server.url).get().text == "GET ")
    }

    @Test func `a HEAD announces a length and brings nothing`() async throws {
        let server = try LoopbackServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 5000000000\r\n\r\n") }
        let result = try await transport.load(server.url) { $0.method = "HEAD" }.get()
        #expect(result.response.expectedBytes == 5_000_000_000)
        #expect(result.body.isEmpty)
    }

    @Test func `a compressed body is decoded, and its length not taken for the body's`() async throws {
        let server = try LoopbackServer { $0.sendCompressed("H4sIAAAAAAACA8vOzEtPyyzOSC0CAI+DfWIKAAAA") }
        let result = try await transport.load(server.url).get()
        #expect(result.text == "kingfisher")
        #expect(result.response.expectedBytes == nil)
        #expect(server.requests.first?.contains("gzip") == true)
    }

    @Test func `a password is given to those who ask`() async throws {
        let server = try LoopbackServer { exchange in
            let isRight = exchange.header("Authorization") == "Basic dTpw"
            exchange.respond(
                isRight ? "200 OK" : "401 No", headers: ["WWW-Authenticate: Basic realm=\"x\""],
                isRight ? "in" : "out")
        }
        let recorder = Recorder()
        let request = TransportRequest(url: server.url) {
            $0.credential = TransportCredential(user: "u", password: "p")
        }
        transport.start(request, handler: recorder)
        #expect(try await recorder.result.text == "in")
        #expect(recorder.events == ["response 200", "chunk", "finish"])

        let refused = try await transport.load(server.url) {
            $0.credential = TransportCredential(user: "u", password: "wrong")
        }.get()
        #expect(refused.response.status == 401)
        #expect(refused.text == "out")
        #expect(try await transport.load(server.url).get().response.status == 401)
    }

    @Test func `a reused connection that has died is replaced without a word`() async throws {
        let server = try LoopbackServer { exchange in
            if exchange.number == 2 {
                exchange.close()
            } else {
                exchange.respond("200 OK", "\(exchange.number)")
            }
        }
        #expect(try await transport.load(server.url).get().text == "1")
        #expect(try await transport.load(server.url).get().text == "3")
        #expect(server.connectionCount == 2)
    }

    @Test func `a new connection that dies is not tried again`() async throws {
        let server = try LoopbackServer { $0.close() }
        guard case .connectionLost = await transport.failure(server.url) else {
            Issue.record("no connectionLost")
            return
        }
        #expect(server.requests.count == 1)
    }

    @Test func `several hosts and many requests get along`() async throws {
        let servers = try (0..<3).map { number in
            try LoopbackServer { $0.respond("200 OK", "\(number)\($0.path)") }
        }
        await withTaskGroup(of: Bool.self) { group in
            for index in 0..<300 {
                let url = servers[index % 3].url + "/\(index)"
                group.addTask { [transport] in
                    await (try? transport.load(url).get().text) == "\(index % 3)/\(index)"
                }
            }
            for await isRight in group { #expect(isRight) }
        }
        for server in servers { #expect(server.connectionCount <= 6) }
    }
}

extension LoopbackExchange {
    /// Sends bytes that were gzipped and written in base64.
    func sendCompressed(_ base64: String) {
        let bytes = Data(base64Encoded: base64) ?? Data()
        send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bytes.count)\r\n\r\n")
        send(Array(bytes))
    }
}
