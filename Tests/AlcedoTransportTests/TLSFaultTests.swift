import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)), .enabled(if: TestCertificate.isAvailable))
struct `Servers that cannot prove who they are` {
    let transport = CurlTransport()
    let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// Why a server is refused, whose certificate is its own authority; it must not be asked anything.
    private func refusal(
        _ certificate: TestCertificate, onlyTLS10: Bool = false, trusted: Bool = true
    ) async throws -> String {
        let server = try TLSServer(certificate, onlyTLS10: onlyTLS10) { connection, _ in
            connection.waitForEnd()
        }
        let error = await transport.failure(server.url) {
            if trusted { $0.certificateAuthorityFile = certificate.file }
        }
        #expect(server.connections.value == 1)
        #expect(server.reads.value == 0)
        guard case .tls(let reason, server.url) = error else {
            Issue.record("\(String(describing: error))")
            return ""
        }
        return reason
    }

    @Test func `servers are rejected when their certificate has expired`() async throws {
        let reason = try await refusal(try await TestCertificate(in: folder, days: -1))
        #expect(reason.contains("expired"))
    }

    @Test func `servers are rejected when nobody vouches for them`() async throws {
        let reason = try await refusal(try await TestCertificate(in: folder), trusted: false)
        #expect(reason.contains("self-signed"))
    }

    @Test func `servers are rejected when their certificate is for another name`() async throws {
        let reason = try await refusal(try await TestCertificate(in: folder, for: "DNS:other.test"))
        #expect(reason.contains("127.0.0.1"))
    }

    @Test func `servers are rejected when they know no newer TLS than 1.0`() async throws {
        let reason = try await refusal(try await TestCertificate(in: folder), onlyTLS10: true)
        #expect(reason.contains("version"))
    }

    @Test func `servers that can prove who they are get the request`() async throws {
        let certificate = try await TestCertificate(in: folder)
        let server = try TLSServer(certificate) { connection, _ in
            connection.read()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbird")
            connection.waitForEnd()
        }
        #expect(
            try await transport.load(server.url) { $0.certificateAuthorityFile = certificate.file }.text
                == "bird")
        #expect(server.reads.value == 1)
    }
}
