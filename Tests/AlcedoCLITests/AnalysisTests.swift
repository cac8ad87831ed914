import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `Pages, palettes and hashes of the command` {
    private let folder: TemporaryDirectory
    private let cacheHome: TemporaryDirectory
    private let program: Program

    init() throws {
        folder = try TemporaryDirectory()
        cacheHome = try TemporaryDirectory()
        program = Program(cacheHome: cacheHome.url, folder: folder.url)
        for path in ["gif/fire.gif", "jpeg/testorig.jpg", "plain/rgb.qoi"] {
            let name = String(path.split(separator: "/")[1])
            try Data(Fixture.data(path)).write(to: folder.file(name))
        }
    }

    @Test func `info prints colours and a hash on request`() async throws {
        let plain = try await program.run("info", "testorig.jpg").text
        #expect(!plain.contains("palette") && !plain.contains("hash"))
        let text = try await program.run("info", "--palette", "--hash", "testorig.jpg").text
        #expect(text.contains(/palette     (#[0-9a-f]{6} \d+ %(, )?){6}/), "\(text)")
        #expect(text.contains(/hash        [0-9a-f]{16}/), "\(text)")
        struct Report: Decodable {
            struct Entry: Decodable {
                let color: String
                let share: Double
            }
            let palette: [Entry]
            let hash: PerceptualHash
            let pages: Int
        }
        let json = try await program.run("info", "--palette", "--hash", "--json", "testorig.jpg").output
        let report = try JSONDecoder().decode(Report.self, from: json)
        let image = try Image(decoding: Data(contentsOf: folder.file("testorig.jpg")))
        #expect(try report.hash == image.perceptualHash() && report.pages == 1)
        #expect(abs(report.palette.reduce(0) { $0 + $1.share } - 1) < 1e-6)
    }

    @Test func `get takes a frame as a still image, and a page that is missing is an error`() async throws {
        let outcome = try await program.run(
            "get", "fire.gif", "--page", "2", "--format", "png", "-o", "2.png")
        #expect(outcome.code == 0, "\(outcome.errors)")
        let still = try Image(decoding: Data(contentsOf: folder.file("2.png")))
        let film = try Image(decoding: Data(contentsOf: folder.file("fire.gif")))
        let layout = PixelLayout(.rgba, .straight)
        #expect(try still.frameCount == 1 && still.pixels(in: layout) == film.page(at: 2).pixels(in: layout))
        for command in ["get", "info", "show"] {
            let missing = try await program.run(command, "fire.gif", "--page", "999")
            #expect(missing.code == 1 && missing.errors.contains("no page 999"), "\(missing.errors)")
        }
        #expect(try await program.run("get", "fire.gif", "--page", "-1").code == 2)
    }

    @Test func `get --process crops a QOI image smartly`() async throws {
        let outcome = try await program.run(
            "get", "rgb.qoi", "--process", "smartcrop(5x4)", "-o", "part.png")
        #expect(outcome.code == 0, "\(outcome.errors)")
        let part = try Image(decoding: Data(contentsOf: folder.file("part.png")))
        #expect(part.pixelSize == PixelSize(width: 5, height: 4))
    }
}
