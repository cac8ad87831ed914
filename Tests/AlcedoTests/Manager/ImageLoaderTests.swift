import Alcedo
import AlcedoTestSupport
import AlcedoTesting
import AlcedoTransport
import Foundation
import Testing

@testable import EngineFixtures

/// Has a source for each URL whose host is its name, and counts what it is asked.
private struct HostLoader: ImageLoader {
    let name: String
    let asked = Recorder<URL>()
    let content: @Sendable (URL) -> Source?

    func source(for url: URL) -> Source? {
        asked.append(url)
        return url.host == name ? content(url) : nil
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `Registered loaders` {
    let loading: Loading
    let loaders = ImageLoaderRegistry()
    let url: URL
    var manager: KingfisherManager { loading.manager }

    init() throws {
        loading = try Loading()
        url = try #require(URL(string: "app-asset://icons/a.png"))
        manager.defaultOptions += [.loaders(loaders)]
    }

    private static func provider(width: Int) -> @Sendable (URL) -> Source? {
        { _ in
            guard let data = try? Data(Sample.png(width, 1)) else { return nil }
            return .provider(RawImageDataProvider(data: data, cacheKey: "not used"))
        }
    }

    private func width(_ url: URL, _ options: KingfisherOptionsInfo = []) async throws -> Int {
        Int(try await manager.retrieveImage(with: url, options: options).image.size.width)
    }

    @Test func `registered loaders load a scheme in any case, and the image is cached under the URL`()
        async throws
    {
        loaders.register(scheme: "App-Asset", source: Self.provider(width: 3))
        let result = try await manager.retrieveImage(with: url, options: [.waitForCache])
        #expect(result.image.size.width == 3)
        #expect(result.source.url == url && result.cacheType == .none)
        #expect(loading.cache.imageCachedType(forKey: url.absoluteString) == .memory)
        #expect(loading.cache.imageCachedType(forKey: "not used") == .none)
        #expect(try await width(URL(string: "APP-ASSET://icons/b.png")!) == 3)
    }

    @Test
    func `registered loaders are asked from the last to the first, and only after the caches`() async throws {
        let first = HostLoader(name: "icons", content: Self.provider(width: 1))
        let second = HostLoader(name: "photos", content: Self.provider(width: 2))
        loaders.register(first)
        loaders.register(second)
        #expect(try await width(url) == 1)
        #expect(try await width(URL(string: "app-asset://photos/a.png")!) == 2)
        #expect(try await width(url) == 1)
        #expect(second.asked.count == 2 && first.asked.values == [url])
        loaders.register(HostLoader(name: "icons", content: Self.provider(width: 4)))
        #expect(try await width(url, [.forceRefresh]) == 4)
    }

    @Test func `registered loaders leave to the downloader what none has a source for`() async throws {
        loading.server.serve("/a.png", try Sample.png(5, 1))
        let loader = HostLoader(name: "icons", content: Self.provider(width: 1))
        loaders.register(loader)
        #expect(try await width(loading.server.url("/a.png")) == 5)
        #expect(loader.asked.count == 1)
        let unknown = await kingfisherError { try await width(URL(string: "s3://bucket/a.png")!) }
        guard case .responseError(reason: .URLSessionError(let error)) = unknown else {
            Issue.record("\(String(describing: unknown))")
            return
        }
        #expect(error.transportError == .unsupportedScheme("s3", url: "s3://bucket/a.png"))
    }

    @Test func `a registered loader may name another URL, anew for each attempt`() async throws {
        loading.server.serve("/signed", Reply.status(403), Reply(body: try Sample.png(6, 1)))
        let signed = loading.server.url("/signed")
        let loader = HostLoader(name: "bucket") { _ in .network(signed) }
        loaders.register(loader)
        let url = URL(string: "s3://bucket/a.png")!
        let retry = DelayRetryStrategy(maxRetryCount: 1, retryInterval: .seconds(0))
        #expect(try await width(url, [.retryStrategy(retry)]) == 6)
        #expect(loader.asked.values == [url, url])
        #expect(loading.cache.isCached(forKey: url.absoluteString))
        #expect(!loading.cache.isCached(forKey: signed.absoluteString))
    }

    @Test func `registered loaders serve views, prefetchers and alternatives`() async throws {
        loaders.register(scheme: "app-asset", source: Self.provider(width: 3))
        let own: KingfisherOptionsInfo = [
            .loaders(loaders), .downloader(loading.downloader), .targetCache(loading.cache),
        ]
        let completed = Recorder<Int>()
        ImagePrefetcher(urls: [url], options: own) { completed.append($2.count) }.start()
        #expect(await completed.waitFor(count: 1) == [1])

        let results = Recorder<ViewResult>()
        let other = URL(string: "app-asset://icons/b.png")!
        let view = await MainActor.run {
            let view = ImageView(surface: HeadlessSurface())
            view.kf.setImage(with: other, options: own) { results.append($0) }
            return view
        }
        #expect(await results.waitFor(count: 1)[0].error == nil)
        withExtendedLifetime(view) {}

        let missing = loading.server.url("/missing")
        #expect(try await width(missing, [.alternativeSources([.network(url)])]) == 3)
    }

    @Test func `registered loaders can be set by the builder`() async {
        let (url, loaders) = (url, loaders)
        await MainActor.run { #expect(KF.url(url).loaders(loaders).options.loaders === loaders) }
    }

    @Test(arguments: [true, false])
    func `registered loaders lead to no file URL under publicOnly`(asProvider: Bool) async throws {
        let file = loading.folder.file("secret.png")
        try Data(try Sample.png(4, 4)).write(to: file)
        loaders.register(scheme: "app-asset") { _ in asProvider ? file.convertToSource() : .network(file) }
        loading.downloader.addressPolicy = .publicOnly
        let error = await kingfisherError { try await width(url) }
        guard case .responseError(reason: .URLSessionError(let cause)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause.transportError == .addressRejected("file:", url: file.absoluteString))
        loading.downloader.addressPolicy = .any
        #expect(try await width(url) == 4)
    }

    @Test func `registered loaders cancel their provider with the load`() async throws {
        let provider = EndlessProvider()
        loaders.register(scheme: "app-asset") { _ in .provider(provider) }
        let errors = Recorder<KingfisherError>()
        let task = manager.retrieveImage(with: url) { result in
            if case .failure(let error) = result { errors.append(error) }
        }
        await provider.started.waitFor(count: 1)
        task?.cancel()
        #expect(await errors.waitFor(count: 1)[0].isTaskCancelled)
        await provider.cancelled.waitFor(count: 1)
    }
}

/// Provides nothing until its task is cancelled.
private struct EndlessProvider: ImageDataProvider {
    let cacheKey = "endless"
    let started = Recorder<Void>()
    let cancelled = Recorder<Void>()

    func data() async throws -> Data {
        started.append(())
        let stream = AsyncStream<Void> { _ in }
        for await _ in stream {}
        cancelled.append(())
        throw CancellationError()
    }
}
