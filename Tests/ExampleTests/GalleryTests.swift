#if GTK
    import AlcedoTestSupport
    import Foundation
    import Testing

    /// The gallery is run as a program of its own, with GLib's main loop.
    @Suite(.timeLimit(.minutes(10)))
    struct `The gallery` {
        private let folder: TemporaryDirectory

        init() throws { folder = try TemporaryDirectory() }

        @Test func `a block of the main queue that queues itself again and again leaves frames`() async throws
        {
            let output = try await BuiltProgram.output(of: "Gallery", ["--main-queue", "10"], in: folder)
            #expect(output.hasPrefix("a block that queues itself: 60 frames"), "\(output)")
        }

        @Test func `all orientations are shown upright`() async throws {
            let lines = try await page("orientation")
            #expect(lines.count == 8)
            for line in lines { #expect(line.contains(": 480 × 320, "), "\(line)") }
        }

        @Test func `each format is shown that this build writes`() async throws {
            let lines = try await page("formats")
            #expect(lines.count >= 6)
            for line in lines { #expect(line.contains(": 240 × 160, "), "\(line)") }
        }

        @Test func `failed loads say why`() async throws {
            let lines = try await page("failures")
            #expect(lines.count == 6)
            for (line, part) in zip(
                lines,
                [
                    "Not found: ", "Not an image: ", "Truncated: ", "No response: ", "Slow: 480 × 320",
                    "Fails once: ",
                ])
            {
                #expect(line.hasPrefix(part), "\(line)")
            }
        }

        /// What the tiles of a page say once they have ended, in a window of the width of a phone.
        private func page(_ name: String) async throws -> [Substring] {
            let file = folder.file("page.png")
            let output = try await BuiltProgram.output(
                of: "Gallery", ["--screenshot", file.path, name, "360"], in: folder)
            #expect(try Data(contentsOf: file).starts(with: [0x89, 0x50, 0x4E, 0x47]))
            return output.split(separator: "\n")
        }
    }
#endif
