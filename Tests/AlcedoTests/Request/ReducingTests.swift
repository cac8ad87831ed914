import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A cap on decoded pixels` {
    private let loading: Loading

    init() throws { loading = try Loading() }

    private func serve(_ path: String, _ bytes: [UInt8]) -> URL {
        loading.server.serve(path, bytes)
        return loading.server.url(path)
    }

    private func load(
        _ url: URL, _ options: KingfisherOptionsInfo = [], by manager: KingfisherManager? = nil
    ) async throws -> RetrieveImageResult {
        try await (manager ?? loading.manager).retrieveImage(with: url, options: options + [.waitForCache])
    }

    @Test
    func `a cap on decoded pixels reduces larger images, and leaves others with their bytes`() async throws {
        let large = serve("/large", try Sample.jpeg(400, 200))
        let small = serve("/small", try Sample.png(40, 20))
        let reduced = try await load(large, [.maximumDecodedPixels(20_000)]).image
        #expect(reduced.pixelSize == PixelSize(width: 200, height: 100))
        let kept = try await load(small, [.maximumDecodedPixels(20_000)]).image
        #expect(kept.pixelSize == PixelSize(width: 40, height: 20))
        #expect(kept.encoded?.data == Data(try Sample.png(40, 20)))
    }

    @Test
    func `a cap on decoded pixels never mixes up reduced images and whole ones in the cache`() async throws {
        let url = serve("/a", try Sample.png(400, 200))
        let cap = KingfisherOptionsInfoItem.maximumDecodedPixels(20_000)
        #expect(try await load(url, [cap]).image.pixelSize.width == 200)
        #expect(try await load(url).image.pixelSize.width == 400)
        let again = try await load(url, [cap])
        #expect(again.image.pixelSize.width == 200 && again.cacheType == .memory)
        let restarted = try loading.restarted()
        let (whole, reduced) = (
            try await load(url, by: restarted), try await load(url, [cap], by: restarted)
        )
        #expect(whole.image.pixelSize.width == 400 && whole.cacheType == .disk)
        #expect(reduced.image.pixelSize.width == 200 && reduced.cacheType == .disk)
        #expect(loading.server.requestCount() == 2)
    }

    @Test func `a cap on decoded pixels makes its image of an original in the cache`() async throws {
        let url = serve("/a", try Sample.png(400, 200))
        _ = try await load(url)
        #expect(try await load(url, [.maximumDecodedPixels(5_000)]).image.pixelSize.width == 100)
        #expect(loading.server.requestCount() == 1)
    }

    @Test func `a cap on decoded pixels serves each of two loads that share a transfer its own image`()
        async throws
    {
        let gate = Gate()
        loading.server.serve(
            "/a", Reply(body: Payload(try Sample.png(400, 200))).hold(.head, until: gate))
        let url = loading.server.url("/a")
        let observer = EventRecorder()
        let observed: KingfisherOptionsInfo = [.observers([observer])]
        async let whole = load(url, observed)
        async let reduced = load(url, observed + [.maximumDecodedPixels(20_000)])
        // Which of them begins the transfer is open.
        _ = await observer.events.wait { $0.contains { $0.stage.name == "coalesced" } }
        gate.open()
        #expect(try await whole.image.pixelSize.width == 400)
        #expect(try await reduced.image.pixelSize.width == 200)
        #expect(loading.server.requestCount() == 1)
    }

    @Test func `a cap on decoded pixels reduces a photograph that is too large to decode`() async throws {
        let url = serve("/a", try Sample.jpeg(400, 200))
        let limits = DecodeLimits { $0.pixelsPerFrame = 50_000 }
        await #expect(throws: KingfisherError.self) { try await load(url, [.decodeLimits(limits)]) }
        // A JPEG of this size is decoded to four eighths, which are within the limit though the cap is above or too near.
        for (cap, width) in [(5_000, 100), (48_000, 200), (1_000_000, 200)] {
            let options: KingfisherOptionsInfo = [.decodeLimits(limits), .maximumDecodedPixels(cap)]
            #expect(try await load(url, options).image.pixelSize.width == width)
        }
        let png = serve("/b", try Sample.png(400, 200))
        await #expect(throws: KingfisherError.self) { try await load(png, [.decodeLimits(limits)]) }
        let options: KingfisherOptionsInfo = [.decodeLimits(limits), .maximumDecodedPixels(20_000)]
        #expect(try await load(png, options).image.pixelSize == PixelSize(width: 200, height: 100))
    }

    @Test(arguments: [EncodedFormat.png, .gif, .webp], [DecodeSandbox.off, .preferred])
    func `a cap on decoded pixels reduces too large images of each format with rows, isolated or not`(
        _ format: EncodedFormat, _ isolation: DecodeSandbox
    ) async throws {
        let bitmap = try Sample.bitmap(400, 200, bgra: [10, 20, 30, 255])
        let url = serve("/\(format.rawValue)", try CodecRegistry.shared.encode(bitmap, as: format))
        let limits = DecodeLimits { $0.pixelsPerFrame = 50_000 }
        let options: KingfisherOptionsInfo = [
            .decodeLimits(limits), .maximumDecodedPixels(20_000), .decodeSandbox(isolation),
        ]
        let image = try await load(url, options).image
        #expect(image.pixelSize == PixelSize(width: 200, height: 100))
        let pixels = try image.bitmap().withUnsafeBytes { Array($0.prefix(4)) }
        #expect(zip(pixels, [10, 20, 30, 255]).allSatisfy { abs(Int($0) - $1) < 3 }, "\(pixels)")
    }

    @Test func `a cap on decoded pixels raises the limit on stored ones only if the program set none`() {
        let options = KingfisherParsedOptionsInfo([.maximumDecodedPixels(1_000)]).reducing()
        #expect(options.decodeLimits.storedPixelsPerFrame == 1_000_000_000)
        let limits = DecodeLimits { $0.storedPixelsPerFrame = 9 }
        let own = KingfisherParsedOptionsInfo([.decodeLimits(limits), .maximumDecodedPixels(1_000)])
        #expect(own.reducing().decodeLimits == limits)
        #expect(KingfisherParsedOptionsInfo(nil).reducing().decodeLimits == DecodeLimits())
    }

    @Test func `a cap on decoded pixels reduces animations, frame by frame`() async throws {
        let url = serve("/a", try Fixture.data("gif/fire.gif"))
        let whole = try await load(url).image
        let reduced = try await load(url, [.maximumDecodedPixels(whole.pixelSize.area / 4)]).image
        #expect(reduced.frameCount == whole.frameCount && reduced.frameCount > 1)
        #expect(reduced.pixelSize.width == whole.pixelSize.width / 2)
    }

    @Test func `a cap on decoded pixels runs before processors, except those that determine the size`() {
        let cap = "alcedo.ReducingImageProcessor(100)"
        func identifier(_ processor: any ImageProcessor) -> String {
            let options = KingfisherParsedOptionsInfo([.processor(processor), .maximumDecodedPixels(100)])
            // A second call must add nothing: a load's options pass several places.
            return options.reducing().reducing().processor.identifier
        }
        let (round, small) = (
            RoundCornerImageProcessor(cornerRadius: 3),
            DownsamplingImageProcessor(size: CGSize(width: 9, height: 9))
        )
        #expect(identifier(DefaultImageProcessor.default) == cap)
        #expect(identifier(round) == cap + "|>" + round.identifier)
        #expect(identifier(small |> round) == (small |> round).identifier)
        #expect(identifier(round |> small) == cap + "|>" + (round |> small).identifier)
    }

    @Test func `a cap on decoded pixels counts for a prefetcher too`() async throws {
        let url = serve("/a", try Sample.png(400, 200))
        let cap = KingfisherOptionsInfoItem.maximumDecodedPixels(20_000)
        let ended = Recorder<Int>()
        ImagePrefetcher(
            urls: [url],
            options: [.downloader(loading.downloader), .targetCache(loading.cache), .waitForCache, cap]
        ) { _, _, completed in ended.append(completed.count) }.start()
        #expect(await ended.waitFor(count: 1) == [1])
        let result = try await load(url, [cap])
        #expect(result.image.pixelSize.width == 200 && result.cacheType.cached)
    }

    @Test(arguments: [(10_000, 1, 100), (1, 10_000, 1), (30_000, 20_000, 16_000_000), (7, 5, 0), (7, 5, -3)])
    func `a cap on decoded pixels is kept by every shape`(width: Int, height: Int, limit: Int) {
        let size = PixelSize(width: width, height: height).limited(toArea: limit)
        #expect(size.area <= max(1, limit) && !size.isEmpty)
        #expect(size.width <= width && size.height <= height)
    }
}
