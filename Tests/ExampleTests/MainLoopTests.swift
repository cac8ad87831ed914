import AlcedoTestSupport
import Foundation
import Testing

/// Each example is run as a program of its own, on a picture of the fixtures.
@Suite(.timeLimit(.minutes(10)))
struct `Callbacks on the main queue arrive` {
    @Test func `callbacks on the main queue arrive in a program with an asynchronous main`() async throws {
        #expect(try await output(of: "AsyncMain") == "awaited: 227.0 points wide\ncalled back: memory\n")
    }

    @Test func `callbacks on the main queue arrive under dispatchMain`() async throws {
        #expect(try await output(of: "DispatchMain") == "called back: 227.0 points wide\n")
    }

    @Test func `callbacks on the main queue arrive under Foundation's run loop`() async throws {
        #expect(try await output(of: "RunLoopMain") == "called back: 227.0 points wide\n")
    }

    #if GTK
        @Test func `callbacks on the main queue arrive under GLib's main loop`() async throws {
            #expect(
                try await output(of: "GLibMain")
                    == "called back: 227.0 points wide\nand the main actor works\n")
        }

        @Test func `callbacks on the main queue arrive in a window of a program without C`() async throws {
            let url = Fixture.url("jpeg/testorig.jpg").absoluteString
            #expect(try await output(of: "PictureWindow", [url, "--quit"]) == "shown: 227.0 points wide\n")
            #expect(
                try await output(of: "PictureWindow", ["file:///no/such.png", "--quit"]).contains(
                    "no/such.png"))
        }

        @Test func `callbacks on the main queue arrive in a grid of a folder's images`() async throws {
            let folder = try TemporaryDirectory()
            for name in ["testorig.jpg", "monkey16.png"] {
                try FileManager.default.copyItem(at: Fixture.url("jpeg/\(name)"), to: folder.file(name))
            }
            let lines = try await output(of: "PictureGrid", [folder.path, "--quit"]).split(separator: "\n")
            #expect(lines.sorted() == ["shown: monkey16.png", "shown: testorig.jpg"])
        }
    #endif

    private func output(of example: String, _ arguments: [String]? = nil) async throws -> String {
        let folder = try TemporaryDirectory()
        let arguments = arguments ?? [Fixture.url("jpeg/testorig.jpg").path]
        return try await BuiltProgram.output(of: example, arguments, in: folder)
    }
}
