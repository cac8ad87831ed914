import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `A request that may go to public addresses only` {
    let transport = CurlTransport()
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.serve("/", .text("secret"))
    }

    private var port: Int { URL(string: server.address("/"))?.port ?? 0 }

    private func refusal(at host: String, _ change: (inout TransportRequest) -> Void = { _ in }) async
        -> String?
    {
        let url = "http://\(host):\(port)/"
        let error = await transport.failure(url) { request in
            request.addressPolicy = .publicOnly
            change(&request)
        }
        guard case .addressRejected(let address, url) = error else {
            Issue.record("\(String(describing: error))")
            return nil
        }
        return address
    }

    @Test(arguments: [
        "127.0.0.1", "localhost", "2130706433", "0x7f000001", "017700000001", "127.1", "0",
        "[::ffff:127.0.0.1]",
        "[::1]", "[::]", "127.0.0.1.", "localhost.", "0x7f000001.", "127.1.", "a.localhost..",
    ]) func `a public-only request does not reach this machine by any of its names`(host: String) async {
        #expect(await refusal(at: host) != nil)
        #expect(server.traffic.connectionsAccepted == 0)
    }

    @Test func `a public-only request does not use another request's connection`() async throws {
        #expect(try await transport.load(server.address("/")).text == "secret")
        #expect(await refusal(at: "127.0.0.1") == "127.0.0.1")
        #expect(server.requestCount() == 1)
    }

    @Test func `a public-only request does not go through a proxy`() async throws {
        let proxy = TransportProxy.server(ProxyServer(.http, host: "127.0.0.1", port: port))
        #expect(await refusal(at: "127.0.0.1") { $0.proxy = proxy } == "127.0.0.1")
        #expect(server.traffic.connectionsAccepted == 0)
    }

    @Test func `a public-only request does not read a file`() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("secret")
        try Data("secret".utf8).write(to: file)
        let error = await StandardTransport.shared.failure(file.absoluteString) {
            $0.addressPolicy = .publicOnly
        }
        #expect(error == .addressRejected("file:", url: file.absoluteString))
        #expect(try await StandardTransport.shared.load(file.absoluteString).text == "secret")
    }

    @Test func `the error of a rejected address says that only public addresses are allowed`() async {
        let error = TransportError.addressRejected("10.0.0.1", url: "http://intranet/")
        #expect(
            error.description
                == "“10.0.0.1” is not a public address, and the request allows only those: http://intranet/"
        )
    }
}
