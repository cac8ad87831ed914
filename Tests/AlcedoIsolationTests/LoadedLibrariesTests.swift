#if HEIF && JXL && TIFF && JP2 && SVG && Video
    import AlcedoTestSupport
    import CIsolation
    import Foundation
    import Testing

    /// In a program of its own: other tests decode in the test's process, and the tests of some codecs link their
    /// libraries.
    ///
    /// A sanitizer's workers are restricted too little to be accepted.
    @Suite(.enabled(if: alcedo_is_sanitized() == 0), .timeLimit(.minutes(10)))
    struct `What a program loads for an image` {
        /// A picture of each format, its format as SECURITY.md calls it, and a library that decodes it here.
        struct Picture: Sendable, CustomTestStringConvertible {
            let path: String
            let format: String

            /// Nil for what is linked, as the program also encodes with it.
            var library: String?

            var testDescription: String { path }

            static let all = [
                Picture(path: "jpeg/testorig.jpg", format: "JPEG"),
                Picture(path: "made/wide-gamut.png", format: "PNG"),
                Picture(path: "made/animated-over.png", format: "PNG"),
                Picture(path: "gif/fire.gif", format: "GIF"),
                Picture(path: "made/animated.webp", format: "WebP"),
                Picture(path: "heif/wide-gamut.heic", format: "HEIC", library: "libheif.so"),
                Picture(path: "heif/p3.avif", format: "AVIF", library: "libavif.so"),
                Picture(path: "heif/sequence.avif", format: "AVIF", library: "libavif.so"),
                Picture(path: "jxl/animated.jxl", format: "JPEG XL", library: "libjxl.so"),
                Picture(path: "tiff/wide-gamut.tiff", format: "TIFF", library: "libtiff.so"),
                Picture(path: "jp2/wide-gamut.jp2", format: "JPEG 2000", library: "libopenjp2.so"),
                Picture(path: "svg/image.svg", format: "SVG", library: "librsvg-2.so"),
                Picture(path: "svg/packed.svgz", format: "SVG", library: "librsvg-2.so"),
            ]
        }

        @Test(arguments: Picture.all, ["required", "isolated"])
        func `a program loads no library for an image that a worker decodes`(
            _ picture: Picture, _ isolation: String
        ) async throws {
            let report = try await report(picture.path, isolation)
            #expect(report.steps.isEmpty)
            #expect(!report.workers.isEmpty)
        }

        @Test(arguments: Picture.all)
        func `images are decoded in workers by default as the table in SECURITY.md says`(_ picture: Picture)
            async throws
        {
            let isIsolated = try Self.isolatedByDefault().contains(picture.format)
            let report = try await report(picture.path, "automatic")
            #expect(report.steps.isEmpty)
            #expect(report.workers.isEmpty != isIsolated)
        }

        @Test(arguments: Picture.all)
        func `a program loads the format's library for an image that it decodes itself`(_ picture: Picture)
            async throws
        {
            let report = try await report(picture.path, "inProcess")
            guard let library = picture.library else { return #expect(report.steps.isEmpty) }
            #expect(report.steps.contains { $0.contains(library) }, "\(report.steps)")
        }

        @Test(arguments: ["required", "automatic", "inProcess"])
        func `a program loads no library for a frame of a video`(_ isolation: String) async throws {
            let report = try await report("video/h264.mp4", isolation)
            #expect(report.steps.isEmpty)
            #expect(report.workers.contains("video"))
        }

        private struct Report {
            /// What loaded a library or failed.
            let steps: [String]
            let workers: [String]
        }

        private func report(_ path: String, _ isolation: String) async throws -> Report {
            let folder = try TemporaryDirectory()
            let output = try await BuiltProgram.output(
                of: "SandboxTrials", ["libraries", isolation, Fixture.url(path).path], in: folder)
            let lines = output.split(separator: "\n").map(String.init)
            let workers = try #require(lines.last?.split(separator: " "))
            #expect(workers.first == "workers:")
            return Report(steps: lines.dropLast(), workers: workers.dropFirst().map(String.init))
        }

        /// The formats in the row of `.automatic`.
        private static func isolatedByDefault() throws -> [String] {
            let file = Fixture.folder.appending(path: "../../SECURITY.md")
            let text = try String(contentsOf: file, encoding: .utf8)
            let row = try #require(text.split(separator: "\n").first { $0.hasPrefix("| `.automatic`") })
            let list = try #require(row.split(separator: "|").last?.split(separator: " if ").first)
            return list.replacing(" and ", with: ",").split(separator: ",").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        }
    }
#endif
