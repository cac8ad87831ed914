import AlcedoTestSupport
import Foundation
import Glibc
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `The inputs of alcedo` {
    let server: LoopbackServer
    let folder: TemporaryDirectory
    let cacheHome: TemporaryDirectory
    let program: Program
    private let fire: Data

    init() throws {
        server = try LoopbackServer()
        folder = try TemporaryDirectory()
        cacheHome = try TemporaryDirectory()
        program = Program(cacheHome: cacheHome.url, folder: folder.url)
        fire = Data(try Fixture.data("gif/fire.gif"))
        try fire.write(to: folder.file("a.gif"))
    }

    /// Runs a script in which `$0` is the program.
    private func shell(_ script: String) async throws -> Program.Outcome {
        let words = ["-c", script, Program.executable.path]
        return try await program.start(words, executable: URL(filePath: "/bin/bash")).outcome()
    }

    @Test(arguments: [
        ("/ü%20x.png", "/%C3%BC%20x.png"), ("/a b%2Fc", "/a%20b%2Fc"), (" /%7Ea%zz\t", "/%7Ea%25zz"),
        ("/p?sig=a%2Fb%3D|ü", "/p?sig=a%2Fb%3D%7C%C3%BC"), ("/[x]%5B?a[]=1", "/%5Bx%5D%5B?a%5B%5D=1"),
        ("\\a\\b%20?c\\d", "/a/b%20?c%5Cd"), ("/a%20b#ü", "/a%20b"), ("/100%", "/100%25"),
    ])
    func `a URL is encoded once`(_ typed: String, _ sent: String) async throws {
        // Leading and trailing blanks surround the whole word.
        let word =
            typed.hasPrefix(" ") ? " " + server.address(String(typed.dropFirst())) : server.address(typed)
        for words in [["info", word], ["get", word], ["show", word]] {
            _ = try await program.start(words).outcome()
        }
        _ = try await program.run("prefetch", input: word)
        #expect(server.requests().map(\.target) == [sent, sent, sent, sent])
    }

    #if SVG
        @Test func `a data URL keeps what is encoded in it`() async throws {
            let svg =
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"4\" height=\"4\">"
                + "<rect width=\"4\" height=\"4\" fill=\"%23ff0000\"/></svg>"
            let words = ["show", "data:image/svg+xml,\(svg)", "--width", "1"]
            let outcome = try await program.start(words).outcome()
            #expect(outcome.text.contains("38;2;255;0;0"), "\(outcome)")
        }
    #endif

    @Test(
        arguments: ["info --json -", "get - -o - --format gif", "show - --width 9"],
        ["cat a.gif |", "< a.gif"])
    func `an image on standard input is read like a file`(_ words: String, _ source: String) async throws {
        let outcome = try await shell(
            source.hasSuffix("|") ? "\(source) \"$0\" \(words)" : "\"$0\" \(words) \(source)")
        let named = try await shell(
            "\"$0\" \(words.replacing(" - ", with: " a.gif ", maxReplacements: 1).replacing(#/ -$/#, with: " a.gif"))"
        )
        #expect(outcome.code == 0 && named.code == 0, "\(outcome.errors)")
        let text = outcome.text.replacing("\"url\":\"-\"", with: "\"url\":\"a.gif\"")
        #expect(text == named.text && !text.isEmpty)
    }

    @Test func `named pipes are images, and get gives those without a name one`() async throws {
        let outcome = try await shell(
            "mkfifo p && (cat a.gif > p &) && \"$0\" info p <(cat a.gif) && \"$0\" get - < a.gif")
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(
            outcome.text.components(separatedBy: "GIF").count == 4
                && outcome.text.contains("image.gif  30×60"))
    }

    @Test(arguments: [
        ("get -", "standard input", "it is empty; the command before it has sent no image"),
        ("get - <&-", "standard input", "it cannot be read (Bad file descriptor)"),
        ("prefetch <&-", "prefetch: standard input", "it cannot be read (Bad file descriptor)"),
        ("prefetch /proc/self/mem", "prefetch: /proc/self/mem", "it cannot be read (Input/output error)"),
        ("info - < a.txt", "standard input", "not an image in a known format"),
        ("get - --at 1 < a.gif", "standard input", "--at takes a file, not a pipe"),
        ("prefetch <(echo -)", "-", "prefetch loads URLs, not standard input"),
    ])
    func `standard input without an image is one clear line`(
        _ words: String, _ subject: String, _ reason: String
    ) async throws {
        try Data("text".utf8).write(to: folder.file("a.txt"))
        let outcome = try await shell("\"$0\" \(words)")
        #expect(outcome.code == 1 && outcome.errors.hasPrefix("alcedo: \(subject)"), "\(outcome.errors)")
        #expect(outcome.errors.contains(reason) && outcome.errors.split(separator: "\n").count == 1)
    }

    @Test func `the command writes into no file in place of a closed standard output`() async throws {
        let outcome = try await shell("\"$0\" info a.gif >&-")
        #expect(outcome.code == 1 && outcome.errors == "alcedo: standard output cannot be written\n")
    }

    @Test(arguments: ["get", "info"])
    func `standard input can be named once`(_ command: String) async throws {
        let outcome = try await program.run(command, "-", "-")
        #expect(outcome.code == 2 && outcome.errors.contains("can be read only once"))
    }

    @Test func `an interrupt ends get while it waits for standard input`() async throws {
        let pipe = folder.file("pipe").path
        #expect(mkfifo(pipe, 0o600) == 0)
        let writer = open(pipe, O_RDWR)
        defer { close(writer) }
        server.serve("/b.gif", [UInt8](fire))
        let running = try program.start(["get", pipe, server.address("/b.gif")])
        await server.waitForReplies(1)
        running.interrupt()
        #expect(await running.outcome().code == 130)
    }

    @Test(arguments: [
        ("-x.gif", "unknown option -x.gif; for the file of that name, write ./-x.gif"),
        ("-downsample", "unknown option -downsample; write --downsample"), ("-y", "unknown option -y"),
        ("--json=yes", "option --json takes no value"), ("-yo", "unknown option -yo"),
    ])
    func `an option that does not exist is named`(_ word: String, _ message: String) async throws {
        try fire.write(to: folder.file("-x.gif"))
        for words in [["get", "a.gif", word], ["get", word, "a.gif"]] {
            let outcome = try await program.start(words).outcome()
            #expect(outcome.code == 2 && outcome.errors == "alcedo: \(message); see alcedo get --help\n")
        }
        #expect(try await program.run("info", "./-x.gif").code == 0)
        #expect(try await program.run("info", "a.gif", "--", "-x.gif").code == 0)
    }

    @Test func `names of files need not be UTF-8`() async throws {
        let name = "caf\\351.gif"
        let outcome = try await shell(
            """
            n=$(printf '\(name)'); cp a.gif "$n"; "$0" info "$n"; "$0" info --json "$n" && "$0" get "$n" --format png \
            && "$0" get a.gif -o "x$n" && cmp a.gif "x$n" && "$0" get "$n" -o - | cmp - a.gif && ls *.png
            """)
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("caf\u{FFFD}.gif\n  format      GIF"), "\(outcome.text)")
        #expect(outcome.text.contains("\"url\":\"caf\u{FFFD}.gif\""))
        let missing = try await shell("\"$0\" info \"$(printf 'no\\351.gif')\"")
        #expect(missing.code == 1 && missing.errors.contains("no\u{FFFD}.gif"), "\(missing.errors)")
    }

    @Test(arguments: ["get", "info", "show"])
    func `a video without --at is rejected as a video`(_ command: String) async throws {
        let outcome = try await program.run(command, Fixture.url("video/h264.mp4").path)
        #expect(outcome.code == 1 && outcome.output.isEmpty)
        #expect(
            outcome.errors.contains("h264.mp4: it is a video; ") && outcome.errors.contains("--at SECONDS"))
        #expect(outcome.errors.split(separator: "\n").count == 1)
    }
}
