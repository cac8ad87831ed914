import Alcedo
import AlcedoTestSupport
import Farbfeld
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `A codec of one's own` {
    private let folder: TemporaryDirectory
    private let manager: KingfisherManager
    private let options: KingfisherOptionsInfo = [.callbackQueue(.untouch), .waitForCache]

    private static let isRegistered: Bool = {
        CodecRegistry.shared.register(FarbfeldCodec())
        return true
    }()

    init() throws {
        _ = Self.isRegistered
        folder = try TemporaryDirectory()
        let downloader = ImageDownloader(name: "codec")
        downloader.downloadTimeout = 600
        manager = KingfisherManager(
            downloader: downloader,
            cache: try ImageCache(name: "codec", cacheDirectoryURL: folder.url))
    }

    private func sample() throws -> (Image, Data) {
        let picture = try #require(Image(data: Data(Fixture.data("made/alpha.png"))))
        return (picture, try picture.data(as: FarbfeldCodec.format))
    }

    @Test func `a codec of one's own is found by content, and loses nothing`() throws {
        let (picture, data) = try sample()
        let image = try #require(Image(data: data))
        #expect(image.info?.format == FarbfeldCodec.format && image.info?.isComplete == true)
        let layout = PixelLayout(.rgba, .premultiplied)
        let isEqual = try image.pixels(in: layout) == picture.pixels(in: layout)
        #expect(isEqual)
        // Another format gets the colours of the file itself, and not those that were multiplied by alpha.
        let png = [UInt8](try image.data(as: .png))
        let options = DecodeOptions { $0.keepsStraightAlpha = true }
        let written = try CodecRegistry.shared.decode(png.span.bytes, options: options)
        let original = try Fixture.data("made/alpha.png")
        let drawn = try CodecRegistry.shared.decode(original.span.bytes, options: options)
        let isSame =
            written.bytes(in: PixelLayout(.rgba, .straight)) == drawn.bytes(in: PixelLayout(.rgba, .straight))
        #expect(isSame)
    }

    @Test func `a codec of one's own rejects what is cut short or too large`() throws {
        let (_, data) = try sample()
        for count in stride(from: 0, to: data.count, by: 61) {
            #expect(Image(data: data.prefix(count)) == nil)
        }
        let few = DecodeLimits { $0.pixelsPerFrame = 10 }
        #expect(throws: CodecError.self) { try Image(decoding: data, limits: few) }
    }

    @Test func `an image of one's own codec is loaded, cached on disk as it came, and found`() async throws {
        let (_, data) = try sample()
        let server = try LoopbackServer()
        server.serve("/a", Array(data))
        let first = try await manager.retrieveImage(with: server.url("/a"), options: options)
        #expect(first.image.info?.format == FarbfeldCodec.format)
        manager.cache.clearMemoryCache()
        let second = try await manager.retrieveImage(with: server.url("/a"), options: options)
        #expect(second.cacheType == .disk && second.image.info?.format == FarbfeldCodec.format)
        let file = try #require(manager.cache.cacheFileURLIfOnDisk(forKey: server.url("/a").absoluteString))
        let isSame = try Data(contentsOf: file) == data
        #expect(isSame)
    }

    @Test func `an image of one's own codec is processed, and the result is found again`() async throws {
        let server = try LoopbackServer()
        server.serve("/a", Array(try sample().1))
        let small = options + [.processor(ResizingImageProcessor(referenceSize: CGSize(width: 9, height: 7)))]
        for expected in [CacheType.none, .disk] {
            let result = try await manager.retrieveImage(with: server.url("/a"), options: small)
            #expect(result.cacheType == expected)
            #expect(result.image.pixelSize == PixelSize(width: 9, height: 7))
            manager.cache.clearMemoryCache()
        }
        #expect(server.requestCount() == 1)
    }
}
