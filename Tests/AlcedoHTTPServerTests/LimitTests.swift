#if Server
    import AlcedoHTTPServer
    import AlcedoTestSupport
    import AlcedoWaiting
    import Foundation
    import Testing

    @Suite(.timeLimit(.minutes(10))) struct `Limits of clients` {
        private func isServing(_ server: HTTPServer) async throws -> Bool {
            try await offPool {
                let client = try RawClient(server.address)
                try client.get("/fine")
                return try client.reply().body == "/fine"
            }
        }

        @Test func `a megabyte of headers is rejected`() async throws {
            try await withServer { server in
                let status = try await offPool {
                    let client = try RawClient(server.address)
                    let line = "X-Long: \(String(repeating: "a", count: 990))\r\n"
                    // Sending may fail once the server has closed the connection.
                    try? client.get("/", headers: String(repeating: line, count: 1024))
                    return (try? client.reply().status) ?? 0
                }
                #expect([0, 400, 413, 431].contains(status))
                let isServing = try await isServing(server)
                #expect(isServing)
            }
        }

        @Test func `a target of 8 KB is served, a megabyte is rejected`() async throws {
            try await withServer { server in
                let statuses = try await offPool {
                    try [8 << 10, 1 << 20].map { count in
                        let client = try RawClient(server.address)
                        try? client.get("/" + String(repeating: "a", count: count))
                        return (try? client.reply().status) ?? 0
                    }
                }
                #expect(statuses[0] == 200)
                #expect([0, 400, 414, 431].contains(statuses[1]))
            }
        }

        @Test func `a response with long headers is an empty 500, so that each request has one`() async throws
        {
            let ends = Recorder<HTTPEnd>()
            let sizes = [100, 4000, 5000, 5400, 5500, 8000, 16 << 10, 1 << 20]
            let server: HTTPServer.Handler = { request in
                let size = request.headers["X-Size"].flatMap { Int($0) } ?? 0
                let headers: HTTPHeaders = ["X-Long": String(repeating: "x", count: size)]
                return HTTPResponse(status: 200, headers: headers, body: Data("a".utf8)) { ends.append($0) }
            }
            try await withServer(handler: server) { server in
                let replies = try await offPool {
                    try sizes.flatMap { size in
                        try [0, 6000].map { count in
                            let client = try RawClient(server.address)
                            let own = "X-Own: \(String(repeating: "y", count: count))\r\n"
                            try client.get("/", headers: "X-Size: \(size)\r\n\(own)")
                            let reply = try client.reply()
                            return "\(reply.status) \(reply.body)"
                        }
                    }
                }
                let wanted = sizes.flatMap { size in
                    [String](
                        repeating: size + 10 <= HTTPServerLimits().responseHeaderBytes ? "200 a" : "500 ",
                        count: 2)
                }
                #expect(replies == wanted)
                let sent = await ends.waitFor(count: 2 * sizes.count)
                #expect(sent.count { $0 == .unsendable } == replies.count { $0 == "500 " })
                #expect(sent.count { $0 == .sent } == replies.count { $0 == "200 a" })
            }
        }

        @Test func `a connection with half a request is closed, silent or a byte at a time`() async throws {
            try await withServer {
                ($0.readTimeout, $0.keepAliveTimeout) = (1, 1)
            } _: { server in
                let ends = try await offPool {
                    let silent = try RawClient(server.address)
                    try? silent.send("GET / HTT")
                    let slow = try RawClient(server.address)
                    try? slow.send("GET / HTTP/1.1\r\nHost: a\r\nX: ")
                    let end = ContinuousClock.now + .seconds(300)
                    while !slow.hasEnded, ContinuousClock.now < end {
                        try? slow.send("a")
                        slow.receive(seconds: 0.1)
                    }
                    return [silent.waitForEnd(), slow.hasEnded]
                }
                #expect(ends == [true, true])
            }
        }

        @Test
        func `a connection whose client reads nothing is closed, and so is one whose client reads little`()
            async throws
        {
            let ends = Recorder<HTTPEnd>()
            try await withServer {
                $0.writeTimeout = 1
            } handler: { _ in
                HTTPResponse(status: 200, body: Data(count: 32 << 20)) { ends.append($0) }
            } _: { server in
                let silent = try await offPool {
                    let client = try RawClient(server.address, receiveBuffer: 4096)
                    try client.get("/")
                    return Kept(client)
                }
                let slow = try await offPool {
                    let client = try RawClient(server.address, receiveBuffer: 4096)
                    try client.get("/")
                    let end = ContinuousClock.now + .seconds(300)
                    // Some 8 KiB at a time, of 32 MiB.
                    while ends.count < 2, !client.hasEnded, ContinuousClock.now < end {
                        poll(nil, 0, 50)
                        client.receive(seconds: 0)
                    }
                    return Kept(client)
                }
                #expect(await ends.waitFor(count: 2) == [.aborted, .aborted])
                withExtendedLifetime((silent, slow)) {}
            }
        }

        @Test func `thousands of idle connections leave room for a request`() async throws {
            let count = 2000
            LoopbackServer.allowManyDescriptors()
            try await withServer {
                $0.connections = count + 10
            } _: { server in
                let clients = try await offPool {
                    Kept(try (0..<count).map { _ in try RawClient(server.address) })
                }
                let isServing = try await isServing(server)
                #expect(isServing)
                // One that a thread has accepted counts a moment later.
                while server.connections < count, !Task.isCancelled { await Task.yield() }
                #expect(server.connections >= count)
                withExtendedLifetime(clients) {}
            }
        }

        @Test
        func `a connection without requests is closed after the keep-alive time, or after one response at 0`()
            async throws
        {
            try await withServer {
                // A request may come late on a busy machine.
                $0.keepAliveTimeout = 5
            } _: { server in
                let hasEnded = try await offPool {
                    let client = try RawClient(server.address)
                    try client.get("/")
                    _ = try client.reply()
                    return client.waitForEnd()
                }
                #expect(hasEnded)
            }
            try await withServer {
                ($0.keepAliveTimeout, $0.readTimeout) = (0, 3600)
            } _: { server in
                let (reply, hasEnded) = try await offPool {
                    let client = try RawClient(server.address)
                    try client.get("/")
                    return (try client.reply(), client.waitForEnd())
                }
                #expect(reply.head.contains("Connection: close"))
                #expect(hasEnded)
            }
        }
    }

    /// Keeps something alive across threads.
    ///
    /// Safe because it is only released.
    private final class Kept<Value>: @unchecked Sendable {
        private let value: Value
        init(_ value: Value) { self.value = value }
    }
#endif
