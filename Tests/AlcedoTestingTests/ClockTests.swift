import Alcedo
import AlcedoTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `A manual clock` {
    private let clock = ManualClock()
    private let transport = MemoryTransport()
    private let url: URL
    private let downloader: ImageDownloader

    init() throws {
        url = try #require(URL(string: "https://example.com/a.png"))
        downloader = ImageDownloader(name: "clock", transport: transport, clock: clock)
    }

    private func load(_ options: KingfisherOptionsInfo = []) async throws -> Image {
        let cache = ImageCache(name: "clock \(UUID())")
        let manager = KingfisherManager(downloader: downloader, cache: cache)
        return try await manager.retrieveImage(with: url, options: options + [.cacheMemoryOnly]).image
    }

    @Test func `a manual clock decides when a load is retried`() async throws {
        transport.respond(
            to: url, with: ScriptedResponse(status: 500),
            try .image(.solid(width: 3, height: 2)))
        let strategy = DelayRetryStrategy(maxRetryCount: 1, retryInterval: .seconds(60), clock: clock)
        async let image = load([.retryStrategy(strategy)])
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(59))
        #expect(clock.sleepers == 1 && transport.requests.count == 1)
        clock.advance(by: .seconds(1))
        #expect(try await image.size.width == 3)
    }

    @Test func `a manual clock decides when a failure is forgotten`() async throws {
        downloader.failureMemory = FailureMemory(duration: .seconds(60))
        transport.respond(
            to: url, with: ScriptedResponse(status: 404), try .image(.solid(width: 3, height: 2)))
        for _ in 0..<2 { _ = try? await load() }
        #expect(transport.requests.count == 1)
        clock.advance(by: .seconds(60))
        #expect(try await load().size.width == 3)
    }
}

struct `The difference of two pictures` {
    private let grey: Image

    init() throws { grey = try .solid(width: 20, height: 10) }

    @Test func `the difference of two pictures is none for equal ones`() throws {
        let difference = try difference(of: grey, from: .solid(width: 20, height: 10))
        #expect(difference.isNone && difference.psnr == .infinity)
    }

    @Test func `the difference of two pictures has their sizes if these differ`() throws {
        let difference = try difference(of: grey, from: .solid(width: 10, height: 20))
        #expect(!difference.isNone && difference.description == "the size is 20×10 instead of 10×20")
    }

    @Test func `the difference of two pictures has its first place, largest distance and ratio`() throws {
        var pixels = [UInt8](repeating: 128, count: 20 * 10 * 4)
        pixels[4 * (3 * 20 + 5)] = 138
        pixels[4 * (4 * 20 + 1) + 1] = 108
        let layout = PixelLayout(.rgba, .opaque)
        let size = PixelSize(width: 20, height: 10)
        let other = try Image(pixels: pixels.span.bytes, size: size, layout: layout)
        let difference = try difference(of: other, from: grey)
        #expect(difference.first?.x == 5 && difference.first?.y == 3 && difference.largest == 20)
        #expect(difference.description == "2 of 200 pixels differ by up to 20, first at (5, 3); 50.2 dB")
        #expect(
            try PictureDifference(of: other.bitmap(), from: grey.bitmap()).description
                == difference.description)
        #expect(try other.bitmap() != grey.bitmap())
    }

    @Test func `the difference of two bitmaps is none for equal samples, which are equal`() throws {
        let other = try Image.solid(width: 20, height: 10).bitmap()
        #expect(PictureDifference(of: other, from: try grey.bitmap()).isNone)
        #expect(other == (try grey.bitmap()))
    }
}
