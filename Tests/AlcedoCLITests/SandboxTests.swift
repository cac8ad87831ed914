import AlcedoTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `alcedo with a sandbox` {
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

    @Test(arguments: ["prefer", "off"])
    func `the sandbox mode decides whether images from the network are decoded in a worker`(_ mode: String)
        async throws
    {
        server.serve("/photo.jpg", try Fixture.data("jpeg/testorig.jpg"))
        let outcome = try await program.run(
            "get", server.address("/photo.jpg"), "--downsample", "50x50", "-o", "small.png", "--sandbox", mode
        )
        #expect(outcome.code == 0)
        #expect(outcome.errors.isEmpty)
        #expect(outcome.text.hasPrefix("small.png  50×33 PNG"))
    }

    @Test
    func `the command warns once that there are no helpers, and fails if they are required`() async throws {
        // Alone in a folder, it finds none. Another program copies it: a file that this process writes can't be started while
        // a child of another test, made meanwhile, still has it open.
        let alone = folder.file("alcedo")
        let copy = try await program.start(
            [Program.executable.path, alone.path], executable: URL(fileURLWithPath: "/bin/cp")
        ).outcome()
        try #require(copy.code == 0, "\(copy.errors)")
        server.serve("/photo.jpg", try Fixture.data("jpeg/testorig.jpg"))
        server.serve("/fire.gif", try Fixture.data("gif/fire.gif"))
        let addresses = [server.address("/photo.jpg"), server.address("/fire.gif")]
        let preferred = try await program.start(["info"] + addresses, executable: alone).outcome()
        #expect(preferred.code == 0)
        #expect(preferred.errors.components(separatedBy: "alcedo-decode").count == 2)
        let required = try await program.start(
            ["info", "--sandbox=require"] + addresses, executable: alone
        ).outcome()
        #expect(required.code == 1)
        #expect(required.errors.contains(" is not installed: it is not in "))
    }

    @Test func `--sandbox takes three modes`() async throws {
        let outcome = try await program.run("info", "a.png", "--sandbox=maybe")
        #expect(outcome.code == 2)
        #expect(outcome.errors.contains("--sandbox takes require, prefer or off, not “maybe”"))
    }
}
