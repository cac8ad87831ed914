import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `Cookies` {
    let transport = CurlTransport()
    let server: LoopbackServer
    let jar = CookieJar()

    /// The server answers with the cookies it gets.
    init() throws {
        server = try LoopbackServer()
        server.route("/") { .text($0.header("Cookie") ?? "none") }
        server.route("/below/x") { .text($0.header("Cookie") ?? "none") }
    }

    private func set(_ lines: String..., path: String = "/set", status: Int = 200) {
        let cookies = lines.map { ("Set-Cookie", $0) }
        server.serve(path, .text("", status: status, headers: cookies + [("Location", "/")]))
    }

    private func load(_ path: String, host: String = "127.0.0.1") async throws -> String {
        try await transport.load("http://\(host):\(server.port)\(path)") { $0.cookies = jar }.text
    }

    @Test func `cookies are sent back to the server that set them, and to no other`() async throws {
        set("a=1", "b=2; Path=/below", "d=4; Max-Age=0", "e=5; Domain=elsewhere.test")
        _ = try await load("/set")
        #expect(try await load("/") == "a=1")
        #expect(try await load("/below/x") == "b=2; a=1")
        #expect(try await load("/", host: "localhost") == "none")
        #expect(try await transport.load(server.address("/")).text == "none")
        #expect(try await transport.load(server.address("/")) { $0.cookies = CookieJar() }.text == "none")
    }

    @Test func `secure cookies are neither taken from plain HTTP nor sent over it`() async throws {
        set("a=1; Secure", "b=2")
        _ = try await load("/set", host: "birds.localhost")
        #expect(try await load("/", host: "birds.localhost") == "b=2")
        jar.store(JarCookie(name: "c", value: "3", domain: "birds.localhost") { $0.isSecure = true })
        #expect(try await load("/", host: "birds.localhost") == "b=2")
    }

    @Test func `cookies of a redirect are sent with the next request`() async throws {
        set("a=1", status: 302)
        #expect(try await load("/set") == "a=1")
    }

    @Test func `cookies go up to a domain, but not to all below a public suffix`() async throws {
        set("a=1; Domain=birds.localhost", "b=2; Domain=localhost")
        _ = try await load("/set", host: "www.birds.localhost")
        #expect(try await load("/", host: "img.birds.localhost") == "a=1")
        #expect(try await load("/", host: "other.localhost") == "none")
    }

    @Test func `cookies of the jar share a field with those of the request`() async throws {
        set("a=1")
        _ = try await load("/set")
        let result = try await transport.load(server.address("/")) {
            $0.cookies = jar
            $0.headers = [("cookie", "x=y")]
        }
        #expect(result.text == "a=1; x=y" || result.text == "x=y; a=1")
        #expect(server.requests().last?.headers.filter { $0.name.lowercased() == "cookie" }.count == 1)
    }

    @Test func `cookies can be read from the jar with their attributes`() async throws {
        set("a=1; HttpOnly; Max-Age=3600")
        let start = Date()
        _ = try await load("/set")
        let end = Date()
        let cookies = jar.cookies
        #expect(cookies.map(\.name) == ["a"])
        let cookie = try #require(cookies.first)
        #expect(cookie.value == "1" && cookie.domain == "127.0.0.1" && cookie.path == "/")
        #expect(cookie.isHTTPOnly && !cookie.isSecure && !cookie.includesSubdomains)
        // libcurl counts whole seconds.
        let received = try #require(cookie.expires) - 3_600
        #expect(start - 2 <= received && received <= end + 2)
    }

    @Test func `cookies can be stored in the jar and removed`() async throws {
        let cookie = JarCookie(name: "a", value: "x y=\"z\"", domain: "127.0.0.1") { $0.path = "/below" }
        #expect(jar.store(cookie))
        #expect(jar.cookies == [cookie])
        #expect(try await load("/below/x") == "a=x y=\"z\"")
        #expect(try await load("/") == "none")
        jar.remove(cookie)
        #expect(jar.cookies.isEmpty)
        let full = JarCookie(name: "b", value: "", domain: "birds.localhost") {
            ($0.includesSubdomains, $0.isHTTPOnly, $0.isSecure) = (true, true, true)
            $0.expires = Date(timeIntervalSince1970: 4e9)
        }
        #expect(jar.store(full))
        #expect(jar.cookies == [full])
        jar.removeAll()
        #expect(jar.cookies.isEmpty)
    }

    @Test(arguments: ["", "a\tb", "a\nb", "a\u{7f}"])
    func `cookies with control characters or an empty name are rejected`(text: String) {
        #expect(!jar.store(JarCookie(name: text, value: "1", domain: "birds.test")))
        if !text.isEmpty { #expect(!jar.store(JarCookie(name: "a", value: text, domain: "birds.test"))) }
        #expect(!jar.store(JarCookie(name: "a", value: "1", domain: text)))
        #expect(!jar.store(JarCookie(name: "a", value: "1", domain: "birds.test") { $0.path = text }))
    }

    @Test func `a jar keeps a limited number of cookies, of one host and in all`() async throws {
        let counter = CallCounter()
        server.route("/flood") { _ in
            let first = counter.increment() * 40
            return .text("", headers: (first..<first + 40).map { ("Set-Cookie", "c\($0)=1") })
        }
        for _ in 0..<250 { _ = try await load("/flood") }
        #expect(jar.cookies.count <= 180 + 500)
        #expect(jar.cookies.contains { $0.name == "c10039" })
        #expect(try await load("/") != "none")
        for index in 0..<10_000 { jar.store(JarCookie(name: "a", value: "1", domain: "host\(index).test")) }
        #expect(jar.cookies.count <= 3_000 + 500)
    }

    @Test func `cookies of one response are limited in number`() async throws {
        let lines = (0..<900).map { "Set-Cookie: c\($0)=\(String(repeating: "x", count: 50))\r\n" }.joined()
        server.serve("/flood", .raw("HTTP/1.1 200 OK\r\n\(lines)Content-Length: 0\r\n\r\n"))
        _ = try await load("/flood")
        #expect((1...200).contains(jar.cookies.count))
    }

    @Test func `cookies are not lost when transports and threads share a jar`() async throws {
        set("a=1; Path=/", "b=2; Path=/")
        let other = CurlTransport()
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<150 {
                group.addTask { [transport, jar, server] in
                    let used = index % 2 == 0 ? transport : other
                    _ = try? await used.load(server.address("/set")) { $0.cookies = jar }
                    jar.store(JarCookie(name: "n\(index)", value: "1", domain: "127.0.0.1"))
                    _ = jar.cookies
                }
            }
        }
        #expect(Set(jar.cookies.map(\.name)).isSuperset(of: ["a", "b"]))
    }

    @Test func `cookies are sent whole while another thread replaces them`() async throws {
        @Sendable func store(_ letter: Character) {
            for index in 0..<40 {
                let value = String(repeating: letter, count: 100)
                jar.store(JarCookie(name: "c\(index)", value: value, domain: "127.0.0.1"))
            }
        }
        store("a")
        let replacing = Task.detached {
            while !Task.isCancelled {
                for letter in "bcdefgh" { store(letter) }
                await Task.yield()
            }
        }
        let sent = try await withThrowingTaskGroup { group in
            for _ in 0..<300 { group.addTask { try await load("/") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        replacing.cancel()
        await replacing.value
        for line in sent {
            let cookies = line.split(separator: "; ").map { $0.drop { $0 != "=" }.dropFirst() }
            #expect(cookies.count == 40)
            #expect(cookies.allSatisfy { $0.count == 100 && Set($0).count == 1 })
        }
    }
}
