import AlcedoTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `alcedo get -o` {
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

    @Test(arguments: [
        ("a/b/c.gif", ["a", "a/b", "a/b/c.gif"]), ("a/b/", ["a", "a/b", "a/b/fire.gif"]),
        ("a//b//", ["a", "a/b", "a/b/fire.gif"]), ("a/.", ["a", "a/fire.gif"]),
    ])
    func `get -o creates the folders that are missing`(_ path: String, _ expected: [String]) async throws {
        let outcome = try await program.run("get", Fixture.url("gif/fire.gif").path, "-o", path)
        #expect(outcome.code == 0, "\(outcome.errors)")
        let made = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }.sorted()
        #expect(made == expected)
    }

    @Test func `get -o creates one folder for several images`() async throws {
        let images = [Fixture.url("gif/fire.gif").path, Fixture.url("gif/wedge.gif").path]
        let outcome = try await program.start(["get"] + images + ["-o", "new/folder"]).outcome()
        #expect(outcome.code == 0, "\(outcome.errors)")
        let made = try FileManager.default.contentsOfDirectory(atPath: folder.file("new/folder").path)
        #expect(made.sorted() == ["fire.gif", "wedge.gif"])
    }

    @Test
    func `get -o creates no folder for a failed image, and names a file in its way`() async throws {
        let missing = try await program.run("get", server.address("/none.gif"), "-o", "new/")
        #expect(missing.code == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        try Data().write(to: folder.file("taken"))
        let blocked = try await program.run("get", Fixture.url("gif/fire.gif").path, "-o", "taken/a/b.gif")
        #expect(blocked.code == 1)
        #expect(blocked.errors.contains("taken/a/b.gif") && blocked.errors.contains("Not a directory"))
    }

    @Test func `get -o writes no control characters into names`() async throws {
        let path = "/%1B%5B31mred%0Aline%7F%C2%85%E2%80%AE.gif"
        server.serve(path, try Fixture.data("gif/fire.gif"))
        let outcome = try await program.run("get", server.address(path))
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["_[31mred_line___.gif"])
        let named = try await program.run("get", Fixture.url("gif/fire.gif").path, "-o", "a\nb.gif")
        #expect(named.code == 2 && named.errors.contains("control character"))
        #expect(named.errors.split(separator: "\n").count == 1)
    }

    @Test func `get -o shortens a long name to what a file system takes`() async throws {
        let stem = String(repeating: "鳥", count: 120)
        let path = try #require("/\(stem).gif".addingPercentEncoding(withAllowedCharacters: .urlPathAllowed))
        server.serve(path, try Fixture.data("gif/fire.gif"))
        let outcome = try await program.run("get", server.address(path))
        #expect(outcome.code == 0, "\(outcome.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names == [String(repeating: "鳥", count: 66) + ".gif"])
    }
}
