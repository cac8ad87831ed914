import Alcedo
import AlcedoCodecs
import AlcedoTestSupport
import Foundation
import Testing

@testable import EngineFixtures

private let files = ["gif/fire.gif", "made/animated.webp", "made/animated-over.png"]

private let processors: [any ImageProcessor] = [
    DownsamplingImageProcessor(size: CGSize(width: 12, height: 12)),
    ResizingImageProcessor(referenceSize: CGSize(width: 30, height: 10), mode: .aspectFit),
    CroppingImageProcessor(size: CGSize(width: 7, height: 5)),
    RoundCornerImageProcessor(radius: .widthFraction(0.3), targetSize: CGSize(width: 24, height: 24)),
    BorderImageProcessor(border: Border(color: .red, lineWidth: 2, radius: .point(5))),
    BlurImageProcessor(blurRadius: 3),
    OverlayImageProcessor(overlay: .blue, fraction: 0.25),
    TintImageProcessor(tint: Color(red: 1, green: 0, blue: 0, alpha: 0.3)),
    BlendImageProcessor(blendMode: .screen, alpha: 0.7, backgroundColor: .green),
    ColorControlsProcessor(brightness: 0.1, contrast: 1.2, saturation: 0.5, inputEV: 0.2),
    BlackWhiteProcessor(),
    Negative(),
    DownsamplingImageProcessor(size: CGSize(width: 20, height: 20))
        |> RoundCornerImageProcessor(cornerRadius: 4)
        |> TintImageProcessor(tint: Color(white: 0, alpha: 0.5)),
]

/// Somebody's own filter.
private struct Negative: CIImageProcessor {
    let identifier = "Negative"
    let filter = Filter { bitmap in
        try? bitmap.edited { pixels in
            for index in pixels.indices { pixels[index] = SIMD4(repeating: pixels[index].w) &- pixels[index] }
            for index in pixels.indices { pixels[index].w = 255 }
        }
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `Processing an animation` {
    private func frames(_ path: String) throws -> [AnimationFrame] {
        let bytes = try Fixture.data(path)
        let decoder = try CodecRegistry.shared.frames(of: bytes.span.bytes)
        var frames: [AnimationFrame] = []
        while let frame = try decoder.next() { frames.append(frame) }
        return frames
    }

    @Test(arguments: files, processors.indices)
    func `processing an animation does to each frame what it does to a still, and keeps the timing`(
        path: String, index: Int
    ) throws {
        let processor = processors[index]
        let options = KingfisherParsedOptionsInfo(nil)
        let data = Data(try Fixture.data(path))
        let originals = try frames(path)
        let stills = try originals.map { frame in
            let still = processor.process(item: .image(Image(bitmap: frame.bitmap)), options: options)
            return try #require(still).bitmap()
        }

        let moving = try #require(processor.process(item: .data(data), options: options))
        let source = try #require(moving.kf.frameSource)
        #expect(moving.frameCount == stills.count && source.data == nil)
        #expect(moving.kf.animatedImageData == nil)
        #expect(try moving.bitmap().hasSamePixels(as: stills[0]))
        for (index, still) in stills.enumerated() {
            #expect(source.frame(at: index)?.hasSamePixels(as: still) == true, "frame \(index)")
            #expect(source.duration(at: index) == originals[index].duration)
        }

        let all = KingfisherParsedOptionsInfo([.preloadAllAnimationData])
        let images = try #require(processor.process(item: .data(data), options: all)?.images)
        #expect(images.count == stills.count)
        for (image, still) in zip(images, stills) { #expect(try image.bitmap().hasSamePixels(as: still)) }

        let first = KingfisherParsedOptionsInfo([.onlyLoadFirstFrame])
        let one = try #require(processor.process(item: .data(data), options: first))
        #expect(one.frameCount == 1)
        #expect(try one.bitmap().hasSamePixels(as: stills[0]))
    }

    @Test func `processing an animation keeps how often it plays`() throws {
        let data = Data(try Fixture.data("made/animated.webp"))
        let options = KingfisherParsedOptionsInfo(nil)
        let original = try Image(decoding: data)
        let tinted = try #require(TintImageProcessor(tint: .red).process(item: .data(data), options: options))
        #expect(original.loopCount == 3 && tinted.loopCount == 3)
        #expect(tinted.kf.tinted(with: .blue).loopCount == 3)
    }

    @Test func `processing an animation changes pictures that several frames share once`() throws {
        let (one, two) = (Image(bitmap: try Sample.bitmap(4, 4)), Image(bitmap: try Sample.bitmap(4, 4)))
        let image = try #require(Image.animatedImage(with: [one, two, one, one], duration: 2))
        let images = try #require(image.kf.tinted(with: .red).images)
        #expect(images.count == 4 && images[0] === images[2] && images[2] === images[3])
        #expect(images[0] !== images[1])
    }

    @Test func `processing an animation and storing it keeps it an animation`() async throws {
        let loading = try Loading()
        loading.server.serve("/fire.gif", try Fixture.data("gif/fire.gif"))
        let options: KingfisherOptionsInfo = [
            .processor(RoundCornerImageProcessor(cornerRadius: 9)), .waitForCache,
        ]
        let url = loading.server.url("/fire.gif")
        let first = try await loading.manager.retrieveImage(with: url, options: options)
        let again = try await loading.restarted().retrieveImage(with: url, options: options)
        #expect(first.image.frameCount > 1 && again.cacheType == .disk)
        #expect(again.image.frameCount == first.image.frameCount)
        #expect(try again.image.bitmap().hasSamePixels(as: first.image.bitmap()), "soft edges stay soft")
        #expect(loading.server.requestCount() == 1)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `An animation in the memory cache` {
    private let loading: Loading
    private let url: URL

    init() throws {
        loading = try Loading()
        loading.server.serve("/fire.gif", try Fixture.data("gif/fire.gif"))
        url = loading.server.url("/fire.gif")
    }

    private func load(_ options: KingfisherOptionsInfo) async throws -> RetrieveImageResult {
        try await loading.manager.retrieveImage(with: url, options: options)
    }

    @Test(arguments: [false, true])
    func `a cached animation is made anew for a load that wants other frames`(isProcessed: Bool) async throws
    {
        let base: KingfisherOptionsInfo =
            isProcessed ? [.processor(TintImageProcessor(tint: Color(white: 0, alpha: 0.5)))] : []
        let whole = try await load(base).image
        #expect(whole.frameCount > 1 && whole.images == nil)

        let first = try await load(base + [.onlyLoadFirstFrame])
        #expect(first.cacheType == .memory && first.image.frameCount == 1)
        #expect(try first.image.bitmap().hasSamePixels(as: whole.bitmap()))

        let preloaded = try await load(base + [.preloadAllAnimationData])
        #expect(preloaded.cacheType == .memory && preloaded.image.images?.count == whole.frameCount)
        let again = try await load(base + [.preloadAllAnimationData])
        #expect(again.image === preloaded.image, "decoded once, then kept")
        #expect(loading.server.requestCount() == 1)
    }

    @Test func `a cached animation of which only the first frame was wanted is whole for the next load`()
        async throws
    {
        let first = try await load([.onlyLoadFirstFrame]).image
        let whole = try await load([])
        #expect(first.frameCount == 1 && whole.image.frameCount > 1 && whole.cacheType == .memory)
        #expect(try await load([]).image === whole.image)
    }

    @Test func `a cached animation keeps the time that it was given`() async throws {
        let data = Data(try Fixture.data("gif/fire.gif"))
        let slow = try #require(
            KingfisherWrapper<Image>.image(data: data, options: ImageCreatingOptions(duration: 60)))
        try await loading.cache.store(slow, forKey: "slow", toDisk: false)
        let hit = try await loading.manager.retrieveImage(
            with: KF.ImageResource(downloadURL: url, cacheKey: "slow"))
        #expect(hit.image === slow && hit.image.duration == 60)
    }

    @Test func `a cached animation stays what it is for a load that wants the same frames`() async throws {
        let whole = try await load([]).image
        #expect(try await load([]).image === whole)
    }
}
