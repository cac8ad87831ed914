import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `The thumbnailer of file managers` {
    let folder: TemporaryDirectory
    let cacheHome: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        cacheHome = try TemporaryDirectory()
    }

    /// The words of the entry's command, with a file manager's values.
    private func words(of file: URL, to output: URL, size: Int) throws -> [String] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let entry = try String(
            contentsOf: root.appending(path: "packaging/alcedo.thumbnailer"), encoding: .utf8)
        let line = try #require(entry.split(separator: "\n").first { $0.hasPrefix("Exec=alcedo ") })
        return line.dropFirst("Exec=alcedo ".count).split(separator: " ").map { word in
            [("%u", file.absoluteString), ("%o", output.path), ("%s", "\(size)")]
                .reduce(String(word)) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
        }
    }

    @Test(arguments: [false, true])
    func `the thumbnailer replaces the file that it gets with a PNG of the size`(
        isNamedInBytes: Bool
    ) async throws {
        var photo = folder.url.appending(path: "a photo.webp")
        let source = try #require(Image(data: Data(try Fixture.data("jpeg/testorig.jpg"))))
        try source.data(as: .webp).write(to: photo)
        if isNamedInBytes { photo = try folder.renameToBytes(photo, "a", " photo.webp") }
        let output = folder.url.appending(path: "thumbnail.png")
        try Data().write(to: output)
        let program = Program(cacheHome: cacheHome.url, folder: folder.url)
        let outcome = try await program.start(try words(of: photo, to: output, size: 128)).outcome()
        #expect(outcome.code == 0, "\(outcome.errors)")
        let data = try Data(contentsOf: output)
        #expect(data.kf.imageFormat == .PNG)
        #expect(try #require(Image(data: data)).size == CGSize(width: 128, height: 84))
    }
}
