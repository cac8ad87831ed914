import AlcedoTestSupport
import Foundation
import FoundationNetworking

@testable import Alcedo

/// A server, and downloaders that share one HTTP cache.
struct Caching {
    let server: LoopbackServer
    let folder: TemporaryDirectory
    let cache: HTTPCache

    init(memoryCapacity: Int = 1 << 20, diskCapacity: Int = 1 << 24) throws {
        server = try LoopbackServer()
        folder = try TemporaryDirectory()
        cache = HTTPCache(
            memoryCapacity: memoryCapacity, diskCapacity: diskCapacity, directory: folder.url,
            timeout: .seconds(1000))
    }

    func downloader(_ cache: HTTPCache? = nil) -> ImageDownloader {
        let downloader = ImageDownloader(name: "test")
        downloader.downloadTimeout = 120
        let configuration = downloader.sessionConfiguration
        configuration.urlCache = cache ?? self.cache
        downloader.sessionConfiguration = configuration
        return downloader
    }

    /// A cache on the same folder with nothing in memory, as another process would open it.
    func reopened() -> HTTPCache {
        cache.responses.waitForDisk()
        return HTTPCache(
            memoryCapacity: 1 << 20, diskCapacity: 1 << 24, directory: folder.url, timeout: .seconds(1000))
    }

    /// Lets the cache answer, and sends `method`.
    static func policy(
        _ policy: URLRequest.CachePolicy = .useProtocolCachePolicy, method: String = "GET"
    ) -> KingfisherOptionsInfoItem {
        .requestModifier(
            AnyModifier { request in
                var request = request
                request.cachePolicy = policy
                request.httpMethod = method
                return request
            })
    }

    /// The width of the image at `path`; nil if there is none.
    func width(
        _ path: String, by downloader: ImageDownloader, _ options: KingfisherOptionsInfo = [policy()]
    ) async -> CGFloat? {
        try? await downloader.downloadImage(with: server.url(path), options: options).image.size.width
    }
}
