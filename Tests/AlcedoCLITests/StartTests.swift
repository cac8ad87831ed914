import AlcedoTestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `The start of the command` {
    let folder: TemporaryDirectory
    let program: Program

    init() throws {
        folder = try TemporaryDirectory()
        program = Program(cacheHome: folder.url, folder: folder.url)
    }

    /// The dynamic loader lists what it loads for a program, and doesn't run it.
    @Test func `loads no library of an optional format`() async throws {
        let outcome = try await program.start(["info"], environment: ["LD_TRACE_LOADED_OBJECTS": "1"])
            .outcome()
        let libraries = outcome.text.split(separator: "\n").compactMap {
            $0.split(whereSeparator: \.isWhitespace).first
        }
        #expect(libraries.contains { $0.hasPrefix("libc.so") }, "\(outcome)")
        for name in ["libheif", "libavif", "libjxl", "libtiff", "librsvg"] {
            #expect(!libraries.contains { $0.hasPrefix(name) }, "\(name)")
        }
    }
}
