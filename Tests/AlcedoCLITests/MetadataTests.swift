import Alcedo
import AlcedoCodecs
import AlcedoTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `Metadata of the command` {
    private let folder: TemporaryDirectory
    private let cacheHome: TemporaryDirectory
    private let program: Program

    /// With a terminal's escape in the artist's name.
    private let exif = EXIFBuilder.tags(orientation: 6, artist: "Ada\u{1B}[31m", copyright: "2026 Ada")
    private let xmp = Array(
        #"<x:xmpmeta xmlns:x="adobe:ns:meta/"><d dc:title="Boat" photoshop:City="Rome"/></x:xmpmeta>"#.utf8)

    init() throws {
        folder = try TemporaryDirectory()
        cacheHome = try TemporaryDirectory()
        program = Program(cacheHome: cacheHome.url, folder: folder.url)
        let photograph = try Fixture.data("jpeg/testorig.jpg")
        let blocks = MetadataBlocks(exif: exif, xmp: xmp)
        try Data(blocks.embedded(in: photograph, format: .jpeg)).write(to: folder.file("photo.jpg"))
    }

    private func written(_ name: String) throws -> Image {
        try Image(decoding: Data(contentsOf: folder.file(name)))
    }

    @Test func `info prints metadata without control characters, and JSON has it whole`() async throws {
        let text = try await program.run("info", "photo.jpg").text
        #expect(text.contains("  title       Boat\n") && text.contains("  rights      2026 Ada\n"))
        #expect(text.contains("  creators    Ada\u{FFFD}[31m\n") && !text.contains("\u{1B}"))
        let json = try await program.run("info", "--json", "photo.jpg").output
        let report = try JSONDecoder().decode(Report.self, from: json)
        #expect(report.metadata.creators == ["Ada\u{1B}[31m"] && report.metadata.exifBytes == exif.count)
        #expect(!String(decoding: json, as: UTF8.self).contains("\u{1B}"))
    }

    private struct Report: Decodable {
        struct Metadata: Decodable {
            let creators: [String]
            let exifBytes: Int
        }

        let metadata: Metadata
    }

    @Test func `get keeps the copyright of what it processes or converts`() async throws {
        for (options, name) in [
            (["--resize", "20x30"], "a.jpg"), (["--resize", "20x30"], "a.png"), ([], "a.webp"),
            (["--resize", "20x30"], "a.jpg"),
        ] {
            let outcome = try await program.start(["get", "photo.jpg", "-o", name] + options).outcome()
            #expect(outcome.code == 0, "\(outcome.errors)")
            let metadata = try written(name).metadata
            #expect(metadata?.rights == "2026 Ada" && metadata?.title == nil && metadata?.orientation == nil)
        }
    }

    @Test(arguments: [
        ("none", false, false, false), ("copyright", true, false, false),
        ("all-but-place", true, true, false),
        ("all", true, true, true),
    ])
    func `get keeps what --metadata says, of images that are processed, converted or neither`(
        word: String, hasRights: Bool, hasTitle: Bool, hasPlace: Bool
    ) async throws {
        for options in [["--resize", "20x30"], ["--format", "png"], []] {
            let words = ["get", "photo.jpg", "--metadata", word, "-o", "out"] + options
            let outcome = try await program.start(words).outcome()
            #expect(outcome.code == 0, "\(outcome.errors)")
            let image = try written("out")
            #expect((image.metadata?.rights != nil) == hasRights)
            #expect((image.metadata?.title != nil) == hasTitle)
            let data = try Data(contentsOf: folder.file("out"))
            #expect((data.firstRange(of: Data("Rome".utf8)) != nil) == hasPlace)
            // Turned once, and not again.
            #expect(
                image.pixelSize
                    == (options.first == "--resize"
                        ? PixelSize(width: 20, height: 30) : PixelSize(width: 149, height: 227)))
        }
    }

    @Test func `get keeps all metadata of an image that nothing changes`() async throws {
        #expect(try await program.run("get", "photo.jpg", "-o", "same.jpg").code == 0)
        #expect(try Data(contentsOf: folder.file("same.jpg")) == Data(contentsOf: folder.file("photo.jpg")))
        let wrong = try await program.run("get", "photo.jpg", "--metadata", "most")
        #expect(wrong.code == 2 && wrong.errors.contains("none, copyright, all-but-place or all"))
    }

    @Test func `strip removes metadata, and no pixel changes`() async throws {
        let outcome = try await program.run("strip", "photo.jpg", "-o", "bare.jpg")
        #expect(outcome.code == 0, "\(outcome.errors)")
        let (bare, image) = (try written("bare.jpg"), try written("photo.jpg"))
        #expect(bare.metadata?.rights == nil && bare.metadata?.xmp == nil && bare.info?.orientation == .right)
        let layout = PixelLayout(.rgba, .straight)
        #expect(try bare.bitmap().bytes(in: layout) == image.bitmap().bytes(in: layout))
        // Beside the image, whose name is taken.
        #expect(try await program.run("strip", "photo.jpg", "--metadata", "copyright").code == 0)
        #expect(try written("photo-2.jpg").metadata?.rights == "2026 Ada")
        #expect(try await program.run("strip").code == 2)
    }

    @Test func `strip rejects a format whose metadata it cannot remove`() async throws {
        try Data(Fixture.data("gif/fire.gif")).write(to: folder.file("a.gif"))
        let outcome = try await program.run("strip", "a.gif", "-o", "b.gif")
        #expect(outcome.code == 1 && outcome.errors.contains("alcedo get --format"), "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.file("b.gif").path))
    }
}
