#if Server
    import AlcedoHTTPServer
    import AlcedoTestSupport
    import Foundation
    import Testing

    /// Where a request ends (RFC 9112, 6): a proxy in front must not see the end somewhere else.
    @Suite(.timeLimit(.minutes(10)))
    struct `Framing of requests` {
        private func responses(to headers: String, pieces: Bool = false) async throws -> (
            status: Int, hasMore: Bool
        ) {
            try await withServer { server in
                try await offPool {
                    let client = try RawClient(server.address)
                    let head = "GET / HTTP/1.1\r\nHost: a\r\n\(headers)\r\n\r\n"
                    let hidden = "helloGET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"
                    if pieces {
                        try client.send("GET / HTTP/1.1\r\n")
                        // Its response shows that the server has read what was sent before.
                        let other = try RawClient(server.address)
                        try other.get("/")
                        _ = try other.reply()
                        try client.send("Host: a\r\n\(headers)\r\n\r\n")
                    } else {
                        try client.send(head + hidden)
                    }
                    let status = try client.reply().status
                    #expect(client.waitForEnd())
                    return (status, client.hasMore)
                }
            }
        }

        @Test(arguments: [
            "Content-Length: +5", "Content-Length: -1", "Content-Length: 0x5", "Content-Length: 5, 5",
            "Content-Length: 5,5", "Content-Length:", "Content-Length: 5 5", "Content-Length: 5.0",
            "Content-Length: +5\r\nContent-Length: 5", "Content-Length: 5\r\nContent-Length: +5",
            "Content-Length: 5\r\nContent-Length: 5", "Content-Length: 5\r\nContent-Length: 6",
            "content-length: +5", "Content-Length: 5\r\n x",
            "Content-Length: 5\r\nTransfer-Encoding: chunked",
            "Content-Length: +5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\n x",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "Transfer-Encoding : chunked",
        ])
        func `malformed framing gets 400 once, and the connection is closed`(headers: String) async throws {
            let (status, hasMore) = try await responses(to: headers)
            #expect(status == 400 && !hasMore)
        }

        @Test(arguments: [
            "Content-Length: 5", "Content-Length: 99999999999999999999999", "Transfer-Encoding: xchunked",
            "Transfer-Encoding: chunked, identity", "Transfer-Encoding: identity",
            "Transfer-Encoding: \u{B}chunked",
        ])
        func `a body gets 413 once, and the connection is closed`(headers: String) async throws {
            let (status, hasMore) = try await responses(to: headers)
            #expect(status == 413 && !hasMore)
        }

        @Test func `a malformed length that comes in pieces gets 400 once`() async throws {
            let (status, hasMore) = try await responses(to: "Content-Length: +5", pieces: true)
            #expect(status == 400 && !hasMore)
        }

        @Test func `a malformed length harms no other request, nor the one before it`() async throws {
            try await withServer({ $0.threads = 1 }) { server in
                let (before, other) = try await offPool {
                    let other = try RawClient(server.address)
                    try other.send("GET /other HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n")
                    let client = try RawClient(server.address)
                    try client.get("/before")
                    try client.get("/", headers: "Content-Length: +5\r\n")
                    let before = try client.reply().body
                    #expect(try client.reply().status == 400)
                    #expect(client.waitForEnd() && !client.hasMore)
                    try other.send("\r\n")
                    return (before, try other.reply().body)
                }
                #expect(before == "/before" && other == "/other")
            }
        }
    }
#endif
