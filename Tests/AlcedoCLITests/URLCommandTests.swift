import AlcedoTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `alcedo url` {
    private let folder: TemporaryDirectory
    private let program: Program
    private let pair = ["ALCEDO_KEY": "736563726574", "ALCEDO_SALT": "68656c6c6f"]

    init() throws {
        folder = try TemporaryDirectory()
        program = Program(cacheHome: folder.url, folder: folder.url)
    }

    private func run(_ arguments: String..., environment: [String: String] = [:]) async throws
        -> Program.Outcome
    {
        try await program.start(arguments, environment: environment).outcome()
    }

    @Test func `url signs as imgproxy does`() async throws {
        let outcome = try await run(
            "url", "--format", "webp", "http://example.com/a b.jpg?v=1", environment: pair)
        #expect(outcome.code == 0)
        #expect(
            outcome.text
                == "/u5Htmvxom_7nDc2usUDRYEFpNypSB-z_i1kDUlt2haM/plain/http://example.com/a%20b.jpg%3Fv=1@webp\n"
        )
    }

    @Test func `url puts options in order, and the base in front`() async throws {
        let outcome = try await run(
            "url", "--base", "https://img.example.com/", "--width", "300", "--resize", "fill",
            "--options", "q:80/dpr:2",
            "http://example.com/a.jpg", "local:///b.png")
        #expect(
            outcome.text == """
                https://img.example.com/unsafe/rt:fill/w:300/q:80/dpr:2/plain/http://example.com/a.jpg
                https://img.example.com/unsafe/rt:fill/w:300/q:80/dpr:2/plain/local:///b.png

                """)
    }

    @Test func `url reads the server's file`() async throws {
        let file = folder.file("serve.conf")
        try "ALCEDO_KEY=736563726574\nALCEDO_SALT=68656c6c6f\nALCEDO_PATH_PREFIX=/img\n"
            .write(to: file, atomically: true, encoding: .utf8)
        let outcome = try await run("url", "--config", file.path, "local:///logos/x.png")
        #expect(
            outcome.text
                == "/img/7PDSR17hTcY_gBaDi5Oo-4a8Hs_vchiDzHmfDBOo1FU/plain/local:///logos/x.png\n")
    }

    @Test func `url rejects what the server would reject, with the reason`() async throws {
        let wrong = try await run("url", "--options", "rs:fillet:1:1", "http://example.com/a.jpg")
        #expect(wrong.code == 1 && wrong.errors.contains("fillet"))
        let none = try await run("url")
        #expect(none.code == 2 && none.errors.contains("needs a SOURCE"))
        let key = try await run(
            "url", "http://a/b", environment: ["ALCEDO_KEY": "xyz", "ALCEDO_SALT": "00"])
        #expect(key.code == 2 && key.errors.contains("ALCEDO_KEY"))
    }
}
