import AlcedoTestSupport
import Glibc
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `A reply` {
    let server: LoopbackServer
    let gate = Gate()
    let letters = Array("abcdefghij".utf8)

    init() throws { server = try LoopbackServer() }

    /// Asks for `reply` on a new connection.
    func ask(_ reply: Reply) throws -> RawClient {
        server.serve("/a", reply)
        let client = try RawClient(port: server.port)
        try client.request("/a")
        return client
    }

    func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func `a reply can be held before its head`() async throws {
        let client = try ask(Reply(body: letters).hold(.head, until: gate))
        await gate.waitForArrivals(1)
        #expect(!client.hasBytes)
        gate.open()
        #expect(try client.readResponse().body == letters)
    }

    @Test func `a reply can be held before its body`() async throws {
        let client = try ask(Reply(body: letters).hold(.body, until: gate))
        #expect(try client.readHead().contains("Content-Length: 10"))
        await gate.waitForArrivals(1)
        #expect(!client.hasBytes)
        gate.open()
        #expect(try client.read(10) == letters)
    }

    @Test func `a reply can be held in its body, more than once`() async throws {
        let later = Gate()
        let client = try ask(Reply(body: letters).hold(.byte(7), until: later).hold(.byte(3), until: gate))
        _ = try client.readHead()
        #expect(text(try client.read(3)) == "abc")
        await gate.waitForArrivals(1)
        #expect(!client.hasBytes)
        gate.open()
        #expect(text(try client.read(4)) == "defg")
        await later.waitForArrivals(1)
        #expect(!client.hasBytes)
        later.open()
        #expect(text(try client.read(3)) == "hij")
    }

    @Test func `a reply can drip by the gate's steps`() async throws {
        let client = try ask(Reply(body: letters).drip(4, per: gate))
        _ = try client.readHead()
        for (step, piece) in ["abcd", "efgh", "ij"].enumerated() {
            await gate.waitForArrivals(step + 1)
            #expect(!client.hasBytes)
            gate.admit()
            #expect(text(try client.read(piece.count)) == piece)
        }
    }

    @Test func `a reply can drip by time`() throws {
        let time = try ContinuousClock().measure {
            let client = try ask(Reply(body: letters).drip(2, every: .milliseconds(5)))
            let body = try client.readResponse().body
            #expect(body == letters)
        }
        #expect(time >= .milliseconds(20))
    }

    @Test func `a reply can be late`() throws {
        let time = try ContinuousClock().measure {
            let client = try ask(Reply(body: letters).delay(by: .milliseconds(20)))
            let body = try client.readResponse().body
            #expect(body == letters)
        }
        #expect(time >= .milliseconds(20))
    }

    @Test func `a reply can break off in order`() throws {
        let client = try ask(Reply(body: letters).cut(after: 4))
        #expect(try client.readHead().contains("Content-Length: 10"))
        #expect(text(try client.readToEnd()) == "abcd")
    }

    @Test func `a reply can break off with a reset`() throws {
        let client = try ask(Reply(body: letters).cut(after: 4, .reset))
        #expect(throws: RawClient.Failure.system(ECONNRESET)) { try client.readToEnd() }
    }

    @Test func `a reply can be held before it breaks off`() async throws {
        let client = try ask(Reply(body: letters).cut(after: 4, .reset).hold(.byte(4), until: gate))
        _ = try client.readHead()
        #expect(text(try client.read(4)) == "abcd")
        await gate.waitForArrivals(1)
        gate.open()
        #expect(throws: RawClient.Failure.system(ECONNRESET)) { try client.read(1) }
    }

    @Test func `a reply can come in chunks`() throws {
        let client = try ask(Reply(body: letters).chunked(4))
        let head = try client.readHead()
        #expect(head.contains("Transfer-Encoding: chunked"))
        #expect(!head.contains("Content-Length"))
        let framed = "4\r\nabcd\r\n4\r\nefgh\r\n2\r\nij\r\n0\r\n\r\n"
        #expect(text(try client.read(framed.utf8.count)) == framed)
    }

    @Test(arguments: [(6, "4\r\nabcd\r\n4\r\nef"), (4, "4\r\nabcd\r\n"), (0, "")])
    func `a reply can break off in chunks`(_ cut: Int, _ expected: String) throws {
        let client = try ask(Reply(body: letters).chunked(4).cut(after: cut))
        _ = try client.readHead()
        #expect(text(try client.readToEnd()) == expected)
    }

    @Test func `a reply can be held before the mark that ends its chunks`() async throws {
        let client = try ask(Reply(body: [65]).chunked().hold(.byte(1), until: gate))
        _ = try client.readHead()
        #expect(text(try client.read(6)) == "1\r\nA\r\n")
        await gate.waitForArrivals(1)
        #expect(!client.hasBytes)
        gate.open()
        #expect(text(try client.read(5)) == "0\r\n\r\n")
    }

    @Test(arguments: ["11", "9", "-1", "99999999999999999999", "9223372036854775807", "many"])
    func `a reply can lie about its length`(_ claim: String) throws {
        let client = try ask(Reply(body: letters).claimingLength(claim))
        #expect(try client.readHead().contains("\r\nContent-Length: \(claim)\r\n"))
        #expect(try client.readToEnd() == letters)
    }

    @Test func `a reply can end with the connection instead of a length`() throws {
        let client = try ask(Reply(body: letters).withoutLength())
        #expect(!(try client.readHead()).contains("Content-Length"))
        #expect(try client.readToEnd() == letters)
    }

    @Test func `a reply can be any bytes`() throws {
        #expect(text(try ask(.raw("HTP\n\n\u{0}")).readToEnd()) == "HTP\n\n\u{0}")
        #expect(try ask(.raw([255, 13])).readToEnd() == [255, 13])
        #expect(text(try ask(Reply.raw("HTTP/1.1 200 OK").cut(after: 6)).readToEnd()) == "HTTP/1")
    }

    @Test func `a reply can be no bytes at all`() throws {
        #expect(try ask(.nothing()).readToEnd().isEmpty)
        #expect(throws: RawClient.Failure.system(ECONNRESET)) { try ask(.nothing(.reset)).readToEnd() }
    }

    @Test func `a reply can close the connection, announced or not`() throws {
        let announced = try ask(Reply(body: letters).then(.close))
        #expect(try announced.readResponse().head.contains("Connection: close"))
        #expect(try announced.readToEnd().isEmpty)
        let silent = try ask(Reply(body: letters).then(.closeUnannounced))
        #expect(!(try silent.readResponse()).head.contains("Connection"))
        #expect(try silent.readToEnd().isEmpty)
    }

    @Test func `a reply that the client gives up on is counted, and passes no gate`() async throws {
        var client: RawClient? = try ask(Reply(body: letters).hold(.byte(3), until: gate))
        #expect(try client?.readHead() != nil)
        await gate.waitForArrivals(1)
        client = nil
        await server.waitForAbandonedReplies(1)
        #expect(server.traffic.inProgress == 0)
        #expect(server.traffic.repliesFinished == 0)
        gate.admit()
        let next = try ask(Reply(body: letters).hold(.byte(3), until: gate))
        #expect(try next.readResponse().body == letters)
    }

    @Test func `a reply is counted byte by byte`() async throws {
        let client = try ask(Reply(body: letters).hold(.byte(3), until: gate))
        let head = try client.readHead()
        await server.waitForBytes(head.utf8.count + 3)
        #expect(server.traffic.bytesSent == head.utf8.count + 3)
        gate.open()
        _ = try client.read(10)
        await server.waitForReplies(1)
        #expect(server.traffic.bytesSent == head.utf8.count + 10)
        server.forgetTraffic()
        #expect(server.traffic.bytesSent == 0)
        #expect(server.requestCount() == 0)
    }
}
