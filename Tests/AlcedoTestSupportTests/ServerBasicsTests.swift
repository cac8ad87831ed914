import AlcedoTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `A loopback server` {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    func client() throws -> RawClient { try RawClient(port: server.port) }

    @Test func `a loopback server serves bytes with their length, type and headers`() throws {
        server.serve("/a", Array("hello".utf8), contentType: "text/plain", headers: [("ETag", "\"1\"")])
        let response = try client().get("/a")
        #expect(
            response.head
                == "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Type: text/plain\r\nETag: \"1\"\r\n\r\n"
        )
        #expect(response.body == Array("hello".utf8))
    }

    @Test func `a loopback server responds to many requests on one connection`() throws {
        server.serve("/a", [1, 2, 3])
        let client = try client()
        for _ in 0..<50 { #expect(try client.get("/a").body == [1, 2, 3]) }
        #expect(server.traffic.connectionsAccepted == 1)
        #expect(server.requests(path: "/a").map(\.indexOnConnection) == Array(0..<50))
    }

    @Test func `a loopback server responds to requests that came together, in order`() throws {
        server.serve("/a", [1])
        server.serve("/b", [2])
        let client = try client()
        try client.send("GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n")
        #expect(try client.readResponse().body == [1])
        #expect(try client.readResponse().body == [2])
    }

    @Test func `a loopback server takes a head that comes byte by byte`() throws {
        server.serve("/a", [1])
        let client = try client()
        for character in "GET /a HTTP/1.1\r\nHost: x\r\n\r\n" { try client.send(String(character)) }
        #expect(try client.readResponse().body == [1])
    }

    @Test func `a loopback server sends big bodies whole`() throws {
        let big = (UInt8.min...UInt8.max).flatMap { [UInt8](repeating: $0, count: 65_521) }
        server.serve("/big", big)
        #expect(try client().get("/big").body == big)
    }

    @Test func `a loopback server matches paths without their query, and has 404 for others`() throws {
        server.serve("/a", [1])
        #expect(try client().get("/a?size=2").body == [1])
        #expect(try client().get("/b").status == 404)
        #expect(server.requestCount(path: "/a") == 1)
        #expect(server.requests(path: "/a").first?.target == "/a?size=2")
    }

    @Test func `a loopback server records heads and bodies`() throws {
        server.serve("/a", .status(204))
        try client().request("/a", method: "PUT", headers: "X-One: 1\r\ncontent-length:  4\r\n")
        let client = try client()
        try client.send("POST /a HTTP/1.1\r\nAccept:  image/*\r\nContent-Length: 4\r\n\r\nbody")
        #expect(try client.readResponse().status == 204)
        let request = try #require(server.requests().last)
        #expect(request.method == "POST")
        #expect(request.header("accept") == "image/*")
        #expect(request.headers.map(\.name) == ["Accept", "Content-Length"])
        #expect(request.body == Array("body".utf8))
        #expect(server.requestCount() == 1, "the other request's body never came")
    }

    @Test func `a loopback server gives replies in turn and keeps the last one`() throws {
        server.serve("/a", .status(503), .status(429), Reply(body: [7]))
        let client = try client()
        #expect(try (0..<4).map { _ in try client.get("/a").status } == [503, 429, 200, 200])
    }

    @Test func `a loopback server asks a handler with the request`() throws {
        server.route("/a") { request in
            request.header("If-None-Match") == "\"1\"" ? .status(304) : Reply(body: [1])
        }
        let client = try client()
        #expect(try client.get("/a").body == [1])
        try client.request("/a", headers: "If-None-Match: \"1\"\r\n")
        let second = try client.readResponse()
        #expect(second.status == 304)
        #expect(!second.head.contains("Content-Length"))
        #expect(try client.get("/a").body == [1], "nothing follows a 304")
    }

    @Test func `a loopback server responds to HEAD without a body`() throws {
        server.serve("/a", [1, 2])
        let client = try client()
        try client.request("/a", method: "HEAD")
        #expect(try client.readHead().contains("Content-Length: 2"))
        #expect(try client.get("/a").body == [1, 2])
    }

    @Test func `a loopback server closes the connection when the client wants that`() throws {
        server.serve("/a", [1])
        let client = try client()
        try client.request("/a", headers: "Connection: close\r\n")
        #expect(try client.readToEnd().last == 1)
    }

    @Test func `a loopback server redirects`() throws {
        server.serve("/a", .redirect(to: "../b", status: 301))
        let head = try client().get("/a").head
        #expect(head.hasPrefix("HTTP/1.1 301 "))
        #expect(head.contains("\r\nLocation: ../b\r\n"))
    }

    @Test func `a loopback server ends the connection on garbage`() throws {
        let client = try client()
        try client.send("garbage\r\n\r\n")
        #expect(try client.readToEnd().isEmpty)
    }

    @Test func `a loopback server is at an address of its own`() throws {
        let other = try LoopbackServer()
        #expect(other.port != server.port)
        #expect(server.url("/a?b=1") == URL(string: "http://127.0.0.1:\(server.port)/a?b=1"))
    }

    @Test func `a loopback server closes everything when it stops, held replies too`() async throws {
        let gate = Gate()
        server.serve("/held", Reply(body: [1]).hold(.head, until: gate))
        let (idle, held) = (try client(), try client())
        try held.request("/held")
        await server.waitForRequests(1)
        await server.wait { $0.connectionsAccepted == 2 }
        server.stop()
        #expect(try idle.readToEnd().isEmpty)
        #expect(try held.readToEnd().isEmpty)
        #expect(server.traffic.connectionsClosed == 2)
        #expect(throws: RawClient.Failure.self) { try client() }
        gate.open()
        await server.waitForRequests(99)
        server.stop()
    }

    @Test func `a loopback server serves two thousand connections at once`() async throws {
        let gate = Gate()
        server.serve("/a", Reply(body: [1, 2, 3]).hold(.byte(1), until: gate))
        let clients = try (0..<2000).map { _ in try client() }
        for client in clients { try client.request("/a") }
        await gate.waitForArrivals(2000)
        #expect(server.traffic.inProgress == 2000)
        gate.open()
        for client in clients { #expect(try client.readResponse().body == [1, 2, 3]) }
        await server.waitForReplies(2000)
        #expect(server.traffic.mostInProgress == 2000)
        #expect(server.traffic.inProgress == 0)
    }
}
