#if GTK
    import Alcedo
    import AlcedoTestSupport
    import Foundation
    import Testing

    @testable import Viewer

    @MainActor
    @Suite(.timeLimit(.minutes(10)))
    struct `The viewer's program` {
        private let folder: TemporaryDirectory

        init() throws {
            folder = try TemporaryDirectory()
            try FileManager.default.copyItem(at: Fixture.url("jpeg/testorig.jpg"), to: folder.file("2.jpg"))
            try Data("no picture".utf8).write(to: folder.file("notes.txt"))
        }

        @Test func `the viewer is a program that fails for a file that is no picture`() async throws {
            let screenshot = folder.file("screenshot.png")
            _ = try await run(["--screenshot", screenshot.path, folder.file("2.jpg").path])
            let drawn = try Image(decoding: Data(contentsOf: screenshot))
            #expect(drawn.pixelSize.width > 900)
            for arguments in [
                ["--screenshot", screenshot.path, folder.file("notes.txt").path],
                ["--screenshot", folder.file("none/screenshot.png").path, folder.file("2.jpg").path],
                ["--unknown"],
            ] {
                await #expect(throws: BuiltProgram.Failed.self) { try await run(arguments) }
            }
            #expect(try await run(["--help"]) == Arguments.usage)
            #expect(try await run(["--version"]) == "alcedo-viewer \(AlcedoVersion.current)\n")
        }

        @Test func `the viewer keeps pictures of the network in a folder of its own`() async throws {
            let server = try LoopbackServer()
            defer { server.stop() }
            let picture = try Fixture.data("jpeg/testorig.jpg")
            server.serve("/photo.jpg", picture)
            let screenshot = folder.file("screenshot.png").path
            _ = try await run(["--screenshot", screenshot, server.address("/photo.jpg")])
            let entries = try FileManager.default.contentsOfDirectory(
                atPath: folder.file("alcedo-viewer").path)
            #expect(!entries.isEmpty)
            // Not the default cache's either.
            let folders = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(
                folders.filter { $0.contains("ingfisher") || $0.contains("lcedo") } == ["alcedo-viewer"],
                "\(folders)")
        }

        private func run(_ arguments: [String]) async throws -> String {
            try await BuiltProgram.output(of: "Viewer", arguments, in: folder)
        }

        @Test func `the viewer takes files, folders and URLs from its command line`() throws {
            let words = ["a #1.jpg", "/b%20.jpg", "file:///c%20d.jpg", "https://example.com/e.jpg"]
            guard case .show(let urls, nil) = Arguments(words) else { throw Failure("\(words)") }
            #expect(urls.map(\.lastPathComponent) == ["a #1.jpg", "b%20.jpg", "c d.jpg", "e.jpg"])
            #expect(urls.map(\.isFileURL) == [true, true, true, false])
            let file = URL(fileURLWithPath: "/--f.jpg", isDirectory: false)
            #expect(Arguments(["--", "/--f.jpg"]) == .show([file], screenshot: nil))
            #expect(Arguments(["--screenshot", "g.png", "/--f.jpg"]) == .show([file], screenshot: "g.png"))
            #expect(Arguments([]) == .show([], screenshot: nil))
            for words in [["--f.jpg"], ["--help", "f.jpg"], ["--screenshot"], ["--screenshot", "g.png"]] {
                #expect(Arguments(words) == nil)
            }
        }

        @Test func `the viewer's desktop entry, icon and metadata have its application ID`() throws {
            let packaging = Fixture.url("../../packaging/viewer/\(Viewer.id)")
            let entry = try String(contentsOf: packaging.appendingPathExtension("desktop"), encoding: .utf8)
                .split(separator: "\n")
            #expect(entry.contains("Icon=\(Viewer.id)") && entry.contains("StartupWMClass=\(Viewer.id)"))
            #expect(FileManager.default.fileExists(atPath: packaging.appendingPathExtension("svg").path))
            let metadata = try String(
                contentsOf: packaging.appendingPathExtension("metainfo.xml"), encoding: .utf8)
            #expect(metadata.contains("<id>\(Viewer.id)</id>") && metadata.contains(">\(Viewer.id).desktop<"))
        }
    }
#endif
