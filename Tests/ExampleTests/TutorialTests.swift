import AlcedoTestSupport
import Foundation
import Testing

/// The programs that the tutorials end with.
@Suite(.timeLimit(.minutes(10)))
struct `The programs of tutorials` {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    @Test func `the thumbnail job makes what is missing, once`() async throws {
        let (photos, results) = (folder.file("photos"), folder.file("small"))
        try FileManager.default.createDirectory(at: photos, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: Fixture.url("jpeg/testorig.jpg"), to: photos.appendingPathComponent("a.jpg"))
        let words = [photos.path, results.path]
        let first = try await BuiltProgram.output(of: "Thumbnails", words, in: folder)
        #expect(first.hasPrefix("a.jpg: ") && first.hasSuffix(" KB\n1 made, 0 failed\n"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: results.path) == ["a.jpg"])
        #expect(
            try await BuiltProgram.output(of: "Thumbnails", words, in: folder) == "0 made, 0 failed\n")

        try Data("no picture".utf8).write(to: photos.appendingPathComponent("b.png"))
        await #expect(throws: BuiltProgram.Failed.self) {
            try await BuiltProgram.output(of: "Thumbnails", words, in: folder)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: results.path) == ["a.jpg"])
    }
}
