import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import QuiteOKImage

@Suite(.timeLimit(.minutes(10)))
struct `A format of one's own` {
    private let folder: TemporaryDirectory
    private let manager: KingfisherManager
    private let options: KingfisherOptionsInfo = [
        .processor(QOIProcessor()), .cacheSerializer(QOISerializer()), .callbackQueue(.untouch),
        .waitForCache,
    ]

    init() throws {
        folder = try TemporaryDirectory()
        let downloader = ImageDownloader(name: "own")
        downloader.downloadTimeout = 600
        manager = KingfisherManager(
            downloader: downloader,
            cache: try ImageCache(name: "own", cacheDirectoryURL: folder.url))
    }

    /// A picture with flat parts, gradients, noise and transparency.
    private static let pixels: [UInt8] = (0..<64 * 48).flatMap { index -> [UInt8] in
        let (x, y) = (index % 64, index / 64)
        switch y / 12 {
        case 0: return [0, 0, 0, 255]
        case 1: return [UInt8(x * 4), UInt8(y), UInt8(255 - x), 255]
        case 2: return [UInt8(index * 7919 % 256), UInt8(index * 104_729 % 256), UInt8(index % 251), 255]
        default: return [200, 100, 50, UInt8(x * 4)]
        }
    }
    private static let size = PixelSize(width: 64, height: 48)
    private static let encoded = QOI.encode(pixels, size: size)

    @Test func `a format of one's own is read and written without loss`() throws {
        let decoded = try #require(QOI.decode(Self.encoded, limit: 64 * 48))
        #expect(decoded.size == Self.size)
        let isEqual = decoded.pixels == Self.pixels
        #expect(isEqual)
        #expect(Self.encoded.count < Self.pixels.count)
        #expect(QOI.decode(Self.encoded, limit: 64 * 48 - 1) == nil)
    }

    @Test func `an image in a format of one's own is rejected if cut short`() {
        for count in stride(from: 0, to: Self.encoded.count - 8, by: 97) {
            #expect(QOI.decode(Array(Self.encoded.prefix(count)), limit: 64 * 48) == nil)
        }
    }

    @Test func `an image in a format of one's own is loaded, cached on disk and found there`() async throws {
        let server = try LoopbackServer()
        server.serve("/a.qoi", Self.encoded)
        let first = try await manager.retrieveImage(with: server.url("/a.qoi"), options: options)
        #expect(first.image.pixelSize == Self.size)
        manager.cache.clearMemoryCache()
        let second = try await manager.retrieveImage(with: server.url("/a.qoi"), options: options)
        #expect(second.cacheType == .disk)
        #expect(server.requestCount() == 1)
        let layout = PixelLayout(.bgra, .premultiplied)
        let isEqual = try first.image.pixels(in: layout) == second.image.pixels(in: layout)
        #expect(isEqual)
    }

    @Test func `a format of one's own keeps a picture that came in another format`() async throws {
        let picture = RawImageDataProvider(data: Data(try Fixture.data("jpeg/testorig.jpg")), cacheKey: "p")
        let result = try await manager.retrieveImage(with: .provider(picture), options: options)
        let file = manager.cache.cacheFileURLIfOnDisk(
            forKey: "p", processorIdentifier: QOIProcessor().identifier)
        #expect(QOI.recognises(Array(try Data(contentsOf: #require(file)))))
        #expect(result.image.pixelSize == PixelSize(width: 227, height: 149))
    }
}
