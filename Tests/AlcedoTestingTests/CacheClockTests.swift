import Alcedo
import AlcedoTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `A cache with a manual clock` {
    @Test func `a cache with a manual clock revalidates its images when the clock says so`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (clock, transport) = (ManualClock(), MemoryTransport())
        let cache = try ImageCache(name: "test", cacheDirectoryURL: folder, clock: clock)
        cache.httpFreshness = .respected
        let manager = KingfisherManager(
            downloader: ImageDownloader(name: "test", transport: transport), cache: cache)
        let url = try #require(URL(string: "https://example.com/a.png"))
        var response = try ScriptedResponse.image(.solid(width: 1, height: 1))
        response.headers = [("Cache-Control", "max-age=60"), ("ETag", "\"1\"")]
        let confirmation = ScriptedResponse(status: 304, headers: response.headers)
        transport.respond(to: url, with: response, confirmation)
        let options: KingfisherOptionsInfo = [.callbackQueue(.untouch), .waitForCache]
        let first = try await manager.retrieveImage(with: url, options: options)
        #expect(first.response?.fetched == Date(timeIntervalSince1970: 1_893_456_000))
        clock.advance(by: .seconds(59))
        _ = try await manager.retrieveImage(with: url, options: options)
        #expect(transport.requests.count == 1)
        clock.advance(by: .seconds(2))
        let confirmed = try await manager.retrieveImage(with: url, options: options)
        #expect(transport.requests.count == 2)
        #expect(confirmed.response?.fetched == Date(timeIntervalSince1970: 1_893_456_061))
        clock.advance(by: .seconds(86_400 * 8))
        #expect(!cache.isCached(forKey: url.cacheKey))
    }
}
