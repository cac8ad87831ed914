import AlcedoTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `The commands beside get` {
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
        ["https:/me:hunter2@h.test/"], ["serve", "https://me:hunter2@h.test/"],
        ["get", "https:/me:hunter2@127.0.0.1:1/a.png", "--json"],
        ["info", "http:me:hunter2@127.0.0.1:1/a.png"], ["get", "//me:hunter2@127.0.0.1:1/a.png", "--json"],
        ["info", "https:/\t/me:hunter2@127.0.0.1:1/a.png"],
        ["get", "\nhttps:\\\r\\me:hunter2@127.0.0.1:1/a.png"],
        ["get", "a", "-o", "https://me:hunter2@h.test/\n"], ["get", "a", "--format", "http:/me:hunter2@h"],
        ["url", "ftp:/me:hunter2@h.test/"], ["serve", "--bind", "me:hunter2@h.test"],
    ])
    func `errors show no credentials of URLs`(_ arguments: [String]) async throws {
        let outcome = try await program.start(arguments).outcome()
        #expect(outcome.code != 0)
        let output = outcome.errors + outcome.text
        #expect(output.contains("…@") && !output.contains("hunter2"), "\(output)")
    }

    @Test(arguments: [
        ["--bogus"], ["frobnicate"], ["get"], ["get", "--bogus"], ["get", "a", "--downsample", "3"],
        ["get", "a", "--format", "svg"], ["get", "a", "--round", "-1"], ["info"], ["show"], ["cache"],
        ["cache", "eat"], ["prefetch", "a", "b"], ["get", "a", "-o"], [],
    ])
    func `wrong usage is exit code 2 and says what is wrong`(_ arguments: [String]) async throws {
        let outcome = try await program.start(arguments).outcome()
        #expect(outcome.code == 2)
        #expect(outcome.output.isEmpty)
        #expect(!outcome.errors.isEmpty)
    }

    @Test func `--version names the program and its version`() async throws {
        let outcome = try await program.run("--version")
        #expect(outcome.code == 0 && outcome.errors.isEmpty)
        #expect(outcome.text.wholeMatch(of: /alcedo [0-9]+\.[0-9]+\.[0-9]+\n/) != nil, "\(outcome.text)")
        #expect(try await program.run("--help").text.contains("alcedo --version"))
    }

    @Test func `the command prints no control characters of an option that it rejects`() async throws {
        let outcome = try await program.run("get", "a", "--format", "\u{1B}[31m\nred")
        #expect(outcome.code == 2 && !outcome.errors.contains("\u{1B}"))
        #expect(outcome.errors.split(separator: "\n").count == 1)
    }

    @Test(arguments: ["get", "info", "prefetch", "cache", "show"])
    func `--help explains each command`(_ command: String) async throws {
        let outcome = try await program.run(command, "--help")
        #expect(outcome.code == 0)
        #expect(outcome.text.hasPrefix("usage: alcedo \(command)"))
    }

    @Test func `info prints what the headers say`() async throws {
        let outcome = try await program.run("info", Fixture.url("gif/welcome2.gif").path, "--json")
        let report = try JSONDecoder().decode(Report.self, from: outcome.output)
        #expect(report == Report(format: "gif", width: 290, height: 48, frames: 6, orientation: 1))
    }

    /// Bits of a channel, colours, and whether there is a gain map.
    @Test func `info prints how deep and how wide the colours are`() async throws {
        var expected = [
            ("gif/welcome2.gif", "8 bits", "sRGB"), ("pngsuite/png/basn2c16.png", "16 bits", "sRGB"),
            ("pngsuite/png/basn3p04.png", "8 bits", "sRGB"), ("made/cmyk.jpg", "8 bits", "CMYK"),
        ]
        #if HEIF
            expected += [
                ("deep/pq10.avif", "10 bits", "BT.2020, PQ"),
                ("deep/linear12.avif", "12 bits", "BT.709, linear"),
                ("deep/p3-10.heic", "10 bits", "Display P3"), ("heif/still.heic", "8 bits", "sRGB"),
            ]
        #endif
        #if JXL
            expected += [
                ("deep/p3-16.jxl", "16 bits", "Display P3"), ("deep/hlg16.jxl", "16 bits", "BT.2020, HLG"),
                ("deep/linear-float.jxl", "32 bits a channel, floating point", "BT.709, linear"),
                ("jxl/lossy-alpha.jxl", "8 bits", "sRGB"), ("jxl/turned.jxl", "8 bits", "sRGB"),
                ("jxl/animated.jxl", "8 bits", "sRGB"),
            ]
        #endif
        #if TIFF
            expected += [("tiff/cmyk.tiff", "8 bits", "CMYK"), ("tiff/grey16.tiff", "16 bits", "sRGB")]
        #endif
        #if JP2
            expected += [("jp2/grey16.jp2", "16 bits", "sRGB"), ("deep/12.j2k", "12 bits", "sRGB")]
        #endif
        for (name, depth, colors) in expected {
            let outcome = try await program.run("info", Fixture.url(name).path)
            #expect(outcome.text.contains(depth), "\(name): \(outcome.text)")
            #expect(outcome.text.contains("colours     \(colors)\n"), "\(name): \(outcome.text)")
            #expect(!outcome.text.contains("gain map"))
        }
        let ultra = try await program.run("info", Fixture.url("metadata/gain-map.jpg").path)
        #expect(ultra.text.contains("gain map    yes"))
    }

    #if HEIF
        @Test func `info finds a gain map by its item, not by what other words contain`() async throws {
            let still = Data(try Fixture.data("heif/still.heic"))
            func box(_ content: Data) -> Data {
                Data([0, 0, 0, UInt8(8 + content.count)]) + Data("skip".utf8) + content
            }
            let item = Data("infe".utf8) + [2, 0, 0, 0, 0, 9, 0, 0] + Data("tmap".utf8) + [0, 0, 0, 0]
            let longItem = Data("infe".utf8) + [3, 0, 0, 0, 0, 0, 0, 9, 0, 0] + Data("tmap".utf8) + [0, 0]
            for (content, isFound) in [
                (Data("a heatmap, a bitmap".utf8), false), (item, true), (longItem, true),
            ] {
                try (still + box(content)).write(to: folder.file("still.heic"))
                let outcome = try await program.run("info", "still.heic")
                #expect(outcome.text.contains("gain map") == isFound, "\(outcome.text)")
            }
        }
    #endif

    @Test
    func `prefetch loads a list once, and the cache can be measured, listed and cleared`() async throws {
        let bytes = try Fixture.data("gif/fire.gif")
        server.serve("/a.gif", bytes)
        server.serve("/b.gif", bytes)
        let list = "# images\n\n\(server.address("/a.gif"))\n  \(server.address("/b.gif"))\n"
        let first = try await program.run("prefetch", "-", input: list)
        let second = try await program.run("prefetch", input: list)
        #expect(first.text == "2 loaded, 0 in the cache already, 0 failed\n")
        #expect(second.text == "0 loaded, 2 in the cache already, 0 failed\n")
        #expect(server.requestCount() == 2)

        let stats = try await program.run("cache", "stats", "--json")
        #expect(stats.text.contains("\"images\":2"))
        #expect(stats.text.contains("\"bytes\":\(2 * bytes.count)"))
        #expect(try await program.run("cache", "list").text.split(separator: "\n").count == 2 + 2)
        #expect(try await program.run("cache", "clean").code == 0)
        #expect(try await program.run("cache", "list", "--json").text.split(separator: "\n").count == 2)
        #expect(try await program.run("cache", "clear").code == 0)
        #expect(try await program.run("cache", "list", "--json").text.isEmpty)
    }

    @Test func `prefetch counts failures and continues`() async throws {
        server.serve("/a.gif", try Fixture.data("gif/fire.gif"))
        let outcome = try await program.run(
            "prefetch", "--json", input: "\(server.address("/no.gif"))\n\(server.address("/a.gif"))\n")
        #expect(outcome.code == 1)
        #expect(outcome.text.hasSuffix("{\"cached\":0,\"failed\":1,\"loaded\":1}\n"))
        #expect(outcome.errors.contains("/no.gif"))
    }

    @Test func `prefetch says so when nothing can be stored`() async throws {
        server.serve("/a.gif", try Fixture.data("gif/fire.gif"))
        try Data().write(to: folder.file("blocked"))
        let program = Program(cacheHome: folder.file("blocked/cache"), folder: folder.url)
        let outcome = try await program.run("prefetch", input: server.address("/a.gif"))
        #expect(outcome.code == 1)
        #expect(outcome.text == "0 loaded, 0 in the cache already, 1 failed\n")
    }

    @Test func `a cache that cannot be used is named, and what to do`() async throws {
        try Data().write(to: folder.file("blocked"))
        let program = Program(cacheHome: folder.file("blocked/cache"), folder: folder.url)
        server.serve("/a.gif", try Fixture.data("gif/fire.gif"))
        for words in [["get", server.address("/a.gif")], ["cache", "stats"], ["cache", "clear"]] {
            let outcome = try await program.start(words).outcome()
            #expect(outcome.errors.contains("/blocked/cache/alcedo"), "\(outcome.errors)")
            #expect(outcome.errors.contains("Not a directory") && outcome.errors.contains("XDG_CACHE_HOME"))
            #expect(outcome.errors.split(separator: "\n").count == 1 && outcome.errors.hasPrefix("alcedo: "))
        }
    }

    @Test func `the cache is in the user's home if no variable names a folder`() async throws {
        let user = String(cString: try #require(getpwuid(getuid())?.pointee.pw_dir))
        let unset = ["-u", "HOME", "-u", "XDG_CACHE_HOME"]
        for (words, home) in [
            (unset, user), (unset + ["HOME="], user),
            (["HOME=\(folder.path)", "XDG_CACHE_HOME=relative"], folder.path),
        ] {
            let outcome = try await program.start(
                words + [Program.executable.path, "cache", "stats"], executable: URL(filePath: "/usr/bin/env")
            ).outcome()
            // A user of a service may have no home.
            let output = outcome.code == 0 ? outcome.text : outcome.errors
            #expect(output.contains("\(home)/.cache/alcedo"), "\(outcome)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.file("relative").path))
    }

    private var images: URL {
        cacheHome.url.appendingPathComponent("alcedo")
    }

    @Test func `cache clear works while another process stores`() async throws {
        try FileManager.default.createDirectory(at: images, withIntermediateDirectories: true)
        for number in 0..<50 { try Data([1]).write(to: images.appendingPathComponent("old \(number)")) }
        let (ended, stopped) = (CallCounter(), CallCounter())
        Thread.detachNewThread { [images] in
            var number = 0
            while ended.value == 0 {
                try? Data([1]).write(to: images.appendingPathComponent("new \(number)"))
                number = (number + 1) % 500
            }
            stopped.increment()
        }
        let outcome = try await program.run("cache", "clear")
        ended.increment()
        await stopped.waitFor(1)
        #expect(outcome.code == 0, "\(outcome.errors)")
        let left = try FileManager.default.contentsOfDirectory(atPath: images.path)
        #expect(!left.contains { $0.hasPrefix("old") })
    }

    @Test func `prefetch works while another process clears`() async throws {
        let bytes = try Fixture.data("gif/fire.gif")
        let names = (0..<60).map { "/\($0).gif" }
        for name in names { server.serve(name, bytes) }
        let (ended, stopped) = (CallCounter(), CallCounter())
        Thread.detachNewThread { [images] in
            while ended.value == 0 {
                for name in (try? FileManager.default.contentsOfDirectory(atPath: images.path)) ?? []
                where !name.hasPrefix(".") {
                    unlink(images.appendingPathComponent(name).path)
                }
            }
            stopped.increment()
        }
        let outcome = try await program.run(
            "prefetch", input: names.map { server.address($0) }.joined(separator: "\n"))
        ended.increment()
        await stopped.waitFor(1)
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(outcome.text == "60 loaded, 0 in the cache already, 0 failed\n")
    }

    @Test func `prefetch ends at an interrupt while it waits for its list`() async throws {
        let fifo = folder.file("list").path
        #expect(mkfifo(fifo, 0o600) == 0)
        server.serve("/a.gif", try Fixture.data("gif/fire.gif"))
        let writer = open(fifo, O_RDWR)
        defer { close(writer) }
        let line = server.address("/a.gif") + "\n"
        #expect(write(writer, line, line.utf8.count) == line.utf8.count)
        let running = try program.start(["prefetch", fifo])
        await server.waitForReplies(1)
        running.interrupt()
        let outcome = await running.outcome()
        #expect(outcome.code == 130, "\(outcome.errors)")
    }

    @Test func `prefetch rejects a folder, and fails if its output cannot be written`() async throws {
        let list = try await program.run("prefetch", folder.path)
        #expect(list.code == 1 && list.errors.contains("is a folder"))
        let script = "\"$0\" cache stats > /dev/full"
        let words = ["-c", script, Program.executable.path]
        let full = try await program.start(words, executable: URL(fileURLWithPath: "/bin/sh")).outcome()
        #expect(full.code == 1 && full.errors.contains("standard output"))
    }

    @Test func `show keeps the aspect, two rows of pixels to a line`() async throws {
        let path = Fixture.url("exif-orientation/Landscape_1.jpg").path
        let outcome = try await program.run("show", path, "--width", "30")
        let lines = outcome.text.split(separator: "\n")
        #expect(outcome.code == 0)
        #expect(lines.count == 10)
        #expect(lines.allSatisfy { $0.count { $0 == "▀" } == 30 })
    }

    @Test(arguments: ["1e300", "0", "nan", "0.5"])
    func `show rejects a width that makes no sense`(_ width: String) async throws {
        let outcome = try await program.run("show", "a.png", "--width", width)
        #expect(outcome.code == 2 && outcome.errors.contains("--width takes"), "\(outcome.errors)")
    }

    private struct Report: Decodable, Equatable {
        let format: String
        let width: Int
        let height: Int
        let frames: Int
        let orientation: Int
    }
}
