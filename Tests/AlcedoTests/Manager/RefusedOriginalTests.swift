import Alcedo
import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A processor that rejects` {
    let loading: Loading
    var url: URL { loading.server.url("/a") }

    init() throws {
        loading = try Loading()
        loading.server.serve("/a", try Sample.png(4, 4))
    }

    @Test(arguments: [false, true], [false, true])
    func `a processor that rejects a cached original fails the load, without a download`(
        onlyFromCache: Bool, inMemory: Bool
    )
        async throws
    {
        _ = try await loading.manager.retrieveImage(with: url, options: [.waitForCache])
        if !inMemory { loading.cache.clearMemoryCache() }
        let error = await kingfisherError {
            try await loading.manager.retrieveImage(
                with: url,
                options: [.processor(RefusingProcessor())] + (onlyFromCache ? [.onlyFromCache] : []))
        }
        #expect(error?.errorCode == 4001)
        #expect(loading.server.requestCount() == 1)
    }

    @Test func `a processor that rejects an original stored in its image's place fails the load too`()
        async throws
    {
        var serializer = DefaultCacheSerializer()
        serializer.preferCacheOriginalData = true
        try await loading.cache.storeToDisk(
            Data(Sample.png(4, 4)), forKey: url.cacheKey, processorIdentifier: "refusing")
        let error = await kingfisherError {
            try await loading.manager.retrieveImage(
                with: url, options: [.processor(RefusingProcessor()), .cacheSerializer(serializer)])
        }
        #expect(error?.errorCode == 4001)
        #expect(loading.server.requestCount() == 0)
    }

    @Test
    func `a processor that rejects a cached original leaves the load to the alternatives`() async throws {
        _ = try await loading.manager.retrieveImage(with: url, options: [.waitForCache])
        let other = RawImageDataProvider(data: Data(), cacheKey: "other")
        let error = await kingfisherError {
            try await loading.manager.retrieveImage(
                with: url,
                options: [.processor(RefusingProcessor()), .alternativeSources([.provider(other)])])
        }
        #expect(error?.errorCode == 5004)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `A delegate that returns no data` {
    private final class Delegate: ImageDownloaderDelegate, Sendable {
        let told = Recorder<(any Error)?>()

        func imageDownloader(
            _ downloader: ImageDownloader,
            didFinishDownloadingImageForURL url: URL,
            with response: URLResponse?,
            error: (any Error)?
        ) { told.append(error) }

        func imageDownloader(_ downloader: ImageDownloader, didDownload data: Data, for url: URL) -> Data? {
            nil
        }
    }

    @Test func `a delegate that returns no data is told once that the download failed`() async throws {
        let loading = try Loading()
        let delegate = Delegate()
        loading.downloader.delegate = delegate
        loading.server.serve("/a", try Sample.png(4, 4))
        let error = await kingfisherError {
            try await loading.downloader.downloadImage(with: loading.server.url("/a"))
        }
        #expect(error?.errorCode == 2004)
        #expect(delegate.told.values.map { ($0 as? KingfisherError)?.errorCode } == [2004])
    }
}
