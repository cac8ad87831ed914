import AlcedoTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `The files that alcedo get finds` {
    let server: LoopbackServer
    let folder: TemporaryDirectory
    let cacheHome: TemporaryDirectory
    let program: Program
    private let fire: Data
    private let wedge: Data

    init() throws {
        server = try LoopbackServer()
        folder = try TemporaryDirectory()
        cacheHome = try TemporaryDirectory()
        program = Program(cacheHome: cacheHome.url, folder: folder.url)
        fire = Data(try Fixture.data("gif/fire.gif"))
        wedge = Data(try Fixture.data("gif/wedge.gif"))
        try fire.write(to: folder.file("a.gif"))
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }

    private func content(_ name: String) throws -> Data { try Data(contentsOf: folder.file(name)) }

    private func run(_ words: String...) async throws -> Program.Outcome {
        try await program.start(["get"] + words).outcome()
    }

    @Test(arguments: [
        ["a.gif"], ["./a.gif"], ["a.gif", "--downsample", "10x10"], ["a.gif", "-o", "."],
        ["a.gif", "-o", "./"],
        ["../here/a.gif"], ["a.gif", "--format", "gif"], ["file:…/a.gif"], ["file://localhost…/%61.gif"],
    ])
    func `get gives a result beside its image a name of its own`(_ words: [String]) async throws {
        let here = folder.file("here")
        try FileManager.default.createDirectory(at: here, withIntermediateDirectories: true)
        try fire.write(to: here.appendingPathComponent("a.gif"))
        let program = Program(cacheHome: cacheHome.url, folder: here)
        let outcome = try await program.start(["get"] + words.map { $0.replacing("…", with: here.path) })
            .outcome()
        #expect(outcome.code == 0 && outcome.text.contains("a-2.gif"), "\(outcome)")
        #expect(try Data(contentsOf: here.appendingPathComponent("a.gif")) == fire)
        #expect(try FileManager.default.contentsOfDirectory(atPath: here.path).count == 2)
    }

    @Test(arguments: [["a.gif", "thumb.gif"], ["a.gif", "thumb.png", "--resize", "9x9"]])
    func `get does nothing if its last word looks like an output`(_ words: [String]) async throws {
        let outcome = try await program.start(["get"] + words).outcome()
        #expect(outcome.code == 2)
        #expect(
            outcome.errors.contains("does not exist; to write that file, use -o thumb."), "\(outcome.errors)")
        #expect(try names == ["a.gif"] && content("a.gif") == fire)
    }

    @Test func `get replaces an existing file only with --force, or if -o names it`() async throws {
        server.serve("/a.gif", [UInt8](wedge))
        let address = server.address("/a.gif")
        let kept = try await run(address)
        #expect(kept.code == 1 && kept.output.isEmpty)
        #expect(
            kept.errors.contains("a.gif: it exists already; name it with -o, or replace"), "\(kept.errors)")
        #expect(try names == ["a.gif"] && content("a.gif") == fire)
        #expect(try await run(address, "--force").code == 0)
        #expect(try content("a.gif") == wedge)
        try fire.write(to: folder.file("a.gif"))
        #expect(try await run(address, "-o", "a.gif").code == 0)
        #expect(try content("a.gif") == wedge)
    }

    @Test func `get keeps a file that another program makes while it loads`() async throws {
        let gate = Gate()
        server.serve("/b.gif", Reply(body: [UInt8](wedge)).hold(.byte(100), until: gate))
        let running = try program.start(["get", server.address("/b.gif")])
        await server.waitForRequests(1)
        try fire.write(to: folder.file("b.gif"))
        gate.open()
        #expect(await running.outcome().code == 1)
        #expect(try names == ["a.gif", "b.gif"] && content("b.gif") == fire)
    }

    @Test func `get replaces its image only under the name that it was given`() async throws {
        try FileManager.default.createSymbolicLink(
            at: folder.file("link.gif"), withDestinationURL: folder.file("a.gif"))
        let outcome = try await run("a.gif", "-o", "link.gif", "--downsample", "10x10")
        #expect(
            outcome.code == 1 && outcome.errors.contains("link.gif: it is a link to the image"),
            "\(outcome.errors)")
        #expect(try content("a.gif") == fire)
        let address = "file://\(folder.file("a.gif").path)"
        let named = try await run(address, "-o", "link.gif", "--downsample", "10x10")
        #expect(named.code == 1 && named.errors.contains("link.gif: it is a link to the image"), "\(named)")
        #expect(try content("a.gif") == fire)
        #expect(try await run("link.gif", "-o", "link.gif", "--downsample", "10x10").code == 0)
        #expect(try content("a.gif") != fire)
        try fire.write(to: folder.file("a.gif"))
        #expect(try await run("a.gif", "-o", "a.gif", "--downsample", "10x10").code == 0)
        #expect(try content("a.gif") != fire)
        try fire.write(to: folder.file("a.gif"))
        #expect(try await run("a.gif", "-o", "link.gif", "--downsample", "10x10", "--force").code == 0)
        #expect(try content("a.gif") != fire)
    }

    @Test func `get keeps its image under another hard link, and writes through no link to nowhere`()
        async throws
    {
        try FileManager.default.linkItem(at: folder.file("a.gif"), to: folder.file("hard.gif"))
        #expect(try await run("a.gif", "-o", "hard.gif", "--downsample", "10x10").code == 0)
        #expect(try content("a.gif") == fire && content("hard.gif") != fire)
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("b.gif").path, withDestinationPath: "elsewhere.gif")
        server.serve("/b.gif", [UInt8](wedge))
        #expect(try await run(server.address("/b.gif")).code == 1)
        #expect(try names == ["a.gif", "b.gif", "hard.gif"])
    }

    @Test func `get numbers images of one name in the order of its words`() async throws {
        let gate = Gate()
        server.serve("/1/b.gif", Reply(body: [UInt8](fire)).hold(.byte(100), until: gate))
        server.serve("/2/b.gif", [UInt8](wedge))
        server.serve("/3/B.gif", [UInt8](wedge))
        let words = ["/1/b.gif", "/2/b.gif", "/3/B.gif"].map { server.address($0) }
        let running = try program.start(["get"] + words)
        _ = await running.waitForOutput { $0.contains("b-2.gif") }
        gate.open()
        #expect(await running.outcome().code == 0)
        #expect(try names == ["B-3.gif", "a.gif", "b-2.gif", "b.gif"])
        #expect(try content("b.gif") == fire && content("b-2.gif") == wedge)
    }

    @Test func `get replaces no image by the result of another`() async throws {
        let other = folder.file("other")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        try wedge.write(to: other.appendingPathComponent("a.gif"))
        let outcome = try await run("other/a.gif", "a.gif", "--force", "--jobs", "1")
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try content("a.gif") == fire && content("a-2.gif") == wedge)
    }

    @Test func `get replaces no image by the result of another, whatever names it`() async throws {
        server.serve("/a.gif", [UInt8](wedge))
        let address = server.address("/a.gif")
        let named = try await run(address, "file://\(folder.file("a.gif").path)", "--force", "--jobs", "1")
        #expect(named.code == 0, "\(named.errors)")
        #expect(try content("a.gif") == fire && content("a-3.gif") == wedge)
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("here").path, withDestinationPath: ".")
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link.gif").path, withDestinationPath: "a.gif")
        for word in ["here/a.gif", "file://\(folder.path)/here/a.gif", "link.gif"] {
            let linked = try await run(address, word, "--force", "--jobs", "1")
            #expect(linked.code == 1, "\(linked)")
            #expect(linked.errors.contains("a.gif: it is another of the images"), "\(linked)")
            #expect(try content("a.gif") == fire)
        }
    }

    @Test func `get says what a staging file is that an earlier run has left`() async throws {
        let script = "touch a-2.gif.$$.part; exec \"$0\" get a.gif"
        let words = ["-c", script, Program.executable.path]
        let outcome = try await program.start(words, executable: URL(filePath: "/bin/sh")).outcome()
        #expect(outcome.code == 1, "\(outcome)")
        #expect(
            outcome.errors.hasSuffix(".part: it is a staging file of an earlier run; delete it\n"),
            "\(outcome)")
    }

    @Test func `get adds to a file that standard output appends to`() async throws {
        let script =
            "printf before > out && \"$0\" get a.gif -o - >> out && \"$0\" get a.gif -o /dev/stdout >> out"
        let words = ["-c", script, Program.executable.path]
        let outcome = try await program.start(words, executable: URL(filePath: "/bin/sh")).outcome()
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try content("out") == Data("before".utf8) + fire + fire)
    }
}
