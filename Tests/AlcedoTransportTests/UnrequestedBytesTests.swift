import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `Bytes that no request has asked for` {
    private static let second = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"

    let transport = CurlTransport()
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    @Test(arguments: [
        Reply.text("bird"), .text("bird").chunked(2), .status(204), .status(304),
        .text("gone", status: 404),
    ])
    func `unrequested bytes are never the next response`(reply: Reply) async throws {
        for round in 1...20 {
            let gate = Gate()
            server.serve("/first", reply.followed(by: Self.second, after: gate))
            server.serve("/next", .text("next"))
            _ = try await transport.load(server.address("/first"))
            gate.open()
            await server.waitForReplies(2 * round - 1)
            try #require(await transport.load(server.address("/next")).text == "next", "round \(round)")
        }
    }

    @Test func `unrequested bytes end the connection that they came on, and no other`() async throws {
        let (first, gate) = (Gate(), Gate())
        server.serve("/held", .text("held").hold(.head, until: first))
        let late = "HTTP/1.1 408 Too late\r\n\r\n"
        server.serve("/", .text("bird").followed(by: late, after: gate), .text("owl"))
        let held = TransferRecorder()
        transport.start(.patient(server.address("/held")), handler: held)
        await server.waitForRequests(1)
        _ = try await transport.load(server.address("/"))
        first.open()
        _ = try await held.result
        gate.open()
        await server.waitForReplies(2)
        for _ in 0..<3 { #expect(try await transport.load(server.address("/")).text == "owl") }
        #expect(server.traffic.connectionsAccepted == 2)
    }
}

@Suite(.timeLimit(.minutes(10)), .enabled(if: TestCertificate.isAvailable))
struct `Bytes that no request has asked for, over TLS` {
    let transport = CurlTransport()
    let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    @Test(arguments: [true, false])
    func `unrequested bytes over TLS are never the next response`(inOneRecord: Bool) async throws {
        let certificate = try await TestCertificate(in: folder)
        let (gate, sent) = (Gate(), CallCounter())
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"
        let server = try TLSServer(certificate) { connection, index in
            connection.read()
            // The head apart, so that libcurl knows how many bytes of the next record belong to the response.
            connection.write(head)
            if inOneRecord {
                connection.write("bird\(head)evil")
            } else {
                connection.write("bird")
                gate.wait()
                connection.write(head + "evil")
            }
            connection.waitForDelivery()
            sent.increment()
            connection.waitForEnd()
        }
        for round in 1...20 {
            let text = try await transport.load(server.url) {
                $0.certificateAuthorityFile = certificate.file
            }.text
            try #require(text == "bird", "round \(round)")
            gate.admit()
            await sent.waitFor(round)
        }
        #expect(server.connections.value == 20)
    }

    @Test func `bytes that TLS itself sends do not end the connection`() async throws {
        let certificate = try await TestCertificate(in: folder)
        let server = try TLSServer(certificate) { connection, _ in
            while connection.read() != nil {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbird")
            }
        }
        for _ in 0..<5 {
            _ = try await transport.load(server.url) { $0.certificateAuthorityFile = certificate.file }
        }
        #expect(server.connections.value == 1)
    }
}
