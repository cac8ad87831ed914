import Alcedo
import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `alcedo get` {
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

    @Test func `get writes an unchanged image byte for byte, and again from the cache`() async throws {
        let bytes = try Fixture.data("jpeg/testorig.jpg")
        server.serve("/dir/photo.jpg", bytes)
        for origin in ["loaded", "from disk"] {
            let outcome = try await program.run("get", server.address("/dir/photo.jpg"), "--force")
            #expect(outcome.code == 0)
            #expect(outcome.text == "photo.jpg  227×149 JPEG, 5.8 KB, \(origin)\n")
            #expect(try Data(contentsOf: folder.file("photo.jpg")) == Data(bytes))
        }
        #expect(server.requestCount() == 1)
    }

    @Test func `get has Foundation create no cache beside its own`() async throws {
        server.serve("/a.gif", try Fixture.data("gif/fire.gif"))
        _ = try await program.run("get", server.address("/a.gif"))
        let names = try FileManager.default.contentsOfDirectory(atPath: cacheHome.path)
        #expect(names.count == 1)
        #expect(!names.contains("org.swift.foundation.URLCache"))
    }

    @Test func `get --color keep keeps the depth and the colour space`() async throws {
        let size = PixelSize(width: 40, height: 30)
        var pixels = try PixelBuilder(
            size: size, alpha: .opaque, deep: DeepColors(.displayP3, DeepColors.sRGB.conversion))
        pixels.withUnsafeMutableBytes { output in
            let samples = output.bindMemory(to: SIMD4<UInt16>.self)
            for index in samples.indices { samples[index] = SIMD4(UInt16(index * 50), 1000, 2000, .max) }
        }
        let bitmap = pixels.freeze()
        server.serve("/a.png", try PNGCodec().encode(bitmap, as: .png, options: EncodeOptions()))
        func get(_ name: String, _ options: String...) async throws -> Bitmap {
            let words = ["get", server.address("/a.png"), "--resize", "20x15", "-o", name] + options
            let outcome = try await program.start(words).outcome()
            #expect(outcome.code == 0, "\(outcome.errors)")
            let bytes = [UInt8](try Data(contentsOf: folder.file(name)))
            let options = DecodeOptions { $0.colorRetention = .full }
            return try CodecRegistry.shared.decode(bytes.span.bytes, options: options)
        }
        let expected = try bitmap.resized(to: PixelSize(width: 20, height: 15))
        for _ in ["loaded", "from disk"] {
            #expect(try await get("a.png", "--color", "keep").hasSamePixels(as: expected))
        }
        #expect(try await get("a.jpg", "--color", "keep").isDeep)
        for options in [[], ["--color", "srgb"]] {
            let plain = try await options.isEmpty ? get("b.png") : get("b.png", options[0], options[1])
            #expect(!plain.isDeep)
        }
        let wrong = try await program.run("get", server.address("/a.png"), "--color", "wide")
        #expect(wrong.code == 2 && wrong.errors.contains("--color takes srgb, p3, keep or hdr"))
        let wide = try await get("wide.png", "--color", "p3")
        #expect(wide.colorSpace == .displayP3 && wide.hasSamePixels(as: expected))
        let deep = try await get("deep.png", "--depth", "16")
        #expect(deep.isDeep && deep.colorSpace == .sRGB)
        #expect(try deep.standard().largestDifference(to: expected.standard()) <= 1)
        let bytes = try await get("bytes.png", "--color", "keep", "--depth", "8")
        #expect(bytes.colorSpace == .displayP3)
        #expect(try Data(contentsOf: folder.file("bytes.png"))[24] == 8)
    }

    @Test func `get --depth writes an unchanged image anew, and rejects what a format has not`() async throws
    {
        let bitmap = try DeepRamps.bitmap(.displayP3, .opaque, DeepColors.sRGB.conversion)
        try Data(PNGCodec().encode(bitmap, as: .png, options: EncodeOptions())).write(
            to: folder.file("a.png"))
        let words = ["get", "a.png", "--color", "keep", "--depth", "8", "-o", "b.png"]
        #expect(try await program.start(words).outcome().code == 0)
        #expect(try Data(contentsOf: folder.file("b.png"))[24] == 8)
        let cases = [
            (["--depth", "10", "-o", "c.png"], 2, "a PNG has 8 or 16 bits a channel, not 10"),
            (["--depth", "16", "-o", "c.jpg"], 2, "a JPEG has 8 bits a channel, not 16"),
            (["--depth", "9"], 2, "--depth takes 8, 10, 12 or 16"),
            (["--color", "p3", "-o", "c.gif"], 2, "a GIF is always sRGB"),
            (["--depth", "10", "-o", "out/"], 1, "a PNG has 8 or 16 bits a channel, not 10"),
        ]
        for (options, code, text) in cases {
            let outcome = try await program.start(["get", "a.png"] + options).outcome()
            #expect(outcome.code == code && outcome.errors.contains(text), "\(options): \(outcome.errors)")
        }
        try Data(Fixture.data("gif/fire.gif")).write(to: folder.file("fire.gif"))
        let animated = try await program.run("get", "fire.gif", "--color", "p3", "-o", "fire.webp")
        #expect(animated.code == 1 && animated.errors.contains("an animation has 8 bits of sRGB"))
    }

    #if HEIF && JXL
        @Test func `get writes the depth and the colours that AVIF and JPEG XL have`() async throws {
            let bitmap = try DeepRamps.bitmap(
                .codePoints(primaries: 9, transfer: 16), .opaque, DeepColors.sRGB.conversion)
            try Data(PNGCodec().encode(bitmap, as: .png, options: EncodeOptions())).write(
                to: folder.file("a.png"))
            for (name, options, bits) in [
                ("a.avif", [], 10), ("b.avif", ["--depth", "12"], 12), ("a.jxl", [], 16),
                ("b.jxl", ["--depth", "10"], 10), ("c.avif", ["--depth", "8"], 8),
            ] {
                let words = ["get", "a.png", "--color", "keep", "-o", name] + options
                #expect(try await program.start(words).outcome().code == 0)
                let info = try await program.run("info", name)
                #expect(
                    info.text.contains("\(bits) bits a channel") && info.text.contains("BT.2020, PQ\n"),
                    "\(info.text)")
            }
        }
    #endif

    @Test func `get --refresh asks the server again`() async throws {
        server.serve("/a.gif", try Fixture.data("gif/fire.gif"))
        for _ in 0..<2 { _ = try await program.run("get", server.address("/a.gif"), "--refresh", "-o", "-") }
        #expect(server.requestCount() == 2)
    }

    @Test func `get processes, and takes the format of the output's name`() async throws {
        let path = Fixture.url("exif-orientation/Portrait_6.jpg").path
        let outcome = try await program.run(
            "get", path, "--downsample", "300x300", "--round", "20", "-o", "small.png", "--json")
        #expect(outcome.code == 0)
        let report = try JSONDecoder().decode(Report.self, from: outcome.output)
        #expect(report == Report(url: path, path: "small.png", format: "png", width: 200, height: 300))
        let written = [UInt8](try Data(contentsOf: folder.file("small.png")))
        let bitmap = try CodecRegistry.shared.decode(written.span.bytes)
        #expect(bitmap.size == PixelSize(width: 200, height: 300))
        #expect(bitmap.withUnsafeBytes { $0[3] } == 0)
    }

    @Test func `get writes several images into a folder under names of their own`() async throws {
        let bytes = try Fixture.data("gif/fire.gif")
        server.serve("/a/fire.gif", bytes)
        server.serve("/b/fire.gif", bytes)
        let outcome = try await program.run(
            "get", server.address("/a/fire.gif"), server.address("/b/fire.gif"))
        #expect(outcome.code == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names == ["fire-2.gif", "fire.gif"])
    }

    @Test func `one failure does not stop the other loads, and shows in the exit code`() async throws {
        server.serve("/a.gif", try Fixture.data("gif/fire.gif"))
        let missing = server.address("/missing.png")
        let outcome = try await program.run("get", server.address("/a.gif"), missing)
        #expect(outcome.code == 1)
        #expect(outcome.errors == "alcedo: \(missing) returned status 404.\n")
        #expect(FileManager.default.fileExists(atPath: folder.file("a.gif").path))
    }

    @Test(arguments: [
        ("", "not a URL"), ("/nowhere/a.png", "No such file"), ("/dev/null", "not a regular file"),
        ("ftp://127.0.0.1/a.png", "ftp"), ("http://127.0.0.1:1/a.png", "Could not connect"),
        ("data:image/png;base64,AAAA", "not an image"), ("data:,", "data is empty"),
    ])
    func `an input that cannot be loaded is one clear line and exit code 1`(
        _ input: String, _ reason: String
    ) async throws {
        let outcome = try await program.run("get", input)
        #expect(outcome.code == 1)
        #expect(outcome.errors.hasPrefix("alcedo: ") && outcome.errors.contains(reason))
        #expect(outcome.errors.contains(input.isEmpty ? "“”" : input))
        #expect(outcome.errors.split(separator: "\n").count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func `a page and a truncated image are rejected by name, and cached nowhere`() async throws {
        server.serve("/page.png", Array("<html><body>Sign in</body></html>".utf8), contentType: "image/png")
        server.serve("/cut.jpg", Array(try Fixture.data("jpeg/testorig.jpg").prefix(3000)))
        let page = try await program.run("get", server.address("/page.png"))
        let cut = try await program.run("get", server.address("/cut.jpg"))
        #expect(page.code == 1 && page.errors.contains("/page.png") && page.errors.contains("not an image"))
        #expect(cut.code == 1 && cut.errors.contains("/cut.jpg") && cut.errors.contains("cut short"))
        let list = try await program.run("cache", "list", "--json")
        #expect(list.output.isEmpty)
    }

    @Test func `get reads a local file anew each time`() async throws {
        let file = folder.file("a.gif")
        for name in ["gif/fire.gif", "gif/wedge.gif"] {
            try Data(Fixture.data(name)).write(to: file)
            let outcome = try await program.run("get", file.path, "-o", "-")
            #expect(outcome.output == Data(try Fixture.data(name)))
        }
        try FileManager.default.removeItem(at: file)
        #expect(try await program.run("get", file.path, "-o", "-").code == 1)
    }

    @Test(arguments: [("animated.gif", ["-o", "animated.gif"]), ("welcome2.webp", ["--format", "webp"])])
    func `get keeps an animation in a format that has them`(_ name: String, _ output: [String]) async throws {
        let source = Fixture.url(name == "animated.gif" ? "made/animated.webp" : "gif/welcome2.gif").path
        let outcome = try await program.start(["get", source] + output).outcome()
        #expect(outcome.code == 0, "\(outcome.errors)")
        let written = [UInt8](try Data(contentsOf: folder.file(name)))
        let info = try CodecRegistry.shared.info(of: written.span.bytes)
        #expect(info.format.rawValue == (name as NSString).pathExtension)
        #expect(info.frameCount == 6)
    }

    @Test func `get writes a still picture as a GIF`() async throws {
        let path = Fixture.url("jpeg/testorig.jpg").path
        #expect(try await program.run("get", path, "--format", "gif").code == 0)
        let written = [UInt8](try Data(contentsOf: folder.file("testorig.gif")))
        #expect(try CodecRegistry.shared.info(of: written.span.bytes).format == .gif)
    }

    @Test(arguments: ["a.bmp", "a.tif", "a.tiff", "a.avif"])
    func `the name of get's output chooses the format`(name: String) async throws {
        let path = Fixture.url("jpeg/testorig.jpg").path
        let format = EncodedFormat(rawValue: name == "a.tif" ? "tiff" : String(name.dropFirst(2)))
        guard codecs.codec(writing: format) != nil else { return }
        #expect(try await program.run("get", path, "-o", name).code == 0)
        let written = [UInt8](try Data(contentsOf: folder.file(name)))
        #expect(try codecs.info(of: written.span.bytes).format == format)
    }

    @Test func `get writes no format under the name of another`() async throws {
        let path = Fixture.url("jpeg/testorig.jpg").path
        let outcome = try await program.run("get", path, "-o", "a.svg")
        #expect(outcome.code == 1)
        #expect(outcome.errors.hasPrefix("alcedo: \(path): a.svg: SVG cannot be written; choose "))
        #expect(outcome.errors.contains("bmp, gif, "))
        let other = try await program.run("get", path, "--format", "png", "-o", "a.bmp")
        #expect(other.errors.contains("a.bmp: the image is written as PNG, which the extension contradicts"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func `get follows a link, and a replaced file keeps its mode`() async throws {
        let target = folder.file("target.gif")
        try Data().write(to: target)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: target.path)
        try FileManager.default.createSymbolicLink(at: folder.file("link.gif"), withDestinationURL: target)
        let outcome = try await program.run("get", Fixture.url("gif/fire.gif").path, "-o", "link.gif")
        #expect(outcome.code == 0)
        #expect(try Data(contentsOf: target) == Data(Fixture.data("gif/fire.gif")))
        let mode = try FileManager.default.attributesOfItem(atPath: target.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func `messages of get neither command the terminal nor show passwords`() async throws {
        let outcome = try await program.run("get", "http://me:secret@127.0.0.1:1/a", "/no\u{1B}[31mwhere")
        #expect(outcome.code == 1)
        #expect(!outcome.errors.contains("secret") && !outcome.errors.contains("\u{1B}"))
        #expect(outcome.errors.contains("//…@127.0.0.1") && !outcome.errors.contains("me:"))
    }

    @Test func `neither messages nor JSON show credentials, or how a URL is signed`() async throws {
        server.serve("/a.gif", try Fixture.data("gif/fire.gif"))
        let secret = "//me:pw@127.0.0.1:\(server.port)"
        for path in ["/a.gif?w=1&X-Amz-Signature=f00", "/none?w=1&X-Amz-Signature=f00"] {
            let word = server.address(path).replacing("//127.0.0.1:\(server.port)", with: secret)
            let shown = "http://…@127.0.0.1:\(server.port)\(path.prefix { $0 != "?" })?…"
            for (command, isJSON) in [("get", false), ("get", true), ("info", false), ("info", true)] {
                let words =
                    [command, word] + (isJSON ? ["--json"] : []) + (command == "get" ? ["--force"] : [])
                let outcome = try await program.start(words).outcome()
                let text = outcome.text + outcome.errors
                #expect(!text.contains("pw") && !text.contains("me:") && !text.contains("f00"), "\(words)")
                #expect(words == ["get", word, "--force"] || text.contains(shown), "\(text)")
            }
            let outcome = try await program.run("prefetch", input: word)
            #expect(!outcome.errors.contains("f00") && !outcome.errors.contains("pw"))
        }
    }

    @Test(arguments: [
        ("http://u:pw@h:99999", "h:99999"), ("foo://u:pw@birds.test:1", "birds.test:1"),
        ("u:pw@\(String(repeating: "a", count: 64)).test", String(repeating: "a", count: 64) + ".test"),
        ("socks5h://u:pw@\(String(repeating: "a", count: 64)).test:9", String(repeating: "a", count: 64)),
    ])
    func `a proxy of the environment that cannot be used is named, without its password`(
        _ proxy: String, _ shown: String
    ) async throws {
        let environment = ["http_proxy": proxy, "no_proxy": ""]
        let outcome = try await program.start(
            ["get", server.address("/a.gif")], environment: environment
        ).outcome()
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains("the proxy “") && outcome.errors.contains(shown), "\(outcome.errors)")
        #expect(!outcome.errors.contains("pw"))
    }

    @Test func `a path that get cannot write is named, with no leftover`() async throws {
        let path = Fixture.url("gif/fire.gif").path
        let outcome = try await program.run("get", path, "-o", "/proc/nowhere/a.gif")
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains("/proc/nowhere/a.gif") && outcome.errors.contains("No such file"))
    }

    @Test func `an unwritable cache costs one warning and not the image`() async throws {
        try Data().write(to: folder.file("blocked"))
        let program = Program(cacheHome: folder.file("blocked/cache"), folder: folder.url)
        let bytes = try Fixture.data("gif/fire.gif")
        server.serve("/fire.gif", bytes)
        server.serve("/wedge.gif", try Fixture.data("gif/wedge.gif"))
        let outcome = try await program.run("get", server.address("/fire.gif"), server.address("/wedge.gif"))
        #expect(outcome.code == 0)
        #expect(outcome.errors.split(separator: "\n").count == 1)
        #expect(outcome.errors.contains("blocked/cache"))
        #expect(try Data(contentsOf: folder.file("fire.gif")) == Data(bytes))
    }

    @Test
    func `a full disk costs one warning, and neither the image nor what was cached before`() async throws {
        let small = try Fixture.data("gif/fire.gif")
        // What follows the end of a JPEG belongs to no image, and makes the file too large for the disk.
        let large =
            try Fixture.data("exif-orientation/Landscape_1.jpg") + [UInt8](repeating: 0, count: 16 << 20)
        server.serve("/a", Reply(body: small), Reply(body: large))
        let address = server.address("/a")
        _ = try await program.run("get", address, "-o", "-")
        // The limit counts for memory that is shared with a worker process, too.
        let full = try await program.run(
            fileSizeLimit: 8 << 20, "get", address, "--refresh", "-o", "-", "--sandbox", "off")
        #expect(full.code == 0)
        let isWhole = full.output == Data(large)
        #expect(isWhole)
        #expect(full.errors.split(separator: "\n").count == 1)
        #expect(full.errors.contains(cacheHome.path))
        let again = try await program.run("get", address, "-o", "-")
        #expect(again.output == Data(small))
        #expect(try await program.run("cache", "list", "--json").text.split(separator: "\n").count == 1)
        let files = FileManager.default.enumerator(atPath: cacheHome.path)?.compactMap { $0 as? String } ?? []
        #expect(files.filter { $0.contains(".alcedo-") && !$0.contains(".alcedo-size") }.isEmpty)
    }

    @Test func `an interrupt ends get with 130 and no staging file`() async throws {
        let gate = Gate()
        server.serve(
            "/a.jpg", Reply(body: try Fixture.data("jpeg/testorig.jpg")).hold(.byte(2000), until: gate))
        let running = try program.start(
            ["get", server.address("/a.jpg"), "-o", "a.jpg", "--timeout", "600"])
        await server.waitForRequests(1)
        running.interrupt()
        let outcome = await running.outcome()
        #expect(outcome.code == 130)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    private struct Report: Decodable, Equatable {
        let url: String
        let path: String
        let format: String
        let width: Int
        let height: Int
    }
}
