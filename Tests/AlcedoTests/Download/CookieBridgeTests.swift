import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A cookie storage` {
    let loading: Loading
    let storage: HTTPCookieStorage
    var server: LoopbackServer { loading.server }

    init() throws {
        loading = try Loading()
        let configuration = URLSessionConfiguration.ephemeral
        storage = try #require(configuration.httpCookieStorage)
        loading.downloader.sessionConfiguration = configuration
        server.serve("/a", try Sample.png(2, 2))
    }

    private func put(_ name: String, _ value: String, domain: String = "127.0.0.1", path: String = "/") throws
    {
        let cookie = HTTPCookie(properties: [.name: name, .value: value, .domain: domain, .path: path])
        storage.setCookie(try #require(cookie))
    }

    private func download(_ path: String = "/a") async throws {
        _ = try await loading.downloader.downloadImage(with: server.url(path))
    }

    /// What the last request brought along.
    private var sent: Set<String> {
        Set((server.requests().last?.header("Cookie") ?? "").components(separatedBy: "; "))
    }

    @Test func `a cookie storage is not touched unless the program sets or reads a configuration`() throws {
        let other = try Loading()
        #expect(other.downloader.session.cookies == nil)
        _ = other.downloader.sessionConfiguration
        #expect(other.downloader.session.cookies != nil)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        other.downloader.sessionConfiguration = configuration
        #expect(other.downloader.session.cookies == nil)
    }

    /// Comparing all of them with all others takes minutes.
    @Test func `a cookie storage may have thousands of cookies of one name`() async throws {
        for index in 0..<3_000 { try put("n", "\(index)", domain: "host\(index).example.com") }
        try put("mine", "1")
        let counter = CallCounter()
        let body = try Sample.png(2, 2)
        server.route("/set") { _ in
            Reply(body: body).header("Set-Cookie", "s=\(counter.increment()); Path=/")
        }
        for _ in 0..<10 { try await download("/set") }
        try await download()
        #expect(sent == ["mine=1", "s=10"])
        #expect(storage.cookies?.count == 3_002)
    }

    @Test func `a cookie storage keeps what the program puts there while a server sets another cookie`()
        async throws
    {
        let gate = Gate()
        let reply = Reply(body: try Sample.png(2, 2)).header("Set-Cookie", "flavour=plain; Path=/")
        server.serve("/set", reply.hold(.head, until: gate))
        try put("changed", "before")
        async let response: () = download("/set")
        await server.waitForRequests(1)
        try put("mine", "1")
        try put("changed", "after")
        gate.open()
        try await response
        try await download()
        #expect(sent == ["flavour=plain", "mine=1", "changed=after"])
        #expect(Set(storage.cookies?.map(\.name) ?? []) == ["flavour", "mine", "changed"])
    }

    @Test
    func `a cookie storage keeps the program's cookies, even more than a server may set`() async throws {
        for index in 0..<1_000 { try put("n", "\(index)", path: "/p\(index)") }
        let reply = Reply(body: try Sample.png(2, 2)).header("Set-Cookie", "flavour=plain; Path=/")
        server.serve("/set", reply)
        try await download("/set")
        try await download()
        #expect(sent == ["flavour=plain"])
        #expect(storage.cookies?.count == 1_001)
    }

    @Test func `a cookie storage limits a server's cookies, and keeps all of the program's`() async throws {
        for index in 0..<300 { try put("p\(index)", "1", path: "/elsewhere") }
        let counter = CallCounter()
        let body = try Sample.png(2, 2)
        server.route("/flood") { _ in
            let first = counter.increment() * 40
            return (first..<first + 40).reduce(Reply(body: body)) {
                $0.header("Set-Cookie", "s\($1)=1; Path=/")
            }
        }
        for index in 0..<10 { try await download("/flood?\(index)") }
        let names = (storage.cookies ?? []).map(\.name)
        #expect(names.count { $0.hasPrefix("p") } == 300)
        #expect(names.count { $0.hasPrefix("s") } <= 180)
        #expect(names.contains("s439"))
    }

    @Test func `a cookie storage has a server's cookie by the time the image is there`() async throws {
        for index in 0..<50 {
            let reply = Reply(body: try Sample.png(2, 2)).header("Set-Cookie", "n\(index)=1; Path=/")
            server.serve("/set", reply)
            try await download("/set")
            #expect(storage.cookies?.contains { $0.name == "n\(index)" } == true)
        }
    }

    @Test func `a cookie storage loses nothing while servers and the program set many cookies at once`()
        async throws
    {
        let counter = CallCounter()
        let body = try Sample.png(2, 2)
        server.route("/set") { _ in
            Reply(body: body).header("Set-Cookie", "s\(counter.increment())=1; Path=/")
        }
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<60 {
                group.addTask {
                    try? put("p\(index)", "1")
                    _ = try? await download("/set?\(index)")
                }
            }
        }
        try await download()
        let names = Set((1...60).map { "s\($0)=1" } + (0..<60).map { "p\($0)=1" })
        #expect(sent == names)
        #expect(storage.cookies?.count == 120)
    }
}
