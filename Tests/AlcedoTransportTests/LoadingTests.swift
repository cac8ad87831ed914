import AlcedoTransport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `Loading over HTTP` {
    let transport = CurlTransport()

    @Test func `a GET brings the status, the headers and the body`() async throws {
        let server = try LoopbackServer { $0.respond(headers: ["X-Kind: Heron", "x-kind: egret"], "a bird") }
        let result = try await transport.load(server.url + "/bird").get()
        #expect(result.text == "a bird")
        #expect(result.response.status == 200)
        #expect(result.response.httpVersion == "HTTP/1.1")
        #expect(result.response.url == server.url + "/bird")
        #expect(result.response.expectedBytes == 6)
        #expect(result.response.value(forHeader: "x-KIND") == "Heron")
        #expect(result.response.headers.map(\.name) == ["Content-Length", "X-Kind", "x-kind"])
        #expect(server.requests.first?.hasPrefix("GET /bird HTTP/1.1\r\n") == true)
    }
}
