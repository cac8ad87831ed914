import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `alcedo get --process` {
    let folder: TemporaryDirectory
    let cacheHome: TemporaryDirectory
    let program: Program

    init() throws {
        folder = try TemporaryDirectory()
        cacheHome = try TemporaryDirectory()
        program = Program(cacheHome: cacheHome.url, folder: folder.url)
    }

    /// 227×149 pixels, opaque.
    private let photo = Fixture.url("jpeg/testorig.jpg").path

    private func bitmap(_ steps: String..., from source: String? = nil) async throws -> Bitmap {
        let words = ["get", source ?? photo, "-o", "out.png"] + steps.flatMap { ["--process", $0] }
        let outcome = try await program.start(words).outcome()
        try #require(outcome.code == 0, "\(outcome.errors)")
        let written = [UInt8](try Data(contentsOf: folder.file("out.png")))
        return try CodecRegistry.shared.decode(written.span.bytes)
    }

    /// Blue, green, red and alpha of a pixel.
    private func pixel(_ bitmap: Bitmap, x: Int, y: Int) -> [UInt8] {
        bitmap.withUnsafeBytes { bytes in
            (0..<4).map { bytes[y * bitmap.bytesPerRow + x * 4 + $0] }
        }
    }

    @Test(arguments: [
        ("downsample(100x100)", 100, 66), ("resize(40x30)", 40, 30), ("resize(100x100, fit)", 100, 66),
        ("resize(100x100,fill)", 152, 100), ("fit(100x100)", 100, 66), ("Fill( 100x100 )", 152, 100),
        ("crop(50x40)", 50, 40), ("crop(50x40, 0, 1)", 50, 40), ("round(20)", 227, 149),
        ("downsample(100x100) |> crop(30x30) |> resize(60X60)", 60, 60), ("blackwhite()", 227, 149),
        ("blur(2.5)|>color(0.1,1.2,0,-1)", 227, 149),
    ])
    func `--process creates the size that the processors create`(
        _ steps: String, _ width: Int, _ height: Int
    ) async throws {
        #expect(try await bitmap(steps).size == PixelSize(width: width, height: height))
    }

    @Test func `--process rounds corners, draws a border and lays colours over the image`() async throws {
        #expect(pixel(try await bitmap("round(20)"), x: 0, y: 0)[3] == 0)
        #expect(pixel(try await bitmap("border(3,#102030)"), x: 1, y: 1) == [0x30, 0x20, 0x10, 255])
        #expect(pixel(try await bitmap("overlay(#0a0b0c, 0)"), x: 9, y: 9) == [12, 11, 10, 255])
        #expect(pixel(try await bitmap("tint(#0a0b0c)"), x: 9, y: 9) == [12, 11, 10, 255])
        let untouched = pixel(try await bitmap("tint(#ff000000)"), x: 9, y: 9)
        #expect(try await pixel(bitmap("tint(#ff0000, 0)"), x: 9, y: 9) == untouched)
        let grey = pixel(try await bitmap("blackwhite"), x: 9, y: 9)
        #expect(Set(grey.dropLast()).count == 1)
        #expect(pixel(try await bitmap("round(20)|>background(#0000ff)"), x: 0, y: 0) == [255, 0, 0, 255])
    }

    @Test func `--process crops at the anchor`() async throws {
        let marked = "border(3,#ff0000)|>crop(20x20,1,0)"
        let corner = try await bitmap(marked)
        #expect(pixel(corner, x: 19, y: 0) == [0, 0, 255, 255])
        #expect(pixel(corner, x: 0, y: 19) != [0, 0, 255, 255])
    }

    @Test func `--process comes after the shorthands`() async throws {
        let outcome = try await program.run(
            "get", photo, "-o", "out.png", "--resize", "40x40", "--process", "crop(40x10)", "--json")
        #expect(outcome.code == 0 && outcome.text.contains("\"height\":10"), "\(outcome.errors)")
    }

    @Test func `--process keeps colours apart that differ by one step`() async throws {
        let server = try LoopbackServer()
        server.serve("/a.jpg", try Fixture.data("jpeg/testorig.jpg"))
        for (color, red) in [("#ff0000", UInt8(255)), ("#fe0000", 254), ("#fd0000", 253)] {
            let made = try await bitmap("tint(\(color))", from: server.address("/a.jpg"))
            #expect(pixel(made, x: 9, y: 9) == [0, 0, red, 255])
        }
    }

    @Test(arguments: [
        ("sharpen(2)", "“sharpen”", "character 1"), ("blur(2)|>glow", "“glow”", "character 10"),
        ("", "no processor", "character 1"), ("blur(2)|>", "no processor", "character 10"),
        ("|>blur(2)", "no processor", "character 1"), ("round(20", "round(R)", "character 1"),
        ("round(20)x", "round(R)", "character 1"), ("round", "round(R)", "character 1"),
        ("round(1,2)", "“2”", "character 9"), ("round(-3)", "“-3”", "character 7"),
        ("round(nan)", "“nan”", "character 7"), ("round(1e9)", "“1e9”", "character 7"),
        ("blur(0)", "“0”", "character 6"), ("blur(99999)", "“99999”", "character 6"),
        ("resize(0x4)", "“0x4”", "character 8"), ("fit(4)", "“4”", "character 5"),
        ("fill(70000x4)", "“70000x4”", "character 6"), ("downsample(-1x4)", "“-1x4”", "character 12"),
        ("resize(4x4,cover)", "“cover”", "character 12"), ("crop(4x4,2,0)", "“2”", "character 10"),
        ("crop(4x4,0)", "crop(WxH[, X, Y])", "character 1"), ("tint(red)", "“red”", "character 6"),
        ("tint(#12345)", "“#12345”", "character 6"), ("tint(#ff0000,1.5)", "“1.5”", "character 14"),
        ("border(4)", "border(W, #rrggbb)", "character 1"), ("color(1,1,1)", "color(", "character 1"),
        ("overlay(#ff0000,-1)", "“-1”", "character 17"), ("color(0,1,1,nan)", "“nan”", "character 13"),
        ("resize(65535x65535)", "50000000", "character 8"),
        ("blackwhite(1)", "“1”", "character 12"), ("round(２)", "“２”", "character 7"),
    ])
    func `--process rejects nonsense, and says which piece it is and where`(
        _ steps: String, _ piece: String, _ position: String
    ) async throws {
        let outcome = try await program.run("get", photo, "--process", steps)
        #expect(outcome.code == 2 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("--process") && outcome.errors.contains(piece), "\(outcome.errors)")
        #expect(outcome.errors.contains(", \(position): "))
        #expect(outcome.errors.split(separator: "\n").count == 1)
    }

    @Test func `--process lists what is known, and takes no more than 32 steps`() async throws {
        let unknown = try await program.run("get", photo, "--process", "sharpen")
        let help = try await program.run("get", "--help")
        for name in [
            "downsample", "resize", "fit", "fill", "crop", "round", "blur", "tint", "border", "blackwhite",
            "color", "overlay", "background",
        ] {
            #expect(unknown.errors.contains(name) && help.text.contains("\(name)"), "\(name)")
        }
        let many = Array(repeating: "blackwhite", count: 33).joined(separator: "|>")
        let outcome = try await program.run("get", photo, "--process", many)
        #expect(outcome.code == 2 && outcome.errors.contains("32"))
    }
}
