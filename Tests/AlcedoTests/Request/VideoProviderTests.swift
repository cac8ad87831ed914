import AlcedoLocks
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

@Suite(.timeLimit(.minutes(10)))
struct `A provider of a frame of a video` {
    private let folder: TemporaryDirectory
    private let manager: KingfisherManager

    init() throws {
        folder = try TemporaryDirectory()
        manager = KingfisherManager(
            downloader: ImageDownloader(name: "video"),
            cache: try ImageCache(name: "video", cacheDirectoryURL: folder.url))
    }

    @Test func `a video provider has the URL and the time in its cache key`() {
        let url = Fixture.url("video/h264.mp4")
        let provider = AVAssetImageDataProvider(assetURL: url, seconds: 2)
        #expect(provider.cacheKey == "\(url.cacheKey)_2.0")
        #expect(provider.cacheKey != AVAssetImageDataProvider(assetURL: url, seconds: 2.5).cacheKey)
        #expect(provider.contentURL == url)
    }

    @Test func `a video provider rejects a video that is neither a local file nor at an http URL`()
        async throws
    {
        for address in ["ftp://127.0.0.1/a.mp4", "file://elsewhere/a.mp4"] {
            let url = try #require(URL(string: address))
            let error = await #expect(throws: TransportError.self) {
                try await AVAssetImageDataProvider(assetURL: url, seconds: 0).data()
            }
            #expect("\(try #require(error))".contains("download the video first"))
        }
    }

    @Test func `a video provider says which file is missing`() async throws {
        let url = URL(fileURLWithPath: "/nowhere/a.mp4")
        let error = await #expect(throws: TransportError.self) {
            try await AVAssetImageDataProvider(assetURL: url, seconds: 0).data()
        }
        #expect("\(try #require(error))".contains("/nowhere/a.mp4"))
    }

    @Test func `a video provider does not even open a file for a load that is cancelled`() async throws {
        let cancellation = Cancellation()
        cancellation.cancel()
        let provider = AVAssetImageDataProvider(assetURL: URL(fileURLWithPath: "/nowhere/a.mp4"), seconds: 0)
        await #expect(throws: CancellationError.self) {
            let read = OneShot<Data, any Error>()
            provider.data(limits: DecodeLimits(), timeout: 0, cancellation: cancellation) { read.finish($0) }
            return try await read.value()
        }
    }

    #if Video
        @Test func `a video provider makes an image that is cached under the provider's key`() async throws {
            let provider = AVAssetImageDataProvider(assetURL: Fixture.url("video/h264.mp4"), seconds: 1)
            let options: KingfisherOptionsInfo = [.waitForCache]
            let loaded = try await manager.retrieveImage(with: .provider(provider), options: options)
            #expect(loaded.image.size == CGSize(width: 64, height: 48))
            #expect(loaded.data()?.kf.imageFormat == .JPEG)
            // Frame 10 has the luma 116.
            let grey = try loaded.image.bitmap().withUnsafeBytes { Int($0[0]) }
            #expect(abs(grey - 116) <= 4)
            let again = try await manager.retrieveImage(with: .provider(provider), options: options)
            #expect(again.cacheType == .memory)
            #expect(manager.cache.imageCachedType(forKey: provider.cacheKey) == .memory)
        }

        @Test func `a video provider makes a PNG of a frame with transparency`() async throws {
            let url = Fixture.url("video/alpha.webm")
            let data = try await AVAssetImageDataProvider(assetURL: url, seconds: 0).data()
            #expect(data.kf.imageFormat == .PNG)
        }

        @Test func `a video provider fails after the end, and says how long the video is`() async throws {
            let url = Fixture.url("video/h264.mp4")
            await #expect(throws: CodecError.noFrame(at: 9, duration: 2)) {
                try await AVAssetImageDataProvider(assetURL: url, seconds: 9).data()
            }
        }

        @Test func `a video provider keeps to the limits of its load`() async throws {
            let provider = AVAssetImageDataProvider(assetURL: Fixture.url("video/h264.mp4"), seconds: 0)
            let options: KingfisherOptionsInfo = [.decodeLimits(DecodeLimits(pixelsPerFrame: 1000))]
            let error = await #expect(throws: KingfisherError.self) {
                try await manager.retrieveImage(with: .provider(provider), options: options)
            }
            guard case .imageSettingError(.dataProviderError(_, let reason)) = error else {
                Issue.record("that is \(error as Any)")
                return
            }
            #expect(reason as? CodecError == .limitExceeded(.pixels, value: 64 * 48, limit: 1000))
        }
    #endif
}
