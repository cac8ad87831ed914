import AlcedoTestSupport
import Foundation
import Glibc
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `How alcedo ends` {
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

    @Test func `SIGTERM ends the command with 143 and no staging file`() async throws {
        let gate = Gate()
        server.serve(
            "/a.jpg", Reply(body: try Fixture.data("jpeg/testorig.jpg")).hold(.byte(2000), until: gate))
        let running = try program.start([
            "get", server.address("/a.jpg"), "-o", "new/a.jpg", "--timeout", "600",
        ])
        await server.waitForRequests(1)
        running.terminate()
        #expect(await running.outcome().code == 143)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        gate.open()
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a signal ends the command while the file that it writes hangs`(signal: Int32) async throws {
        // Nobody reads this pipe, so that opening it hangs.
        let pipe = folder.file("pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        server.serve("/a.jpg", Reply(body: try Fixture.data("jpeg/testorig.jpg")))
        let running = try program.start(["get", server.address("/a.jpg"), "-o", pipe.path])
        // It is about to open the pipe once the cache has the image.
        let cache = cacheHome.file("alcedo").path
        func entries() -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: cache)) ?? [] }
        while !Task.isCancelled, !entries().contains(where: { !$0.hasPrefix(".") }) { await Task.yield() }
        if signal == SIGINT { running.interrupt() } else { running.terminate() }
        #expect(await running.outcome().code == 128 + signal)
    }

    @Test func `a timer that was set before its start ends the command`() async throws {
        let gate = Gate()
        server.serve(
            "/a.jpg", Reply(body: try Fixture.data("jpeg/testorig.jpg")).hold(.byte(2000), until: gate))
        let words = ["get", server.address("/a.jpg"), "-o", folder.file("a.jpg").path, "--timeout", "600"]
        let environment = ["XDG_CACHE_HOME": cacheHome.url.path]
        let running = try ChildProcess(
            [Program.executable.path] + words,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            output: .null, errors: .null)
        await server.waitForRequests(1)
        running.signal(SIGALRM)
        let end = try await running.waitForEnd()
        #expect(!end.isKilled && end.status == 128 + SIGALRM)
        gate.open()
    }

    @Test(
        arguments: ["get", "info", "show"],
        [
            "FILE://otherhost", "FILE://other.test:80", "FILE://me:secret@otherhost", " file:/\t/otherhost",
            "file:\\\\me:secret@otherhost",
        ])
    func `the command rejects a file on another host`(_ command: String, _ start: String) async throws {
        let path = Fixture.url("gif/fire.gif").path
        let outcome = try await program.run(command, start + path)
        #expect(outcome.code == 1 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("host") && outcome.errors.contains("file:///"), "\(outcome.errors)")
        #expect(outcome.errors.split(separator: "\n").count == 1 && !outcome.errors.contains("secret"))
    }

    @Test(arguments: ["file://", "file://localhost", "file://LocalHost", "file:"])
    func `the command takes a file of this host`(_ start: String) async throws {
        let outcome = try await program.run("info", start + Fixture.url("gif/fire.gif").path)
        #expect(outcome.code == 0, "\(outcome.errors)")
    }
}
