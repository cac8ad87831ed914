import AlcedoTestSupport
import Foundation
import Testing

/// What `scripts/man.py` makes of the help texts.
@Suite(.timeLimit(.minutes(10)))
struct `The man pages and completions` {
    private let folder: TemporaryDirectory
    private let program: Program

    init() async throws {
        folder = try TemporaryDirectory()
        program = Program(cacheHome: folder.url, folder: folder.url)
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../scripts/man.py")
        let words = ["python3", script.standardized.path, Program.executable.path, folder.path]
        let outcome = try await program.start(words, executable: URL(filePath: "/usr/bin/env")).outcome()
        try #require(outcome.code == 0, "\(outcome.errors)")
    }

    @Test(arguments: [
        (["url", "--base"], ["--base64", "--base"]), (["get", "--for"], ["--force", "--format"]),
        (["get", "--sandbox", "p"], ["prefer"]), (["get", "--sandbox", "=", "re"], ["require"]),
        (["show", "--colors", ""], ["full", "256", "16"]), (["cache", "cl"], ["clean", "clear"]),
        (["get", "--format", "we"], ["webp"]), (["get", "--output", ""], []), (["in"], ["info"]),
    ])
    func `bash completes options, and values of those that take one of several`(
        _ words: [String], _ expected: [String]
    ) async throws {
        let script = """
            . bash/alcedo; COMP_WORDS=(alcedo "$@"); COMP_CWORD=$#; _alcedo; printf '%s\\n' "${COMPREPLY[@]}"
            """
        let outcome = try await program.start(
            ["-c", script, "bash"] + words, executable: URL(filePath: "/bin/bash")
        ).outcome()
        #expect(
            outcome.text.split(separator: "\n").map(String.init).sorted() == expected.sorted(), "\(outcome)")
    }

    #if Server
        @Test func `settings of serve take a value in all completions`() async throws {
            let outcome = try await program.start(
                ["-c", "grep -h -e bind -e sandbox */*alcedo*"], executable: URL(filePath: "/bin/sh")
            ).outcome()
            #expect(outcome.text.contains("-l bind -r "), "\(outcome)")
            #expect(outcome.text.contains("'*--bind[where to listen]:VALUE:_files'"))
            #expect(
                outcome.text.contains(
                    "'*--sandbox[decode in restricted processes]:value:(require prefer off)'"))
            #expect(outcome.text.contains("-l sandbox -x -a 'require prefer off'"))
        }

        @Test func `man pages show no number of the machine that made them`() throws {
            let page = try String(contentsOf: folder.file("man1/alcedo-serve.1"), encoding: .utf8)
            #expect(page.contains("images that are processed at a time (2 for each processor)"))
        }
    #endif

    @Test func `man pages of commands have examples`() throws {
        for command in ["get", "info", "prefetch", "cache", "show", "url"] {
            let page = try String(contentsOf: folder.file("man1/alcedo-\(command).1"), encoding: .utf8)
            let parts = page.components(separatedBy: ".SH EXAMPLES\n")
            #expect(parts.count == 2 && parts.last?.contains("\\fB") == true, "\(command)")
        }
    }
}
