import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A URLCache's members of an HTTP cache` {
    let caching: Caching
    let downloader: ImageDownloader

    init() throws {
        caching = try Caching()
        downloader = caching.downloader()
        for path in ["/a", "/a?b=1"] {
            let headers = [("Cache-Control", "max-age=3600")]
            caching.server.serve(
                path, Reply(body: try Sample.png(3, 2), contentType: "image/png", headers: headers))
        }
    }

    private var cache: HTTPCache { caching.cache }

    private func request(_ path: String = "/a") -> URLRequest { URLRequest(url: caching.server.url(path)) }

    private func load(_ path: String = "/a") async { _ = await caching.width(path, by: downloader) }

    @Test func `an HTTP cache's cachedResponse looks a response up, in memory and on disk`() async throws {
        #expect(cache.cachedResponse(for: request()) == nil)
        await load()
        for cache in [cache, caching.reopened()] {
            let found = try #require(cache.cachedResponse(for: request()))
            #expect(try found.data == Data(Sample.png(3, 2)))
            #expect((found.response as? HTTPURLResponse)?.statusCode == 200)
            #expect(cache.cachedResponse(for: request("/a?b=1")) == nil)
        }
    }

    @Test func `an HTTP cache's storeCachedResponse stores what a downloader then uses`() async throws {
        let url = caching.server.url("/a")
        let response = try #require(
            HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: nil, headerFields: ["Cache-Control": "max-age=60"]))
        cache.storeCachedResponse(
            CachedURLResponse(response: response, data: Data(try Sample.png(7, 2))), for: request())
        #expect(await caching.width("/a", by: downloader) == 7)
        #expect(caching.server.requestCount() == 0)
    }

    @Test func `storeCachedResponse stores nothing that the server or the policy forbids`() throws {
        for (field, policy) in [("no-store", URLCache.StoragePolicy.allowed), ("max-age=60", .notAllowed)] {
            let response = try #require(
                HTTPURLResponse(
                    url: caching.server.url("/a"), statusCode: 200, httpVersion: nil,
                    headerFields: ["Cache-Control": field]))
            cache.storeCachedResponse(
                CachedURLResponse(response: response, data: Data([1]), storagePolicy: policy), for: request())
            #expect(cache.cachedResponse(for: request()) == nil)
        }
    }

    @Test func `an HTTP cache's removeCachedResponse removes the response to one request`() async throws {
        await load("/a")
        await load("/a?b=1")
        cache.removeCachedResponse(for: request())
        for cache in [cache, caching.reopened()] {
            #expect(cache.cachedResponse(for: request()) == nil)
            #expect(cache.cachedResponse(for: request("/a?b=1")) != nil)
        }
    }

    @Test func `an HTTP cache's removeCachedResponses removes what was stored since a date`() async throws {
        await load()
        cache.removeCachedResponses(since: Date(timeIntervalSinceNow: 100))
        #expect(cache.cachedResponse(for: request()) != nil)
        cache.responses.waitForDisk()
        cache.removeCachedResponses(since: Date(timeIntervalSinceNow: -100))
        #expect(cache.cachedResponse(for: request()) == nil)
        #expect(caching.reopened().cachedResponse(for: request()) == nil)
        await load()
        #expect(caching.server.requestCount() == 2)
    }

    @Test func `an HTTP cache counts its bytes in memory and on disk`() async throws {
        #expect(cache.currentMemoryUsage == 0 && cache.currentDiskUsage == 0)
        await load()
        cache.responses.waitForDisk()
        let bytes = try Sample.png(3, 2).count
        #expect(cache.currentMemoryUsage > bytes && cache.currentDiskUsage > bytes)
        cache.removeAllCachedResponses()
        cache.responses.waitForDisk()
        #expect(cache.currentMemoryUsage == 0 && cache.currentDiskUsage == 0)
    }

    @Test func `an HTTP cache's capacities can be changed while it is in use`() async throws {
        await load()
        cache.responses.waitForDisk()
        cache.memoryCapacity = 0
        #expect(cache.memoryCapacity == 0 && cache.currentMemoryUsage == 0)
        #expect(cache.cachedResponse(for: request()) != nil)
        cache.diskCapacity = 0
        cache.responses.waitForDisk()
        #expect(cache.diskCapacity == 0 && cache.currentDiskUsage == 0)
        await load()
        cache.responses.waitForDisk()
        #expect(cache.currentDiskUsage == 0)
        cache.diskCapacity = 1 << 20
        cache.memoryCapacity = 1 << 20
        await load()
        cache.responses.waitForDisk()
        #expect(cache.currentMemoryUsage > 0 && cache.currentDiskUsage > 0)
    }
}
