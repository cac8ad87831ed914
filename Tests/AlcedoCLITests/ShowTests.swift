import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

/// `alcedo show` on a pseudo terminal whose responses the tests give.
@Suite(.timeLimit(.minutes(10)))
struct `alcedo show` {
    let folder: TemporaryDirectory
    let cacheHome: TemporaryDirectory
    let program: Program

    init() throws {
        folder = try TemporaryDirectory()
        cacheHome = try TemporaryDirectory()
        program = Program(cacheHome: cacheHome.url, folder: folder.url)
    }

    private static let escape = "\u{1B}"
    private static let cell = "\(escape)[6;20;10t"
    private static let kitty = "\(escape)_Gi=31;OK\(escape)\\\(cell)\(escape)[?62;4c"
    private static let sixel = "\(cell)\(escape)[?62;4;22c"
    private static let wedge = Fixture.url("gif/wedge.gif").path

    private func show(_ words: String..., responses: String) async throws -> Program.Outcome {
        let outcome = try await program.start(
            ["show"] + words, environment: ["TERM": "xterm"], terminalResponses: responses
        ).outcome()
        #expect(outcome.text.contains("\u{1B}[c"), "It asks for nothing.")
        return outcome
    }

    @Test func `show sends a PNG in pieces to a terminal with kitty's graphics`() async throws {
        let outcome = try await show(Fixture.url("gif/porsche.gif").path, responses: Self.kitty)
        #expect(outcome.code == 0)
        let pieces = outcome.text.matches(of: /\u{1B}_G([^;]*);([^\u{1B}]*)\u{1B}\\/).dropFirst()
        #expect(pieces.count > 1 && pieces.allSatisfy { $0.2.count <= 4096 })
        #expect(pieces.dropLast().allSatisfy { $0.1.hasSuffix("m=1") } && pieces.last?.1 == "m=0")
        let data = try #require(Data(base64Encoded: pieces.map(\.2).joined()))
        let drawn = try #require(Image(data: data))
        let original = try #require(Image(data: Data(try Fixture.data("gif/porsche.gif"))))
        #expect(try drawn.bitmap().hasSamePixels(as: original.bitmap()))
    }

    @Test func `show draws sixels, and exactly if there are few colours`() async throws {
        let outcome = try await show(Self.wedge, responses: Self.sixel)
        #expect(outcome.code == 0)
        let drawn = try #require(SixelPicture(outcome.text))
        let original = try #require(Image(data: Data(try Fixture.data("gif/wedge.gif")))).bitmap()
        #expect(drawn.width == original.width && drawn.height == original.height)
        let differing = original.withUnsafeBytes { bytes in
            (0..<original.width * original.height).count { index in
                let (x, y) = (index % original.width, index / original.width)
                let at = y * original.bytesPerRow + x * 4
                let percent = [2, 1, 0].map { (Int(bytes[at + $0]) * 100 + 127) / 255 }
                return drawn.pixels[index] != percent
            }
        }
        #expect(differing == 0)
    }

    @Test func `show fits what is too wide to the columns`() async throws {
        let outcome = try await show(Self.wedge, "--width", "20", responses: Self.sixel)
        let drawn = try #require(SixelPicture(outcome.text))
        #expect(drawn.width == 200 && drawn.height == 109)
    }

    @Test(arguments: ["\(escape)[?62c", "\(escape)[?4c", "\(escape)_Gi=31;EINVAL\(escape)\\\(escape)[?1;2c"])
    func `show draws characters if the terminal supports nothing else`(_ responses: String) async throws {
        let outcome = try await show(Self.wedge, "--width", "20", responses: responses)
        #expect(outcome.code == 0 && outcome.text.count { $0 == "▀" } >= 100)
        #expect(!outcome.text.contains("\u{1B}P"))
    }

    @Test func `show draws characters after a second without a response of the terminal`() async throws {
        let outcome = try await show(Self.wedge, "--width", "20", responses: "")
        #expect(outcome.code == 0 && outcome.text.count { $0 == "▀" } >= 100)
    }

    @Test(arguments: [kitty, sixel, "\(escape)[?1c"])
    func `show plays an animation as often as it says, in one place`(_ responses: String) async throws {
        try quickAnimation().write(to: folder.url.appendingPathComponent("a.gif"))
        let outcome = try await show("a.gif", "--width", "10", responses: responses)
        #expect(outcome.code == 0, "\(outcome.errors)")
        // Each of 6 frames is drawn twice between saving and restoring the cursor.
        #expect(outcome.text.count(of: "\u{1B}7") == 12 && outcome.text.count(of: "\u{1B}8") == 12)
        #expect(outcome.text.contains("\u{1B}[?25l") && outcome.text.hasSuffix("\u{1B}[?25h"))
    }

    @Test(arguments: [kitty, sixel, "\(escape)[?1c"])
    func `show draws what has arrived of an image, then the image in its place`(
        _ responses: String
    ) async throws {
        let body = try Fixture.data("made/progressive.jpg")
        let (server, gate) = (try LoopbackServer(), Gate())
        server.serve("/p.jpg", Reply(body: body).hold(.byte(body.count / 2), until: gate))
        let running = try program.start(
            ["show", server.address("/p.jpg"), "--width", "40"],
            environment: ["TERM": "xterm"], terminalResponses: responses)
        // One preview at least is drawn between saving and restoring the cursor before the end has come.
        #expect(await running.waitForText("\u{1B}8", count: 1))
        gate.open()
        let outcome = await running.outcome()
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(outcome.text.count(of: "\u{1B}7") >= 2 && outcome.text.hasSuffix("\u{1B}[?25h"))
        let pictures = outcome.text.components(separatedBy: "\u{1B}7").dropFirst()
            .map { $0.components(separatedBy: "\u{1B}8")[0] }
        let file = Fixture.url("made/progressive.jpg").path
        let other = try await show(file, "--width", "40", responses: responses)
        let image = try #require(pictures.last).replacing(/i=[0-9]+/, with: "").replacing("C=1", with: "C=0")
        #expect(other.text.replacing(/i=[0-9]+/, with: "").contains(image))
        #expect(pictures.first != pictures.last)
    }

    @Test func `show leaves what has arrived of an image that breaks off, and says so`() async throws {
        let server = try LoopbackServer()
        let body = try Fixture.data("made/progressive.jpg")
        let gate = Gate()
        let end = body.count / 2
        server.serve("/p.jpg", Reply(body: body).hold(.byte(end), until: gate).cut(after: end))
        let running = try program.start(
            ["show", server.address("/p.jpg"), "--width", "10", "--timeout", "600"],
            environment: ["TERM": "xterm"], terminalResponses: "\u{1B}[?1c")
        #expect(await running.waitForText("\u{1B}8", count: 1))
        gate.open()
        let outcome = await running.outcome()
        #expect(outcome.code == 1 && !outcome.errors.isEmpty && outcome.text.hasSuffix("\u{1B}[?25h"))
    }

    @Test(arguments: [
        (["TERM": "xterm-256color"], "38;5;"), (["TERM": "xterm"], "38;5;"), (["TERM": "vt220"], "3"),
        (["TERM": "xterm-256color", "COLORTERM": "truecolor"], "38;2;"), (["TERM": "xterm-direct"], "38;2;"),
        (["TERM": "screen-256color", "TMUX": "x"], "38;2;"), (["TERM": "xterm-kitty"], "38;2;"),
    ])
    func `show draws in the colours that the terminal has`(
        _ environment: [String: String], _ code: String
    ) async throws {
        // Without what the terminal of the tests sets.
        let set = environment.map { "\($0.key)=\($0.value)" }
        let words = ["-u", "COLORTERM", "-u", "STY", "-u", "TMUX"] + set + [Program.executable.path]
        let running = try program.start(
            words + ["show", Self.wedge, "--width", "4"], executable: URL(filePath: "/usr/bin/env"),
            terminalResponses: "\u{1B}[?1c")
        let text = await running.outcome().text
        let codes = text.matches(of: /\u{1B}\[(?:0;)?([0-9]+;[0-9]+;|[0-9]+)/).map { String($0.1) }
        #expect(codes.contains { $0.hasPrefix(code) }, "\(text)")
        let others = ["38;5;", "38;2;"].filter { $0 != code }
        #expect(!others.contains(where: text.contains), "\(text)")
    }

    /// It shows kitty's query in its status line, and ignores 24-bit colours.
    @Test func `show asks GNU screen nothing, and draws in 256 colours there`() async throws {
        let environment = ["TERM": "screen", "STY": "1.pts-0.host", "COLORTERM": "truecolor"]
        let running = try program.start(
            ["show", Self.wedge, "--width", "4"], environment: environment, terminalResponses: Self.kitty)
        let text = await running.outcome().text
        #expect(text.contains("38;5;") && !text.contains("38;2;") && !text.contains("\u{1B}_G"), "\(text)")
    }

    @Test(arguments: [
        ("full", "38;2;255;0;0;48;2;0;255;0m"), ("256", "38;5;196;48;5;46m"), ("16", "91;102m"),
    ])
    func `show --colors draws characters in so many colours`(_ colors: String, _ code: String) async throws {
        // A BMP of a red pixel above a green one; rows start at the bottom.
        let header: [UInt8] = [
            0x42, 0x4D, 62, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 24,
            0,
        ]
        let bytes = header + [UInt8](repeating: 0, count: 24) + [0, 0xFF, 0, 0, 0, 0, 0xFF, 0]
        try Data(bytes).write(to: folder.file("p.bmp"))
        let outcome = try await program.run("show", "p.bmp", "--colors", colors)
        #expect(outcome.text == "\u{1B}[\(code)▀\u{1B}[0m\n", "\(outcome)")
        let wrong = try await program.run("show", "p.bmp", "--colors", "8")
        #expect(wrong.code == 2 && wrong.errors.contains("--colors takes full, 256 or 16, not “8”"))
    }

    @Test func `show leaves the screen in order while it is stopped`() async throws {
        let running = try program.start(
            ["show", Fixture.url("gif/fire.gif").path, "--width", "4"], environment: ["TERM": "xterm"],
            terminalResponses: "\u{1B}[?1c")
        #expect(await running.waitForText("\u{1B}8", count: 1))
        try await running.suspend()
        // The terminal passes on all that was written before the stop.
        let stopped = await running.waitForOutput { $0.hasSuffix("B\r\u{1B}[?25h") }
        #expect(stopped != nil)
        running.resume()
        #expect(await running.waitForText("\u{1B}[?25l", count: 2))
        running.interrupt()
        let outcome = await running.outcome()
        #expect(outcome.code == 130 && outcome.text.hasSuffix("B\r\u{1B}[?25h"))
    }

    @Test func `show shows the cursor when it is killed`() async throws {
        let running = try program.start(
            ["show", Fixture.url("gif/fire.gif").path, "--width", "4"], environment: ["TERM": "xterm"],
            terminalResponses: "\u{1B}[?1c")
        #expect(await running.waitForText("\u{1B}8", count: 1))
        running.quit()
        let outcome = await running.outcome()
        #expect(outcome.code == SIGQUIT && outcome.text.contains("\u{1B}[?25h"), "\(outcome.code)")
    }

    @Test func `show draws nothing before the image if standard output is no terminal`() async throws {
        let server = try LoopbackServer()
        server.serve("/p.jpg", Reply(body: try Fixture.data("made/progressive.jpg")))
        let outcome = try await program.run("show", server.address("/p.jpg"), "--width", "10")
        #expect(outcome.code == 0 && outcome.text.contains("▀") && !outcome.text.contains("\u{1B}7"))
    }

    @Test func `show draws the first frame if standard output is no terminal`() async throws {
        let outcome = try await program.run("show", Fixture.url("gif/welcome2.gif").path, "--width", "10")
        #expect(outcome.code == 0 && outcome.text.contains("▀") && !outcome.text.contains("\u{1B}7"))
    }

    /// welcome2.gif, twice, with 3 hundredths of a second between its frames.
    private func quickAnimation() throws -> Data {
        var data = Data(try Fixture.data("gif/welcome2.gif"))
        let loop = try #require(data.range(of: Data("NETSCAPE2.0\u{3}\u{1}".utf8)))
        data[loop.upperBound] = 1
        data[loop.upperBound + 1] = 0
        var rest = data.startIndex..<data.endIndex
        while let control = data.range(of: Data([0x21, 0xF9, 4]), in: rest) {
            data[control.upperBound + 1] = 3
            data[control.upperBound + 2] = 0
            rest = control.upperBound..<data.endIndex
        }
        return data
    }
}

extension String {
    fileprivate func count(of part: String) -> Int { components(separatedBy: part).count - 1 }
}

/// A picture as a terminal reads it from sixels; nil if there is none.
private struct SixelPicture {
    var width = 0
    var height = 0
    /// Red, green and blue in percent; empty where nothing is drawn.
    var pixels: [[Int]] = []

    init?(_ text: String) {
        // The pseudo terminal wraps nothing, but makes line ends.
        guard let body = text.firstMatch(of: /\u{1B}P0;1;0q"1;1;([0-9]+);([0-9]+)([^\u{1B}]*)\u{1B}\\/),
            let width = Int(body.1), let height = Int(body.2)
        else { return nil }
        (self.width, self.height) = (width, height)
        pixels = [[Int]](repeating: [], count: width * height)
        var palette: [Int: [Int]] = [:]
        var (x, y, color) = (0, 0, 0)
        for token in body.3.matches(of: /#([0-9;]+)|!([0-9]+)([?-~])|([$-])|([?-~])/) {
            if let numbers = token.1?.split(separator: ";").compactMap({ Int($0) }) {
                color = numbers[0]
                if numbers.count == 5 { palette[color] = Array(numbers[2...]) }
            } else if let control = token.4 {
                x = 0
                if control == "-" { y += 6 }
            } else if let character = (token.3 ?? token.5)?.utf8.first {
                for _ in 0..<(token.2.flatMap { Int($0) } ?? 1) {
                    for row in 0..<6 where (character - 63) >> UInt8(row) & 1 == 1 {
                        pixels[(y + row) * width + x] = palette[color] ?? []
                    }
                    x += 1
                }
            }
        }
    }
}
