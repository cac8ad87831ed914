import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `Turning with the command` {
    private let folder: TemporaryDirectory
    private let cacheHome: TemporaryDirectory
    private let program: Program

    /// 117 × 83 pixels, with blocks of 16.
    init() throws {
        folder = try TemporaryDirectory()
        cacheHome = try TemporaryDirectory()
        program = Program(cacheHome: cacheHome.url, folder: folder.url)
        try Data(Fixture.data("made/sampling-420.jpg")).write(to: folder.file("photo.jpg"))
    }

    private func size(_ name: String) throws -> PixelSize {
        try Image(decoding: Data(contentsOf: folder.file(name))).pixelSize
    }

    @Test func `turn turns, mirrors and crops an image into a file`() async throws {
        for (options, width, height) in [
            (["--rotate", "90", "--trim"], 80, 117), (["--rotate", "180", "--trim"], 112, 80),
            (["--rotate", "270", "--trim"], 83, 112), (["--rotate", "90", "--flip", "horizontal"], 83, 117),
            (["--crop", "40x30+17+16"], 41, 30), ([], 117, 83),
        ] {
            let outcome = try await program.start(["turn", "photo.jpg", "-o", "out.jpg"] + options).outcome()
            #expect(outcome.code == 0, "\(outcome.errors)")
            #expect(try size("out.jpg") == PixelSize(width: width, height: height), "\(options)")
            #expect(outcome.text.contains("out.jpg  \(width)×\(height) JPEG"), "\(outcome.text)")
        }
    }

    @Test func `turn replaces no file without --force`() async throws {
        let original = try Data(contentsOf: folder.file("photo.jpg"))
        #expect(try await program.run("turn", "photo.jpg").code == 0)
        #expect(try Data(contentsOf: folder.file("photo.jpg")) == original)
        #expect(try size("photo-2.jpg") == PixelSize(width: 117, height: 83))
        #expect(try await program.run("turn", "photo.jpg", "--rotate", "90", "--trim", "--force").code == 0)
        #expect(try size("photo.jpg") == PixelSize(width: 80, height: 117))
    }

    @Test func `a turn that would lose something fails and says what to do`() async throws {
        let outcome = try await program.run("turn", "photo.jpg", "--rotate", "90", "-o", "out.jpg")
        #expect(outcome.code == 1 && outcome.errors.contains("83 pixels"), "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.file("out.jpg").path))
        let json = try await program.run("turn", "--json", "photo.jpg", "--rotate", "90", "-o", "out.jpg")
        #expect(json.code == 1 && json.text.hasPrefix("{\"error\""), "\(json.text)")
    }

    @Test func `wrong options of turn are usage errors`() async throws {
        for options in [
            ["--rotate", "45"], ["--flip", "both"], ["--crop", "40x30"], ["--crop", "0x5+0+0"],
            ["-o", "out.png"], ["--json", "-o", "-"],
        ] {
            let outcome = try await program.start(["turn", "photo.jpg"] + options).outcome()
            #expect(outcome.code == 2, "\(options) \(outcome.errors)")
        }
        #expect(try await program.run("turn").code == 2)
    }
}
