import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A thumbnail provider` {
    let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func file(_ bytes: some Sequence<UInt8>) throws -> URL {
        let url = folder.url.appendingPathComponent("picture")
        try Data(bytes).write(to: url)
        return url
    }

    @Test func `a thumbnail provider makes a picture whose longer side is the given one`() async throws {
        let url = try file(try Sample.png(40, 20))
        let data = try await ThumbnailImageDataProvider(url: url, maxPixelSize: 10).data()
        let image = Image(data: data)
        #expect(image?.size == CGSize(width: 10, height: 5))
        #expect(data.kf.imageFormat == .PNG)
    }

    @Test func `a thumbnail provider hands over a file that is small enough, if it may`() async throws {
        let bytes = try Sample.png(4, 4)
        let url = try file(bytes)
        let provider = ThumbnailImageDataProvider(url: url, maxPixelSize: 10, alwaysCreateThumbnail: false)
        #expect(try await provider.data() == Data(bytes))
        let other = ThumbnailImageDataProvider(url: url, maxPixelSize: 10)
        #expect(Image(data: try await other.data())?.size == CGSize(width: 4, height: 4))
        #expect(provider.cacheKey != other.cacheKey)
    }

    @Test func `a thumbnail provider keeps to the limits of its load`() async throws {
        let provider = ThumbnailImageDataProvider(url: try file(try Sample.png(40, 20)), maxPixelSize: 10)
        #expect(try await Image(data: provider.data(within: DecodeLimits()))?.size.width == 10)
        await #expect(throws: ThumbnailImageDataProvider.ThumbnailImageDataProviderError.invalidImageSource) {
            try await provider.data(within: DecodeLimits(encodedBytes: 10))
        }
    }

    @Test func `a thumbnail provider fails for a file that is missing or no image`() async throws {
        let url = try file("no image".utf8)
        await #expect(throws: ThumbnailImageDataProvider.ThumbnailImageDataProviderError.invalidImageSource) {
            try await ThumbnailImageDataProvider(url: url, maxPixelSize: 10).data()
        }
        let missing = folder.url.appendingPathComponent("missing")
        await #expect(throws: ThumbnailImageDataProvider.ThumbnailImageDataProviderError.invalidImageSource) {
            try await ThumbnailImageDataProvider(url: missing, maxPixelSize: 10).data()
        }
    }
}
