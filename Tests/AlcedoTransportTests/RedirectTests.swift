import AlcedoTransport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `Redirects` {
    let transport = CurlTransport()

    /// Redirects `/n` to `/n-1`, and is content with `/0`.
    private func countdown(body: String = "elsewhere") throws -> LoopbackServer {
        try LoopbackServer { exchange in
            let left = Int(exchange.path.dropFirst()) ?? 0
            if left > 0 {
                exchange.respond("302 Found", headers: ["Location: \(left - 1)"], body)
            } else {
                exchange.respond("200 OK", "arrived")
            }
        }
    }

    @Test func `are followed over the same connection`() async throws {
        let server = try countdown()
        let recorder = Recorder()
        transport.start(TransportRequest(url: server.url + "/2"), handler: recorder)
        let result = try await recorder.result
        #expect(result.text == "arrived")
        #expect(result.response.url == server.url + "/0")
        #expect(result.metrics.redirectCount == 2)
        #expect(
            recorder.events
                == [
                    "redirect \(server.url)/1", "redirect \(server.url)/0", "response 200", "chunk", "finish",
                ])
        #expect(server.connectionCount == 1)
    }

    @Test func `have a limit`() async throws {
        let server = try countdown()
        let url = server.url
        #expect(try await transport.load(url + "/3") { $0.maximumRedirects = 3 }.get().text == "arrived")
        #expect(
            await transport.failure(url + "/4") { $0.maximumRedirects = 3 }
                == .tooManyRedirects(limit: 3, url: url + "/1"))
    }

    @Test(arguments: ["Content-Length: 3000000", "X-Length: none"])
    func `with a huge body are followed over another connection`(header: String) async throws {
        let server = try LoopbackServer { exchange in
            if exchange.path == "/arrived" { return exchange.respond("200 OK", "arrived") }
            exchange.send("HTTP/1.1 302 Found\r\nLocation: /arrived\r\n\(header)\r\n\r\n")
            // Ends when the client has had enough.
            for _ in 0..<1000 { exchange.send(String(repeating: "x", count: 30_000)) }
        }
        let result = try await transport.load(server.url) { $0.timeouts.total = 10 }.get()
        #expect(result.text == "arrived")
        #expect(result.metrics.redirectCount == 1)
        #expect(server.connectionCount == 2)
    }

    @Test func `may be followed later`() async throws {
        for body in ["", "x", String(repeating: "x", count: 300_000)] {
            let server = try countdown(body: body)
            let pending = Arrivals<@Sendable () -> Void>()
            let recorder = Recorder(onRedirect: { request, decide in pending.add { decide(request) } })
            transport.start(TransportRequest(url: server.url + "/1"), handler: recorder)
            let decide = await pending.next()
            #expect(server.requests.count == 1)
            decide()
            #expect(try await recorder.result.text == "arrived")
        }
    }

    @Test func `may be refused, now or later, and then are the response`() async throws {
        let server = try countdown()
        let pending = Arrivals<@Sendable () -> Void>()
        let handlers = [
            Recorder(onRedirect: { _, decide in decide(nil) }),
            Recorder(onRedirect: { _, decide in pending.add { decide(nil) } }),
        ]
        for recorder in handlers {
            transport.start(TransportRequest(url: server.url + "/1"), handler: recorder)
        }
        await pending.next()()
        for recorder in handlers {
            let result = try await recorder.result
            #expect(result.response.status == 302)
            #expect(result.response.url == server.url + "/1")
            #expect(result.text == "elsewhere")
            #expect(recorder.events.suffix(3) == ["response 302", "chunk", "finish"])
        }
    }

    @Test func `may be changed`() async throws {
        let server = try LoopbackServer { exchange in
            if exchange.path == "/" { return exchange.respond("307 Go", headers: ["Location: /a"]) }
            exchange.respond("200 OK", exchange.path + (exchange.header("X-More") ?? ""))
        }
        let url = server.url
        let recorder = Recorder(onRedirect: { request, decide in
            var request = request
            request.url = url + "/b"
            request.headers.append(("X-More", "!"))
            decide(request)
        })
        transport.start(TransportRequest(url: url), handler: recorder)
        #expect(try await recorder.result.text == "/b!")
    }

    @Test func `cannot be changed into what is not allowed`() async throws {
        let server = try countdown()
        let recorder = Recorder(onRedirect: { request, decide in
            var request = request
            request.url = "file:///etc/hostname"
            decide(request)
        })
        transport.start(TransportRequest(url: server.url + "/1"), handler: recorder)
        guard case .unsupportedScheme = await recorder.error else {
            Issue.record("\(await recorder.outcome)")
            return
        }
    }

    @Test func `to another origin take no secrets along`() async throws {
        let target = try LoopbackServer { $0.respond("200 OK", "arrived") }
        let url = target.url
        let server = try LoopbackServer { $0.respond("302 Found", headers: ["Location: \(url)/x"]) }
        let result = try await transport.load(server.url) {
            $0.headers = [("Authorization", "Bearer secret"), ("Cookie", "secret"), ("Accept", "image/*")]
        }.get()
        #expect(result.text == "arrived")
        #expect(server.requests.first?.contains("secret") == true)
        let head = try #require(target.requests.first)
        #expect(!head.contains("secret"))
        #expect(head.contains("Accept: image/*"))
    }

    @Test(arguments: ["file:///etc/hostname", "ftp://127.0.0.1/", "//%00/x"])
    func `to strange places are refused`(target: String) async throws {
        let server = try LoopbackServer { $0.respond("302 Found", headers: ["Location: \(target)"]) }
        guard case .refusedRedirect(to: target, _, url: server.url) = await transport.failure(server.url)
        else {
            Issue.record("not refused")
            return
        }
    }

    @Test func `turn a POST into a GET`() async throws {
        let server = try LoopbackServer { exchange in
            if exchange.path == "/" { return exchange.respond("303 See Other", headers: ["Location: /a"]) }
            exchange.respond("200 OK", "\(exchange.head.prefix(4))\(exchange.body.count)")
        }
        let result = try await transport.load(server.url) {
            ($0.method, $0.body) = ("POST", Data("abc".utf8))
        }.get()
        #expect(result.text == "GET 0")
    }

    @Test func `can be cancelled between two hops`() async throws {
        let server = try countdown()
        let tasks = Arrivals<any TransportTask>()
        let recorder = Recorder(onRedirect: { request, decide in
            Task {
                await tasks.next().cancel()
                decide(request)
            }
        })
        tasks.add(transport.start(TransportRequest(url: server.url + "/5"), handler: recorder))
        #expect(await recorder.error == .cancelled)
        #expect(server.requests.count == 1)
    }
}
