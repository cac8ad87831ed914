import AlcedoTestSupport
import AlcedoTesting
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

@MainActor @Suite(.timeLimit(.minutes(10)))
struct `A view whose image is damaged` {
    private let fixture: ViewFixture
    private let results = Recorder<ViewResult>()
    private var url: URL { fixture.server.url("/a") }

    init() throws { fixture = try ViewFixture() }

    private func set() async -> ViewResult {
        let results = results
        _ = fixture.view.kf.setImage(with: url, options: fixture.own) { results.append($0) }
        return await results.waitFor(count: 1)[0]
    }

    private func cacheDamaged() async throws {
        _ = try await fixture.loading.manager.retrieveImage(with: url, options: [.waitForCache])
        fixture.loading.cache.clearMemoryCache()
    }

    @Test func `setting a damaged image in a view fails, and leaves nothing in the caches`() async throws {
        fixture.server.serve("/a", try Sample.damagedPNG(40, 30))
        #expect(await set().error?.errorCode == 4001)
        #expect(fixture.view.image == nil)
        try await fixture.loading.cache.flush(within: .seconds(1000))
        #expect(!fixture.loading.cache.isCached(forKey: url.cacheKey))
        #expect(fixture.server.requestCount() == 1)
    }

    @Test func `a view whose image is damaged on disk loads the source`() async throws {
        fixture.server.serve(
            "/a", Reply(body: try Sample.damagedPNG(40, 30)), Reply(body: try Sample.png(41, 30)))
        try await cacheDamaged()
        let result = try await set().get()
        #expect(result.cacheType == .none && fixture.view.image.width == 41)
        #expect(results.count == 1 && fixture.server.requestCount() == 2)
    }

    @Test
    func `a view whose image is damaged on disk fails once if the source is damaged too`() async throws {
        fixture.server.serve("/a", try Sample.damagedPNG(40, 30))
        try await cacheDamaged()
        #expect(await set().error?.errorCode == 4001)
        #expect(results.count == 1 && fixture.server.requestCount() == 2)
    }
}
