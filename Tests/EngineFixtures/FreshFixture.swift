import AlcedoTestSupport
import Foundation

@testable import Alcedo

/// A server, a cache in a time of its own, and a manager that respects freshness.
struct FreshFixture {
    let server: LoopbackServer
    let disk: CacheFixture
    let downloader = ImageDownloader(name: "test")
    let manager: KingfisherManager
    var cache: ImageCache { disk.cache }
    var clock: TestClock { disk.clock }

    init() throws {
        server = try LoopbackServer()
        disk = try CacheFixture()
        downloader.downloadTimeout = 120
        manager = KingfisherManager(downloader: downloader, cache: disk.cache)
        disk.cache.httpFreshness = .respected
        manager.defaultOptions = [.callbackQueue(.untouch), .waitForCache]
    }

    /// The manager on the same folder with nothing in memory.
    func restarted() throws -> KingfisherManager {
        let cache = try disk.restarted()
        cache.httpFreshness = .respected
        let manager = KingfisherManager(downloader: downloader, cache: cache)
        manager.defaultOptions = self.manager.defaultOptions
        return manager
    }

    /// Waits until all changes are on disk.
    func settle(_ manager: KingfisherManager? = nil) async throws {
        _ = try await (manager ?? self.manager).cache.diskStorageSize
    }

    /// Loads `path`, and returns the result.
    func load(
        _ path: String = "/a", _ options: KingfisherOptionsInfo = [], by manager: KingfisherManager? = nil
    ) async throws -> RetrieveImageResult {
        try await (manager ?? self.manager).retrieveImage(with: server.url(path), options: options)
    }

    /// Serves a picture of this width with these headers, and a 304 with them to a request for its tag.
    func serve(
        _ path: String = "/a", width: Int = 4, tag: String? = "\"1\"",
        headers own: [(String, String)] = [("Cache-Control", "max-age=60")]
    ) throws {
        let png = try Sample.png(width, 4)
        let headers = own + (tag.map { [("ETag", $0)] } ?? [])
        server.route(path) { request in
            if let tag, request.header("If-None-Match") == tag { return .status(304, headers: headers) }
            return Reply(body: png, contentType: "image/png", headers: headers)
        }
    }

    /// The path of a key's record.
    func recordPath(_ path: String = "/a") -> String {
        cache.cachePath(
            forKey: server.address(path), processorIdentifier: ResponseRecord.identifier)
    }

    var hasRecord: Bool { FileManager.default.fileExists(atPath: recordPath()) }
}

/// Sets a header field of each request.
func sending(_ name: String, _ value: String) -> KingfisherOptionsInfoItem {
    .requestModifier(
        AnyModifier { request in
            var request = request
            request.setValue(value, forHTTPHeaderField: name)
            return request
        })
}
