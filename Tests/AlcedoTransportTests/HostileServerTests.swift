import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `Servers that misbehave` {
    let transport = CurlTransport()
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    private func failure(
        after response: String, _ configure: (inout TransportRequest) -> Void = { _ in }
    ) async -> TransportError? {
        server.serve("/", .raw(response))
        return await transport.failure(server.address("/"), configure)
    }

    @Test func `a body that is shorter than announced is incomplete`() async throws {
        let error = await failure(after: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
        guard case .incompleteBody(received: 3, expected: 10, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `chunks that end too soon are an incomplete body`() async throws {
        let error = await failure(
            after: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
        guard case .incompleteBody(received: 3, expected: nil, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `an announced length costs no memory and is not believed`() async throws {
        let huge = "HTTP/1.1 200 OK\r\nContent-Length: \(Int64.max)\r\n\r\nabc"
        guard case .tooLarge(limit: 256 << 20, _)? = await failure(after: huge) else {
            Issue.record("not refused")
            return
        }
        let error = await failure(after: huge) { $0.maximumBodyBytes = .max }
        guard case .incompleteBody(received: 3, expected: .max, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a Content-Length does not count beside chunks`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
        server.serve("/", .raw(head + "4\r\nbird\r\n0\r\n\r\n"))
        let result = try await transport.load(server.address("/"))
        #expect(result.text == "bird")
        #expect(result.response.expectedBytes == nil)
    }

    @Test func `a reset amid the body leaves it incomplete`() async throws {
        let gate = Gate()
        server.serve("/", Reply.letters(10).hold(.byte(3), until: gate).cut(after: 3, .reset))
        let recorder = TransferRecorder(onChunk: { _ in gate.open() })
        let url = server.address("/")
        transport.start(.patient(url), handler: recorder)
        #expect(await recorder.error == .incompleteBody(received: 3, expected: 10, url: url))
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n\(String(repeating: "A: \(String(repeating: "x", count: 1000))\r\n", count: 270))\r\n",
        "HTTP/1.1 200 OK\r\nA: \(String(repeating: "x", count: 200_000))\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n"
            + String(repeating: "A: \(String(repeating: "x", count: 1000))\r\n", count: 270) + "\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551616\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        "HTTP/1.1 200 OK\r\nContent-Length: 3, 4\r\n\r\nabcd",
        "HTTP/1.1 200 OK\r\n\(String(repeating: "a: b\r\n", count: 20_000))\r\nabc",
        "HTTP/1.1 200 OK\r\nA: b\0c\r\n\r\nabc",
        "HTTP/7.1 200 OK\r\n\r\nabc",
        "HTTP/1.1 abc\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\nabc",
        "SSH-2.0-OpenSSH_9.2\r\n",
        "<html>hello</html>",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 8\r\n\r\nnot gzip",
    ])
    func `a response that is not HTTP is malformed`(response: String) async throws {
        let error = await failure(after: response)
        guard case .malformedResponse = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: ["A: \(String(repeating: "x", count: 10_000_000))\r\n", "A: b\r\n", "A: \(pages)\r\n"])
    func `headers without end are read for less than a megabyte`(line: String) async throws {
        let lines = String(repeating: line, count: 10_000_000 / line.utf8.count)
        server.serve("/", .raw("HTTP/1.1 200 OK\r\n" + lines))
        let recorder = TransferRecorder()
        transport.start(.patient(server.address("/")), handler: recorder)
        guard case .malformedResponse = await recorder.error else {
            Issue.record("\(String(describing: await recorder.outcome))")
            return
        }
        #expect(recorder.metrics.first?.requests.last.map { $0.responseHeaderBytes < 1 << 20 } == true)
    }

    @Test(arguments: [
        ("bytes=0-3", "bytes 0-3/10"), ("bytes=2-", "bytes 2-5/*"), ("bytes=-4", "bytes 6-9/10"),
        ("bytes=0-0,9-9", nil),
    ])
    func `a 206 with the requested part is a result`(range: String, content: String?) async throws {
        let headers = content.map { [("Content-Range", $0)] } ?? []
        server.serve("/", .text("bird", status: 206, headers: headers))
        let result = try await transport.load(server.address("/")) { $0.headers = [("Range", range)] }
        #expect(result.text == "bird")
    }

    @Test(
        arguments: [
            (nil, "bytes 0-3/10"), ("bytes=0-3", nil), ("bytes=0-3", "bytes 1-4/10"),
            ("bytes=0-3", "bytes 0-9/10"),
            ("bytes=2-", "bytes 2-1/10"), ("bytes=-4", "bytes 6-9/9"), ("bytes=0-3", "lines 0-3/10"),
        ] as [(String?, String?)])
    func `a 206 with an unrequested part is malformed`(range: String?, content: String?) async throws {
        let headers = content.map { [("Content-Range", $0)] } ?? []
        server.serve("/", .text("bird", status: 206, headers: headers))
        let error = await transport.failure(server.address("/")) { request in
            request.headers = range.map { [("Range", $0)] } ?? []
        }
        guard case .malformedResponse = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\nX: y\n\nbird",
        "HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 4\r\nContent-Length: 4, 4\r\n\r\nbird",
        "HTTP/1.1 200\r\nX: y\r\n\r\nbird",
        "HTTP/1.0 200 OK\r\nX: y\r\n\r\nbird",
        "HTTP/1.1 200 OK\r\nX: y\r\nContent-Encoding: identity\r\n\r\nbird",
    ])
    func `small mistakes of a response are accepted`(response: String) async throws {
        server.serve("/", .raw(response))
        let result = try await transport.load(server.address("/"))
        #expect(result.text == "bird")
        #expect(result.response.value(forHeader: "x") == "y")
    }

    @Test func `a body larger than the limit is cut off, announced or not`() async throws {
        server.serve("/a", .letters(1001))
        server.serve("/b", Reply.letters(1001).withoutLength())
        for path in ["/a", "/b"] {
            let url = server.address(path)
            #expect(
                await transport.failure(url) { $0.maximumBodyBytes = 1000 }
                    == .tooLarge(limit: 1000, url: url))
            #expect(try await transport.load(url) { $0.maximumBodyBytes = 1001 }.body.count == 1001)
        }
    }

    @Test func `the limit of a body counts decoded bytes`() async throws {
        server.serve("/", .gzipped(hundredThousandZeros))
        let url = server.address("/")
        #expect(
            await transport.failure(url) { $0.maximumBodyBytes = 99_999 }
                == .tooLarge(limit: 99_999, url: url))
        #expect(try await transport.load(url) { $0.maximumBodyBytes = 100_000 }.body.count == 100_000)
    }

    @Test func `a closed port is an error that says that nothing could be connected`() async throws {
        let port = try ClosedPort()
        defer { withExtendedLifetime(port) {} }
        guard case .cannotConnect = await transport.failure("http://127.0.0.1:\(port.number)/") else {
            Issue.record("connected")
            return
        }
    }

    @Test func `a host that cannot exist is not found`() async throws {
        let host = String(repeating: "a", count: 64) + ".test"
        #expect(
            await transport.failure("http://\(host)/x") == .couldNotResolveHost(host, url: "http://\(host)/x")
        )
    }

    @Test(arguments: [
        "", "x", "/x", "http://", "mailto:a@b.test", "http://a b/", "http://127.0.0.1:99999/", "http://[::1/",
    ])
    func `a text that is no URL is rejected`(url: String) async {
        guard case .invalidURL(url, _) = await transport.failure(url) else {
            Issue.record("accepted")
            return
        }
    }

    @Test(arguments: ["ftp://127.0.0.1/x", "gopher://127.0.0.1/"])
    func `schemes other than http and https are rejected`(url: String) async {
        let scheme = String(url.prefix { $0 != ":" })
        #expect(await transport.failure(url) == .unsupportedScheme(scheme, url: url))
    }

    @Test(arguments: [
        ("X", "a\r\nEvil: 1"), ("X", "a\nb"), ("X\r\nEvil", "1"), ("", "1"), ("A:", "1"), ("X", "\0"),
    ])
    func `request headers that break the head are rejected`(name: String, value: String) async throws {
        let url = server.address("/")
        #expect(
            await transport.failure(url) { $0.headers = [(name, value)] }
                == .invalidHeader(name: name, url: url))
        #expect(server.requestCount() == 0)
    }
}

/// 100,000 zero bytes, gzipped.
private let hundredThousandZeros = """
    H4sIAAAAAAACA+3BMQEAAADCoPVPbQ0PoAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIBXA32VEdSghgEA
    """

/// A line that is not too long by itself.
private let pages = String(repeating: "x", count: 50_000)
