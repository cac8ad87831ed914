import AlcedoTestSupport
import Foundation

@testable import Alcedo

/// A server, a downloader, an empty cache and a manager of one test's own.
struct Loading {
    let server: LoopbackServer
    let folder: TemporaryDirectory
    let cache: ImageCache
    let downloader = ImageDownloader(name: "test")
    let manager: KingfisherManager

    init() throws {
        server = try LoopbackServer()
        folder = try TemporaryDirectory()
        cache = try ImageCache.patient(in: folder.url)
        // Many tests share two cores: no test but those of time-outs may depend on one.
        downloader.downloadTimeout = 120
        manager = KingfisherManager(downloader: downloader, cache: cache)
        manager.defaultOptions = [.callbackQueue(.untouch)]
    }

    /// The manager on the same folder with nothing in memory.
    func restarted() throws -> KingfisherManager {
        KingfisherManager(downloader: downloader, cache: try .patient(in: folder.url))
    }
}

/// The error that `body` throws, if it is one of Kingfisher's.
func kingfisherError(_ body: () async throws -> some Any) async -> KingfisherError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? KingfisherError
    }
}

extension Result {
    var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
