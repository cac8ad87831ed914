import AlcedoTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `alcedo's progress` {
    let server: LoopbackServer
    let folder: TemporaryDirectory
    let cacheHome: TemporaryDirectory
    let program: Program

    init() throws {
        server = try LoopbackServer()
        folder = try TemporaryDirectory()
        cacheHome = try TemporaryDirectory()
        program = Program(cacheHome: cacheHome.url, folder: folder.url)
    }

    private let clearing = "\r\u{1B}[K"

    /// 64 pieces of 100 bytes, one every 40 ms.
    private func serve() throws -> String {
        let reply = Reply(body: try Fixture.data("jpeg/testorig.jpg"))
        server.serve("/a.jpg", reply.drip(100, every: .milliseconds(40)))
        return server.address("/a.jpg")
    }

    @Test
    func `progress counts bytes on a terminal ten times a second, and clears them`() async throws {
        let address = try serve()
        let start = ContinuousClock.now
        let running = try program.start(["get", address, "-o", "a.jpg"], errorsOnTerminal: true)
        let outcome = await running.outcome()
        let limit = (ContinuousClock.now - start) / .milliseconds(100) + 3
        #expect(outcome.code == 0 && outcome.text.hasPrefix("a.jpg  227×149"))
        let drawn = outcome.errors.components(separatedBy: clearing)
        #expect(outcome.errors.contains("/ 5.8 KB"), "\(outcome.errors)")
        #expect(drawn.count > 2 && Double(drawn.count) <= limit, "\(drawn.count)")
        #expect(outcome.errors.hasSuffix(clearing))
    }

    @Test func `progress is silent with --json, and where no terminal is`() async throws {
        let address = try serve()
        let words = ["get", address, "--refresh", "-o", "a.jpg"]
        let json = try program.start(words + ["--json"], errorsOnTerminal: true)
        #expect(await json.outcome().errors.isEmpty)
        #expect(try await program.start(words).outcome().errors.isEmpty)
    }

    @Test func `progress fits into a narrow terminal`() async throws {
        let running = try program.start(
            ["get", try serve(), "-o", "a.jpg"], environment: ["COLUMNS": "20"], errorsOnTerminal: true)
        let lines = await running.outcome().errors.components(separatedBy: clearing)
        #expect(lines.count > 2 && lines.allSatisfy { $0.count < 20 }, "\(lines)")
    }

    @Test func `progress gives way to messages of other loads and of the cache`() async throws {
        try Data().write(to: folder.file("blocked"))
        let program = Program(cacheHome: folder.file("blocked/cache"), folder: folder.url)
        let gate = Gate()
        server.serve("/a.jpg", try Fixture.data("jpeg/testorig.jpg"))
        server.serve(
            "/b.jpg", Reply(body: try Fixture.data("jpeg/testorig.jpg")).hold(.byte(10), until: gate))
        let words = ["/a.jpg", "/none.jpg", "/b.jpg"].map { server.address($0) }
        let running = try program.start(["get"] + words, errorsOnTerminal: true)
        await server.waitForReplies(2)
        gate.open()
        let outcome = await running.outcome()
        #expect(outcome.code == 1)
        let messages = outcome.errors.split(separator: "\r\n").filter { $0.contains("alcedo: ") }
        #expect(messages.count == 2, "\(outcome.errors)")
        for message in messages {
            let line = message.components(separatedBy: clearing).last ?? ""
            #expect(line.hasPrefix("alcedo: "), "\(outcome.errors)")
        }
    }

    @Test func `progress is cleared for a message`() async throws {
        let gate = Gate()
        let reply = Reply(body: try Fixture.data("jpeg/testorig.jpg"))
        server.serve("/a.jpg", reply.hold(.byte(3000), until: gate).cut(after: 4000))
        gate.open()
        let words = ["get", server.address("/a.jpg"), "-o", "a.jpg"]
        let outcome = try await program.start(words, errorsOnTerminal: true).outcome()
        #expect(outcome.code == 1)
        let last = try #require(outcome.errors.components(separatedBy: clearing).last)
        #expect(last.hasPrefix("alcedo: ") && last.split(whereSeparator: \.isNewline).count == 1)
    }
}
