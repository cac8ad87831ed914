import AlcedoTestSupport
import AlcedoTesting
import AlcedoTransport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

/// Where only public addresses may be loaded from, no URL leads to a file.
@Suite(.timeLimit(.minutes(10)))
struct `A file URL under publicOnly` {
    let loading: Loading
    let file: URL
    var manager: KingfisherManager { loading.manager }

    init() throws {
        loading = try Loading()
        file = loading.folder.file("secret.png")
        try Data(try Sample.png(4, 4)).write(to: file)
        loading.downloader.addressPolicy = .publicOnly
    }

    private var own: KingfisherOptionsInfo { [.downloader(loading.downloader), .targetCache(loading.cache)] }

    private func isRefusal(_ error: KingfisherError?) -> Bool {
        guard case .responseError(reason: .URLSessionError(let cause)) = error else { return false }
        return cause.transportError == .addressRejected("file:", url: file.absoluteString)
    }

    @Test func `a file URL under publicOnly is rejected for a view`() async throws {
        let results = Recorder<ViewResult>()
        let (file, own) = (file, own)
        let view = await MainActor.run {
            let view = ImageView(surface: HeadlessSurface())
            view.kf.setImage(with: file, options: own) { results.append($0) }
            return view
        }
        let error = await results.waitFor(count: 1)[0].error
        #expect(isRefusal(error))
        withExtendedLifetime(view) {}
    }

    @Test func `a file URL under publicOnly is rejected for the builder`() async throws {
        let errors = Recorder<KingfisherError>()
        let (file, loading) = (file, loading)
        let view = await MainActor.run {
            let view = ImageView(surface: HeadlessSurface())
            KF.url(file).targetCache(loading.cache).downloader(loading.downloader)
                .onSuccess { _ in Issue.record("it was loaded") }
                .onFailure { errors.append($0) }
                .set(to: view)
            return view
        }
        let error = await errors.waitFor(count: 1)[0]
        #expect(isRefusal(error))
        withExtendedLifetime(view) {}
    }

    @Test func `a file URL under publicOnly is rejected for a prefetcher`() async throws {
        let failed = Recorder<Int>()
        ImagePrefetcher(urls: [file], options: own) { _, failures, _ in failed.append(failures.count) }
            .start()
        #expect(await failed.waitFor(count: 1) == [1])
    }

    @Test
    func `a file URL under publicOnly is rejected as a source, an alternative and a resource`() async throws {
        let nowhere = loading.server.url("/missing")
        let resource = KF.ImageResource(downloadURL: file, cacheKey: "k")
        let sources: [Source] = [
            file.convertToSource(), resource.convertToSource(), .network(file), .network(resource),
        ]
        for source in sources {
            let error = await kingfisherError { try await manager.retrieveImage(with: source) }
            #expect(isRefusal(error))
            let last = await kingfisherError {
                try await manager.retrieveImage(with: nowhere, options: [.alternativeSources([source])])
            }
            guard case .imageSettingError(reason: .alternativeSourcesExhausted(let errors)) = last else {
                Issue.record("\(String(describing: last))")
                continue
            }
            #expect(isRefusal(errors.last?.error))
        }
        let whole = await kingfisherError { try await manager.retrieveImage(with: file) }
        #expect(isRefusal(whole))
        let direct = await kingfisherError { try await loading.downloader.downloadImage(with: file) }
        #expect(isRefusal(direct))
    }

    @Test
    func `a file URL under publicOnly is rejected although another load has cached the image`() async throws {
        loading.downloader.addressPolicy = .any
        _ = try await manager.retrieveImage(with: file, options: [.waitForCache])
        loading.downloader.addressPolicy = .publicOnly
        let error = await kingfisherError { try await manager.retrieveImage(with: file) }
        #expect(isRefusal(error))
    }

    @Test func `a file URL of another host reads no local file, whichever way it comes`() async throws {
        loading.downloader.addressPolicy = .any
        let elsewhere = try #require(URL(string: "file://elsewhere" + file.path))
        let provider = Source.provider(LocalFileImageDataProvider(fileURL: elsewhere))
        for source in [provider, .network(elsewhere)] {
            let error = await kingfisherError { try await manager.retrieveImage(with: source) }
            #expect(error?.localizedDescription.contains("on another host") == true)
        }
        let viaSet = await kingfisherError { try await manager.retrieveImage(with: elsewhere) }
        #expect(viaSet?.localizedDescription.contains("on another host") == true)
        let here = try #require(URL(string: "file://localhost" + file.path))
        #expect(try await manager.retrieveImage(with: here).image.pixelSize.width == 4)
    }

    @Test func `a file provider that the program has made is allowed under publicOnly`() async throws {
        let source = Source.provider(LocalFileImageDataProvider(fileURL: file))
        #expect(try await manager.retrieveImage(with: source).image.pixelSize.width == 4)
    }
}
