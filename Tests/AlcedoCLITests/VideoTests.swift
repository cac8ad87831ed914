#if Video
    import AlcedoCodecs
    import AlcedoPixels
    import AlcedoTestSupport
    import CIsolation
    import Foundation
    import Testing

    @Suite(.timeLimit(.minutes(10)))
    struct `alcedo with a video` {
        private let folder: TemporaryDirectory
        private let cacheHome: TemporaryDirectory
        private let program: Program
        private let video = Fixture.url("video/h264.mp4").path

        init() throws {
            folder = try TemporaryDirectory()
            cacheHome = try TemporaryDirectory()
            program = Program(cacheHome: cacheHome.url, folder: folder.url)
        }

        @Test(arguments: ["prefer", "off"])
        func `get --at writes the frame`(_ sandbox: String) async throws { try await writeFrame(sandbox) }

        /// A worker with a sanitizer is restricted less than this requires.
        @Test(.enabled(if: alcedo_is_sanitized() == 0))
        func `get --at requires a sandbox if it is told to`() async throws { try await writeFrame("require") }

        private func writeFrame(_ sandbox: String) async throws {
            let outcome = try await program.run(
                "get", video, "--at", "1.05", "--sandbox", sandbox, "-o", "a.png")
            #expect(outcome.code == 0, "\(outcome.errors)")
            let written = [UInt8](try Data(contentsOf: folder.file("a.png")))
            let bitmap = try CodecRegistry.shared.decode(written.span.bytes)
            #expect(bitmap.size == PixelSize(width: 64, height: 48))
            // Frame 10 has the luma 116.
            #expect(bitmap.withUnsafeBytes { abs(Int($0[0]) - 116) } <= 4)
        }

        @Test func `get --at names an image after the video`() async throws {
            let outcome = try await program.run("get", video, "--at", "0")
            #expect(outcome.text.hasPrefix("h264.jpg  64×48 JPEG"))
        }

        @Test func `show --at draws the frame`() async throws {
            let outcome = try await program.run("show", video, "--at", "1.05", "--width", "4")
            #expect(outcome.code == 0, "\(outcome.errors)")
            let colours = outcome.text.matches(of: /8;2;(\d+);(\d+);(\d+)/)
            #expect(!colours.isEmpty && colours.allSatisfy { abs((Int($0.1) ?? 0) - 116) <= 4 })
        }

        @Test func `a time after the end of a video is one clear line`() async throws {
            let outcome = try await program.run("get", video, "--at", "9")
            #expect(outcome.code == 1)
            #expect(outcome.errors.contains("no frame at 9.0 s; choose a time from 0 to 2.0 s"))
            #expect(outcome.errors.split(separator: "\n").count == 1)
        }

        @Test(arguments: ["-1", "x", "nan"])
        func `a time of --at that is no number of seconds is wrong usage`(_ seconds: String) async throws {
            #expect(try await program.run("get", video, "--at=\(seconds)").code == 2)
        }
    }
#endif
