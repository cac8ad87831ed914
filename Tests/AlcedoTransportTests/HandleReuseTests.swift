import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

/// Handles are kept for requests of the same kind; none may send what another one wanted.
@Suite(.timeLimit(.minutes(10)))
struct `One request after another` {
    let transport = CurlTransport()
    let server: LoopbackServer

    /// The server says what it was sent.
    init() throws {
        server = try LoopbackServer()
        server.route("/") { request in
            let fields = ["X-Kind", "Cookie", "Authorization", "Range"].map { request.header($0) ?? "-" }
            let method = String(decoding: request.head.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
            return .text(([method] + fields + ["\(request.body.count)"]).joined(separator: " "))
        }
    }

    @Test func `a request on a reused handle sends nothing of the requests before`() async throws {
        let jar = CookieJar()
        jar.store(JarCookie(name: "a", value: "1", domain: "127.0.0.1"))
        let wishes: [(expected: String, configure: @Sendable (inout TransportRequest) -> Void)] = [
            ("GET - - - - 0", { _ in }),
            ("GET heron - - - 0", { $0.headers = [("X-Kind", "heron")] }),
            ("GET egret - - - 0", { $0.headers = [("X-Kind", "egret")] }),
            ("GET - a=1 - - 0", { $0.cookies = jar }),
            ("GET - a=1; b=2 - - 0", { ($0.cookies, $0.headers) = (jar, [("Cookie", "b=2")]) }),
            ("GET - - Bearer x - 0", { $0.headers = [("Authorization", "Bearer x")] }),
            ("POST - - - - 3", { ($0.method, $0.body) = ("POST", Data("abc".utf8)) }),
            ("DELETE - - - - 0", { $0.method = "DELETE" }),
        ]
        for round in 0..<2 {
            for wish in round == 0 ? wishes : wishes.reversed() {
                for _ in 0..<2 {
                    let answer = try await transport.load(server.address("/"), wish.configure).text
                    #expect(answer == wish.expected)
                }
            }
        }
    }

    @Test func `a reused handle forgets the last request's credential and address policy`() async throws {
        server.serve(
            "/locked", .text("who?", status: 401, headers: [("WWW-Authenticate", "Basic realm=\"x\"")]))
        let credential = TransportCredential(user: "u", password: "p")
        _ = try await transport.load(server.address("/locked")) { $0.credential = credential }
        #expect(server.requests().last?.header("Authorization") != nil)
        #expect(try await transport.load(server.address("/")).text == "GET - - - - 0")
        let refused = await transport.failure(server.address("/")) { $0.addressPolicy = .publicOnly }
        #expect(refused != nil)
        #expect(try await transport.load(server.address("/")).text == "GET - - - - 0")
        let again = await transport.failure(server.address("/")) { $0.addressPolicy = .publicOnly }
        #expect(again != nil)
    }

    @Test func `a reused handle forgets the user and password of the last request's URL`() async throws {
        let named = server.address("/").replacingOccurrences(of: "//", with: "//u:p@")
        for _ in 0..<2 {
            #expect(try await transport.load(named).text == "GET - - Basic dTpw - 0")
            #expect(try await transport.load(server.address("/")).text == "GET - - - - 0")
        }
    }
}
