import AlcedoTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `alcedo --json` {
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

    /// Every line of standard output, which has to be an object.
    private func objects(_ outcome: Program.Outcome) throws -> [[String: Any]] {
        try outcome.text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
        }
    }

    @Test func `--json says for get and info where an image is from`() async throws {
        server.serve("/a.gif", try Fixture.data("gif/fire.gif"))
        let (address, path) = (server.address("/a.gif"), Fixture.url("gif/fire.gif").path)
        for (word, origin) in [(address, "network"), (address, "disk"), (path, "file")] {
            for command in ["get", "info"] where command == "get" || origin != "network" {
                let words = [command, word, "--json"] + (command == "get" ? ["--force"] : [])
                let object = try #require(objects(await program.start(words).outcome()).first)
                #expect(object["from"] as? String == origin)
                #expect(object["url"] as? String == word)
            }
        }
        let twice = try await objects(
            program.run("get", address, address, "--json", "--jobs", "1", "--force"))
        #expect(twice.map { $0["from"] as? String } == ["disk", "memory"])
    }

    @Test(arguments: ["get", "info"])
    func `--json has an object for a failure too, among those that succeed`(_ command: String) async throws {
        server.serve("/a.gif", try Fixture.data("gif/fire.gif"))
        let missing = server.address("/missing.gif")
        let outcome = try await program.run(command, missing, server.address("/a.gif"), "--json")
        let lines = try objects(outcome)
        #expect(outcome.code == 1 && lines.count == 2)
        let failed = try #require(lines.first { $0["error"] != nil })
        #expect(failed["url"] as? String == missing)
        #expect(failed["error"] as? String == "\(missing) returned status 404.")
        #expect(outcome.errors == "alcedo: \(missing) returned status 404.\n")
    }

    @Test func `--json reports each failure of prefetch, and then the totals`() async throws {
        server.serve("/a.gif", try Fixture.data("gif/fire.gif"))
        let missing = server.address("/no.gif")
        let input = "\(missing)\n\(server.address("/a.gif"))\n"
        let lines = try await objects(program.run("prefetch", "--json", input: input))
        #expect(lines.count == 2)
        #expect(lines.first?["url"] as? String == missing && lines.first?["error"] is String)
        #expect(lines.last as? [String: Int] == ["cached": 0, "failed": 1, "loaded": 1])
    }

    @Test func `--json has an object without a URL for a command that fails as a whole`() async throws {
        let outcome = try await program.run("prefetch", folder.path, "--json")
        let object = try #require(objects(outcome).first)
        #expect(outcome.code == 1 && object["url"] is NSNull)
        #expect((object["error"] as? String)?.contains("is a folder") == true)
    }

    @Test func `--json counts what cache clean and clear remove`() async throws {
        server.serve("/a.gif", try Fixture.data("gif/fire.gif"))
        _ = try await program.run("get", server.address("/a.gif"), "-o", "-")
        for (action, count) in [("clean", 0), ("clear", 1)] {
            let lines = try await objects(program.run("cache", action, "--json"))
            #expect(lines.count == 1 && lines.first as? [String: Int] == ["removed": count])
        }
    }

    @Test func `--json shows no secrets, and keeps to one line`() async throws {
        let word = "http://me:secret@127.0.0.1:1/a\u{1B}b"
        let outcome = try await program.run("get", word, "--json")
        #expect(try objects(outcome).count == 1)
        #expect(!outcome.text.contains("secret") && !outcome.text.contains("\u{1B}"))
    }

    @Test func `--json keeps long lines apart where a pipe is full`() async throws {
        let bytes = try Fixture.data("gif/fire.gif")
        // One server has six requests at a time.
        let (servers, gate) = (try (0..<4).map { _ in try LoopbackServer() }, Gate())
        let addresses = (0..<20).map { number in
            let path = "/\(number)" + String(repeating: "a", count: 60_000) + ".gif"
            servers[number % 4].serve(path, Reply(body: bytes).hold(.head, until: gate))
            return servers[number % 4].address(path)
        }
        let reading = DispatchSemaphore(value: 0)
        let running = try program.start(
            ["get", "--json", "--jobs", "20"] + addresses, readsOutputAfter: reading)
        // The first lines fill the pipe, and block threads that other loads need for their start.
        for server in servers { await server.waitForRequests(5) }
        gate.open()
        for server in servers { await server.waitForReplies(5) }
        reading.signal()
        let urls = try await objects(running.outcome()).compactMap { $0["url"] as? String }
        let isComplete = urls.sorted() == addresses.sorted()
        #expect(isComplete, "\(urls.count) lines")
    }

    @Test func `--json does not share standard output with an image`() async throws {
        let path = Fixture.url("gif/fire.gif").path
        let outcome = try await program.run("get", path, "-o", "-", "--json")
        #expect(outcome.code == 2 && outcome.output.isEmpty && outcome.errors.contains("--json"))
    }
}
