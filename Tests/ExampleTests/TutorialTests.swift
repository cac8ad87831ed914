import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import PictureServer

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

    @Test(arguments: ["a.txt", "missing"])
    func `the thumbnail job rejects what is not a folder`(name: String) async throws {
        try Data("no folder".utf8).write(to: folder.file("a.txt"))
        let (photos, results) = (folder.file(name), folder.file("small"))
        let failure = await #expect(throws: BuiltProgram.Failed.self) {
            try await BuiltProgram.output(of: "Thumbnails", [photos.path, results.path], in: folder)
        }
        #expect(failure?.status == 1)
        #expect(failure?.output == "\(photos.path): not a folder\n")
        #expect(!FileManager.default.fileExists(atPath: results.path))
    }

    @Test func `the thumbnail job names the folder of the results if it cannot be created`() async throws {
        let (photos, results) = (folder.file("photos"), folder.file("a.txt"))
        try FileManager.default.createDirectory(at: photos, withIntermediateDirectories: true)
        try Data("no folder".utf8).write(to: results)
        let failure = await #expect(throws: BuiltProgram.Failed.self) {
            try await BuiltProgram.output(of: "Thumbnails", [photos.path, results.path], in: folder)
        }
        #expect(failure?.status == 1)
        #expect(failure?.output.hasPrefix("\(results.path): ") == true, "\(failure?.output ?? "")")
    }

    @Test func `the image endpoint sends a size, from its cache the second time`() async throws {
        let endpoint = try endpoint()
        let first = await endpoint.respond(to: request("pictures/a.jpg?size=160"))
        #expect(first.status == "200 OK" && first.headers["X-Cache"] == "none")
        #expect(try #require(Image(data: first.body)).pixelSize == PixelSize(width: 160, height: 105))
        let second = await endpoint.respond(to: request("pictures/a.jpg?size=160"))
        #expect(second.headers["X-Cache"] == "memory" && second.body == first.body)
    }

    @Test(
        arguments: [
            ("pictures/a.jpg", "400"), ("pictures/a.jpg?size=161", "400"), ("pictures/b.jpg?size=160", "404"),
            ("pictures/..%2Fphotos%2Fa.jpg?size=160", "404"), ("pictures/torn.jpg?size=160", "422"),
        ])
    func `the image endpoint rejects other requests`(path: String, status: String) async throws {
        let response = await (try endpoint()).respond(to: request(path))
        #expect(response.status.hasPrefix(status))
    }

    private func request(_ path: String) -> URLComponents {
        URLComponents(string: "/\(path)") ?? URLComponents()
    }

    private func endpoint() throws -> PictureEndpoint {
        let photos = folder.file("photos")
        try FileManager.default.createDirectory(at: photos, withIntermediateDirectories: true)
        let picture = try Data(Fixture.data("jpeg/testorig.jpg"))
        try picture.write(to: photos.appendingPathComponent("a.jpg"))
        try picture.prefix(999).write(to: photos.appendingPathComponent("torn.jpg"))
        let cache = try ImageCache(name: "endpoint", cacheDirectoryURL: folder.url)
        return PictureEndpoint(
            folder: photos, manager: KingfisherManager(downloader: ImageDownloader(name: "own"), cache: cache)
        )
    }
}
