import Alcedo
import AlcedoTestSupport
import Foundation
import FoundationNetworking

/// A manager with folders of its own, so that what hangs in one of them hangs for nobody else.
final class Place: Sendable {
    let manager: KingfisherManager
    let server: LoopbackServer
    let picture: Data

    /// Made once, as Foundation looks at the file.
    let file: URL
    private let parent: TemporaryDirectory

    /// Serves `/picture`; files and caches are in folders.
    init(_ server: LoopbackServer) throws {
        self.server = server
        parent = try TemporaryDirectory()
        picture = Data(try Fixture.data("made/odd-7x9.jpg"))
        file = parent.file("files/picture.jpg")
        for name in ["cache", "files", "responses", "parts"] {
            try FileManager.default.createDirectory(
                at: parent.file(name), withIntermediateDirectories: false)
        }
        try picture.write(to: file)
        let cache = try ImageCache(name: "trial", cacheDirectoryURL: parent.file("cache"))
        manager = KingfisherManager(downloader: ImageDownloader(name: "trial"), cache: cache)
        server.serve("/picture", Reply(body: [UInt8](picture), headers: [("Cache-Control", "max-age=60")]))
    }

    var cache: ImageCache { manager.cache }

    /// Gives the downloader an HTTP cache in its folder, which its requests use; returns the cache.
    @discardableResult
    func keepResponses() -> HTTPCache {
        let responses = HTTPCache(
            memoryCapacity: 0, diskCapacity: 1 << 20, directory: parent.file("responses"))
        let configuration = URLSessionConfiguration.default
        configuration.urlCache = responses
        manager.downloader.sessionConfiguration = configuration
        manager.defaultOptions += [
            .requestModifier(
                AnyModifier { request in
                    var request = request
                    request.cachePolicy = .useProtocolCachePolicy
                    return request
                })
        ]
        return responses
    }

    /// The path of `cache`, `files`, `responses` or `parts`.
    func folder(_ name: String) -> String { "\(parent.path)/\(name)" }

    func url(_ name: String = "picture") -> URL { server.url("/picture?\(name)") }

    /// Loads; the outcome is `image`, or what failed.
    func load(_ source: Source, _ options: KingfisherOptionsInfo = []) async -> String {
        do {
            let result = try await manager.retrieveImage(
                with: source, options: options + [.callbackQueue(.untouch)])
            return result.image.size.width == 7 ? "image from \(result.cacheType)" : "wrong image"
        } catch {
            return "\(error)".replacingOccurrences(of: parent.path, with: "…")
        }
    }

    func load(_ name: String = "picture", _ options: KingfisherOptionsInfo = []) async -> String {
        await load(.network(url(name)), options)
    }
}
