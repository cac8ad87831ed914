import AlcedoLocks
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A constrained network` {
    let loading: Loading
    var server: LoopbackServer { loading.server }
    var small: Source { .network(server.url("/small")) }

    init() throws {
        loading = try Loading()
        loading.downloader.isNetworkConstrained = { true }
        server.serve("/large", try Sample.png(8, 8))
        server.serve("/small", try Sample.png(2, 2))
    }

    @Test func `a constrained network has the low-data source loaded, and not the large one`() async throws {
        let result = try await loading.manager.retrieveImage(
            with: server.url("/large"), options: [.lowDataMode(small)])
        #expect(result.image.size.width == 2)
        #expect(result.source == small)
        #expect(result.originalSource == .network(server.url("/large")))
        #expect(server.requestCount(path: "/large") == 0)
    }

    @Test func `a constrained network changes nothing for a load without a low-data source`() async throws {
        let result = try await loading.manager.retrieveImage(with: server.url("/large"))
        #expect(result.image.size.width == 8)
    }

    @Test func `a constrained network changes nothing where the image is cached`() async throws {
        _ = try await loading.manager.retrieveImage(with: server.url("/large"))
        let result = try await loading.manager.retrieveImage(
            with: server.url("/large"), options: [.lowDataMode(small)])
        #expect(result.image.size.width == 8)
    }

    @Test
    func `a constrained network leads to the alternatives when the low-data source fails too`() async throws {
        server.serve("/small", Reply.status(500))
        server.serve("/third", try Sample.png(3, 3))
        let result = try await loading.manager.retrieveImage(
            with: server.url("/large"),
            options: [.lowDataMode(small), .alternativeSources([.network(server.url("/third"))])])
        #expect(result.image.size.width == 3)
        let error = await kingfisherError {
            try await loading.manager.retrieveImage(
                with: server.url("/large"), options: [.lowDataMode(small)])
        }
        guard case .imageSettingError(reason: .alternativeSourcesExhausted(let errors)) = error else {
            Issue.record("not \(String(describing: error))")
            return
        }
        #expect(errors.map(\.source) == [.network(server.url("/large")), small])
    }

    @Test func `a constrained network is not asked twice by a retry`() async throws {
        let retry = DelayRetryStrategy(maxRetryCount: 3, retryInterval: .seconds(0))
        let result = try await loading.manager.retrieveImage(
            with: server.url("/large"), options: [.lowDataMode(small), .retryStrategy(retry)])
        #expect(result.image.size.width == 2)
        #expect(server.requestCount() == 1)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `A load that nobody wants any more` {
    let loading: Loading
    var server: LoopbackServer { loading.server }

    init() throws {
        loading = try Loading()
        server.serve("/a", try Sample.png(4, 4))
    }

    @Test func `a load that nobody wants any more is neither retried nor replaced by an alternative`()
        async throws
    {
        let gate = Gate()
        let wanted = Wanted()
        server.serve("/gone", Reply.status(500).hold(.head, until: gate))
        let told = Recorder<KingfisherError?>()
        var options = KingfisherParsedOptionsInfo([
            .retryStrategy(DelayRetryStrategy(maxRetryCount: 2, retryInterval: .seconds(0))),
            .alternativeSources([.network(server.url("/a"))]), .callbackQueue(.untouch),
        ])
        options.isCurrent = { wanted.value }
        loading.manager.retrieveImage(with: .network(server.url("/gone")), parsedOptions: options) {
            told.append($0.error)
        }
        await server.waitForRequests(1)
        wanted.value = false
        gate.open()
        #expect(await told.waitFor(count: 1).first??.isInvalidResponseStatusCode(500) == true)
        #expect(server.requestCount() == 1)
    }

    @Test
    func `a load that nobody wants any more does not read the disk, and is not downloaded`() async throws {
        _ = try await loading.manager.retrieveImage(with: server.url("/a"), options: [.waitForCache])
        loading.cache.clearMemoryCache()
        let told = Recorder<KingfisherError?>()
        var options = KingfisherParsedOptionsInfo([.callbackQueue(.untouch)])
        options.isCurrent = { false }
        loading.manager.retrieveImage(with: .network(server.url("/a")), parsedOptions: options) {
            told.append($0.error)
        }
        #expect(await told.waitFor(count: 1).first??.isNotCurrentTask == true)
        #expect(loading.cache.memoryStorageCacheCost == 0)
        #expect(server.requestCount() == 1)
    }

    final class Wanted: Sendable {
        private let state = Lock(true)
        var value: Bool {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }
}
