import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `Redirects` {
    let transport = CurlTransport()
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        countDown()
    }

    /// Redirects `/n` to `/n-1`, with this body, and is content with `/0`.
    private func countDown(body: String = "elsewhere") {
        server.serve("/0", .text("arrived"))
        for left in 1...5 {
            server.serve("/\(left)", .text(body, status: 302, headers: [("Location", "\(left - 1)")]))
        }
    }

    @Test func `redirects are followed over the same connection`() async throws {
        let recorder = TransferRecorder()
        transport.start(.patient(server.address("/2")), handler: recorder)
        let result = try await recorder.result
        #expect(result.text == "arrived")
        #expect(result.response.url.absoluteString == server.address("/0"))
        #expect(result.metrics.redirectCount == 2)
        let redirects = ["/1", "/0"].map { "redirect \(server.address($0))" }
        #expect(recorder.events == redirects + ["response 200", "chunk", "finish"])
        #expect(server.traffic.connectionsAccepted == 1)
    }

    @Test func `redirects are followed up to the limit of the request`() async throws {
        #expect(
            try await transport.load(server.address("/3")) { $0.maximumRedirects = 3 }.text == "arrived")
        #expect(
            await transport.failure(server.address("/4")) { $0.maximumRedirects = 3 }
                == .tooManyRedirects(limit: 3, url: server.address("/1")))
    }

    @Test(arguments: [true, false])
    func `redirects with a huge body are followed over another connection`(isAnnounced: Bool) async throws {
        let reply = Reply(
            status: 302, body: [UInt8](repeating: 7, count: 30_000_000), headers: [("Location", "/0")])
        server.serve("/", isAnnounced ? reply : reply.withoutLength())
        let result = try await transport.load(server.address("/"))
        #expect(result.text == "arrived")
        #expect(result.metrics.redirectCount == 1)
        #expect(server.traffic.connectionsAccepted == 2)
        await server.waitForAbandonedReplies(1)
    }

    @Test(arguments: [0, 1, 300_000])
    func `redirects may be followed after a late decision of the handler`(bodySize: Int) async throws {
        countDown(body: String(repeating: "x", count: bodySize))
        let pending = Recorder<@Sendable () -> Void>()
        let recorder = TransferRecorder(onRedirect: { request, decide in pending.append { decide(request) } })
        transport.start(.patient(server.address("/1")), handler: recorder)
        let decide = try await pending.first()
        #expect(server.requestCount() == 1)
        decide()
        #expect(try await recorder.result.text == "arrived")
    }

    @Test(arguments: [true, false])
    func `redirects rejected by the handler, now or later, are the response`(isImmediate: Bool) async throws {
        let pending = Recorder<@Sendable () -> Void>()
        let recorder = TransferRecorder(onRedirect: { _, decide in
            if isImmediate { decide(nil) } else { pending.append { decide(nil) } }
        })
        transport.start(.patient(server.address("/1")), handler: recorder)
        if !isImmediate { try await pending.first()() }
        let result = try await recorder.result
        #expect(result.response.status == 302)
        #expect(result.response.url.absoluteString == server.address("/1"))
        #expect(result.text == "elsewhere")
        #expect(recorder.events.suffix(3) == ["response 302", "chunk", "finish"])
    }

    @Test func `redirects may be changed by the handler`() async throws {
        server.serve("/", .redirect(to: "/a", status: 307))
        server.route("/b") { .text("b\($0.header("X-More") ?? "")") }
        let target = URL(text: server.address("/b"))
        let recorder = TransferRecorder(onRedirect: { request, decide in
            var request = request
            request.url = target
            request.headers.append(("X-More", "!"))
            decide(request)
        })
        transport.start(.patient(server.address("/")), handler: recorder)
        #expect(try await recorder.result.text == "b!")
    }

    @Test func `redirects cannot be changed to a scheme that is not allowed`() async throws {
        let recorder = TransferRecorder(onRedirect: { request, decide in
            var request = request
            request.url = URL(filePath: "/etc/hostname")
            decide(request)
        })
        transport.start(.patient(server.address("/1")), handler: recorder)
        guard case .unsupportedScheme = await recorder.error else {
            Issue.record("\(String(describing: await recorder.outcome))")
            return
        }
    }

    @Test func `redirects to another origin take no secrets along`() async throws {
        let target = try LoopbackServer()
        target.serve("/x", .text("arrived"))
        server.serve("/", .redirect(to: target.address("/x")))
        let result = try await transport.load(server.address("/")) {
            $0.headers = [("Authorization", "Bearer secret"), ("Cookie", "secret"), ("Accept", "image/*")]
        }
        #expect(result.text == "arrived")
        #expect(server.requests().first?.text.contains("secret") == true)
        let head = try #require(target.requests().first).text
        #expect(!head.contains("secret"))
        #expect(head.contains("Accept: image/*"))
    }

    @Test func `redirects in a circle end at the limit`() async throws {
        server.serve("/", .redirect(to: "/"))
        let url = server.address("/")
        #expect(await transport.failure(url) == .tooManyRedirects(limit: 10, url: url))
        #expect(server.requestCount() == 11)
    }

    @Test(arguments: [
        ("../0", "/0"), ("/a/./b/../c?d#e", "/a/c?d"), ("//127.0.0.1:PORT/0", "/0"), ("?x", "/1/2?x"),
        ("caf\u{E9}", "/1/caf%c3%a9"), ("a b", "/1/a%20b"), ("/" + String(repeating: "x", count: 8000), nil),
    ])
    func `redirects go where the Location says`(location: String, target: String?) async throws {
        let port = server.address("/").split(separator: ":").last?.dropLast() ?? ""
        let place = location.replacing("PORT", with: port)
        let head = "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: \(place)\r\n\r\n"
        // One byte for each character: Latin-1.
        server.serve("/1/2", .raw(head.unicodeScalars.map { UInt8($0.value) }), .text("again"))
        _ = try await transport.load(server.address("/1/2"))
        #expect(server.requests().last?.target == target ?? location)
        #expect(server.requestCount() == 2)
    }

    @Test func `redirects with an empty Location are the response`() async throws {
        server.serve("/", .redirect(to: ""))
        #expect(try await transport.load(server.address("/")).response.status == 302)
        #expect(server.requestCount() == 1)
    }

    @Test(.enabled(if: TestCertificate.isAvailable))
    func `redirects do not leave HTTPS, and do not connect to where they lead`() async throws {
        let folder = try TemporaryDirectory()
        let certificate = try await TestCertificate(in: folder)
        let location = server.address("/0")
        let secure = try TLSServer(certificate) { connection, _ in
            connection.read()
            connection.write("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: \(location)\r\n\r\n")
            connection.waitForEnd()
        }
        let error = await transport.failure(secure.url) { $0.certificateAuthorityFile = certificate.file }
        let reason = "it would downgrade https to http"
        #expect(error == .rejectedRedirect(to: location, reason: reason, url: secure.url))
        #expect(server.traffic.connectionsAccepted == 0)
    }

    @Test(arguments: [
        "file:///etc/hostname", "ftp://127.0.0.1/", "data:,x", "javascript:alert(1)", "//%00/x",
        "http://[::1/x",
    ])
    func `redirects to other schemes or invalid URLs are rejected`(target: String) async throws {
        server.serve("/", .redirect(to: target))
        let url = server.address("/")
        guard case .rejectedRedirect(to: target, _, url: url) = await transport.failure(url) else {
            Issue.record("not refused")
            return
        }
        #expect(server.requestCount() == 1)
    }

    @Test func `redirects with 303 turn a POST into a GET`() async throws {
        server.serve("/", .redirect(to: "/a", status: 303))
        server.route("/a") { .text("\($0.method) \($0.body.count)") }
        let result = try await transport.load(server.address("/")) {
            ($0.method, $0.body) = ("POST", Data("abc".utf8))
        }
        #expect(result.text == "GET 0")
    }

    @Test func `redirects can be cancelled between two hops`() async throws {
        let pending = Recorder<@Sendable () -> Void>()
        let recorder = TransferRecorder(onRedirect: { request, decide in pending.append { decide(request) } })
        let task = transport.start(.patient(server.address("/5")), handler: recorder)
        let decide = try await pending.first()
        task.cancel()
        decide()
        #expect(await recorder.error == .cancelled)
        #expect(server.requestCount() == 1)
    }
}
