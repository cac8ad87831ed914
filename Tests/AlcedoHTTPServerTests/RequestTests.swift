#if Server
    import AlcedoHTTPServer
    import AlcedoTestSupport
    import AlcedoWaiting
    import Foundation
    import Testing

    @Suite(.timeLimit(.minutes(10)))
    struct `Requests` {
        @Test(arguments: [
            "/", "//a//b/", "/s/plain/http://a/%2e%2E/%2f..%20/x.png@webp", "/a/../b/./c", "/%zz/%/%4",
            "/a?b=%41&c+d#e",
            "/%00/%ff", "/:/a:b/;=&$", "/s/plain/local:///x",
        ])
        func `requests keep their target as it was sent`(target: String) async throws {
            try await withServer { server in
                let reply = try await offPool {
                    let client = try RawClient(server.address)
                    try client.get(target)
                    return try client.reply()
                }
                #expect(reply.status == 200)
                #expect(reply.body == target)
            }
        }

        @Test(arguments: [
            ("http://a.example/s/plain/http://b/c@png", "/s/plain/http://b/c@png"),
            ("HTTPS://a.example:8080/%2e?x", "/%2e?x"), ("http://a.example", "/"),
            ("http://a.example?x", "/?x"), ("http://", "/"), ("httpx://a/b", "httpx://a/b"), ("*", "*"),
        ])
        func `requests to a proxy's target get the response of its path`(target: String, path: String)
            async throws
        {
            try await withServer { server in
                let reply = try await offPool {
                    let client = try RawClient(server.address)
                    try client.get(target)
                    return try client.reply()
                }
                #expect(reply.body == path)
            }
        }

        @Test func `requests get their responses in order on one connection, pipelined or not`() async throws
        {
            try await withServer { server in
                let bodies = try await offPool {
                    let client = try RawClient(server.address)
                    for number in 0..<20 { try client.get("/\(number)") }
                    var bodies = try (0..<20).map { _ in try client.reply().body }
                    try client.get("/last")
                    bodies.append(try client.reply().body)
                    return bodies
                }
                #expect(bodies == (0..<20).map { "/\($0)" } + ["/last"])
            }
        }

        @Test func `requests tell the address of their client, unless it uses a Unix socket`() async throws {
            let folder = try TemporaryDirectory()
            let addresses = [
                ListenAddress.tcp(host: "127.0.0.1", port: 0), .tcp(host: nil, port: 0),
                .unix(path: folder.path + "/s"),
            ]
            var clients: [String] = []
            for address in addresses {
                let handler: HTTPServer.Handler = { HTTPResponse(status: 200, text: $0.client ?? "none") }
                let reply = try await withServer(at: address, handler: handler) { server in
                    try await offPool {
                        let client = try RawClient(server.address)
                        try client.get("/")
                        return try client.reply()
                    }
                }
                clients.append(reply.body)
            }
            #expect(clients == ["127.0.0.1", "127.0.0.1", "none"])
        }

        @Test func `requests with HEAD get the headers of GET and no body`() async throws {
            try await withServer { server in
                let (head, next) = try await offPool {
                    let client = try RawClient(server.address)
                    try client.get("/four", method: "HEAD")
                    let head = try client.reply(toHead: true)
                    try client.get("/next")
                    return (head, try client.reply())
                }
                #expect(head.head.contains("Content-Length: 5"))
                #expect(next.body == "/next")
            }
        }

        @Test func `requests reach the handler with method and headers`() async throws {
            let received = Recorder<HTTPRequest>()
            let handler: HTTPServer.Handler = { request in
                received.append(request)
                return HTTPResponse(status: 200, text: "")
            }
            try await withServer(handler: handler) { server in
                _ = try await offPool {
                    let client = try RawClient(server.address)
                    try client.get(
                        "/", method: "OPTIONS", headers: "accept: image/webp\r\nX-A: 1\r\nx-a: 2\r\n")
                    return try client.reply()
                }
                let request = try #require(received.values.first)
                #expect(request.method == "OPTIONS")
                #expect(request.headers["Accept"] == "image/webp")
                #expect(
                    request.headers.fields.filter { $0.name.lowercased() == "x-a" }.map(\.value) == [
                        "1", "2",
                    ])
            }
        }

        @Test(arguments: [
            "Content-Length: 3\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
        ])
        func `requests with a body are rejected, and the connection is closed`(rest: String) async throws {
            try await withServer { server in
                let (reply, hasEnded) = try await offPool {
                    let client = try RawClient(server.address)
                    try client.send("GET / HTTP/1.1\r\nHost: a\r\n\(rest)")
                    return (try client.reply(), client.waitForEnd())
                }
                #expect(reply.status == 413)
                #expect(hasEnded)
            }
        }

        /// A proxy in front may see the end of the request somewhere else, and what follows as the next request.
        @Test(arguments: [
            "Host: a\r\nContent-Length: 0\r\nContent-Length: 40", "Host: a\r\nContent-Length : 40",
            "Host: a\r\nHost: b",
        ])
        func `requests with ambiguous headers get one response, and the connection is closed`(
            headers: String
        ) async throws {
            try await withServer { server in
                let (reply, hasEnded) = try await offPool {
                    let client = try RawClient(server.address)
                    try client.send(
                        "GET / HTTP/1.1\r\n\(headers)\r\n\r\nGET /hidden HTTP/1.1\r\nHost: a\r\n\r\n")
                    return (try client.reply(), client.waitForEnd())
                }
                #expect(reply.status == 400)
                #expect(hasEnded)
            }
        }

        @Test(arguments: [
            ("HTTP/1.1", "X: y", 400), ("HTTP/1.1", "Host: a b", 400), ("HTTP/1.1", "Host: a/b", 400),
            ("HTTP/1.1", "Host: u@a", 400), ("HTTP/1.1", "Host: [::1]:80", 200), ("HTTP/1.1", "Host:", 200),
            ("HTTP/1.0", "X: y", 200), ("HTTP/1.0", "Host: a b", 400),
        ])
        func `requests need a host, as HTTP/1.1 does`(version: String, header: String, status: Int)
            async throws
        {
            try await withServer { server in
                let reply = try await offPool {
                    let client = try RawClient(server.address)
                    try client.send("GET / \(version)\r\n\(header)\r\n\r\n")
                    return try client.reply()
                }
                #expect(reply.status == status)
            }
        }

        @Test func `requests that are no HTTP get 400 or the end, and harm nobody`() async throws {
            try await withServer { server in
                let statuses = try await offPool {
                    let texts = [
                        "\r\n\r\nGARBAGE\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
                        "GET /\u{0} HTTP/1.1\r\nHost: a\r\n\r\n",
                        "GET / HTTP/1.1\r\n: x\r\n\r\n",
                        "GET / HTTP/1.1\r\nContent-Length: -1\r\nHost: a\r\n\r\n",
                        "\u{16}\u{3}\u{1}\u{2}",
                        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                    ]
                    return try texts.map { text in
                        let client = try RawClient(server.address)
                        try client.send(text)
                        return client.receive(seconds: 0.3) ? try client.reply().status : 0
                    }
                }
                #expect(statuses.allSatisfy { [0, 200, 400, 413, 505].contains($0) }, "\(statuses)")
                let reply = try await offPool {
                    let client = try RawClient(server.address)
                    try client.get("/fine")
                    return try client.reply()
                }
                #expect(reply.body == "/fine")
            }
        }

        @Test func `requests come from a Unix socket too`() async throws {
            let folder = try TemporaryDirectory()
            let address = ListenAddress.unix(path: folder.file("socket").path)
            try await withServer(at: address) { server in
                let reply = try await offPool {
                    let client = try RawClient(server.address)
                    try client.get("/local")
                    return try client.reply()
                }
                #expect(reply.body == "/local")
            }
            // Its file is no obstacle to the next server.
            try await withServer(at: address) { server in #expect(server.address == address) }
        }
    }
#endif
