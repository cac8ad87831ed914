import Alcedo
import AlcedoTestSupport
import AlcedoTesting
import Foundation
import Testing

@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A GIF of one frame` {
    private let data: Data

    init() throws { data = Data(try Fixture.data("gif/treescap.gif")) }

    private func image(_ options: ImageCreatingOptions = .init()) throws -> Image {
        try #require(KingfisherWrapper<Image>.image(data: data, options: options))
    }

    @Test func `a GIF of one frame is an animation of one frame`() throws {
        let image = try image(ImageCreatingOptions(scale: 2))
        #expect(image.decodedBitmap == nil && image.frameCount == 1 && image.images == nil)
        #expect(image.kf.imageFrameCount == 1 && image.kf.animatedImageData == data)
        #expect(image.kf.frameSource?.frameCount == 1)
        #expect(image.kf.imageSource.map { CGImageSourceGetCount($0) } == 1)
        #expect(image.duration == .infinity)
    }

    @Test func `a GIF of one frame has its frame if all are preloaded`() throws {
        let image = try image(ImageCreatingOptions(preloadAll: true))
        #expect(image.images?.count == 1 && image.duration == .infinity)
        #expect(image.kf.imageFrameCount == 1 && image.kf.animatedImageData == data)
        #expect(image.kf.frameSource == nil && image.decodedBitmap != nil)
        #expect(image.kf.scaled(to: 2).duration == .infinity)
        let timed = try self.image(ImageCreatingOptions(duration: 3, preloadAll: true))
        #expect(timed.duration == 3 && timed.kf.scaled(to: 2).duration == 3)
    }

    @Test func `a GIF of one frame is a still image if only the first frame is wanted`() throws {
        let image = try image(ImageCreatingOptions(preloadAll: true, onlyFirstFrame: true))
        #expect(image.images == nil && image.kf.frameSource == nil && image.duration == 0)
    }

    @Test func `a GIF of one frame is stored as it came, whether it is preloaded or not`() throws {
        for preloads in [false, true] {
            let image = try image(ImageCreatingOptions(preloadAll: preloads))
            #expect(DefaultCacheSerializer.default.data(with: image, original: data) == data)
            #expect(image.kf.gifRepresentation() == data)
        }
    }

    @Test(arguments: [nil, 2] as [UInt?])
    func `a GIF of one frame plays as often as it is told to`(count: UInt?) async throws {
        let image = try image()
        let ready = Monitor(false)
        let animator = try #require(
            ImageAnimator(image, repeatCount: count.map { .finite(count: $0) } ?? .infinite) { _ in
                ready.update { $0 = true }
            })
        _ = await ready.wait { $0 }
        var ends: [Int] = []
        for time in 0...1000 {
            let update = animator.update(at: .milliseconds(time))
            #expect(!update.isNewFrame)
            if update.hasFinished { ends.append(time) }
        }
        #expect(ends == (count == nil ? [] : [200]))
        #expect(animator.isLastFrame && animator.duration(at: 0) == 0.1)
    }

    @Test @MainActor
    func `a GIF of one frame has an animator in a view that animates, and none in a plain one`() throws {
        let view = AnimatedImageView(surface: HeadlessSurface())
        view.image = try image()
        #expect(view.animator != nil && view.isAnimating)
        let plain = ImageView(surface: HeadlessSurface())
        plain.image = try image(ImageCreatingOptions(preloadAll: true))
        #expect(!plain.isAnimating)
    }

    @Test func `a PNG is not an animation of one frame, as a GIF is`() throws {
        let image = try #require(
            KingfisherWrapper<Image>.image(
                data: Data(Sample.png(4, 4)), options: ImageCreatingOptions(preloadAll: true)))
        #expect(image.images == nil && image.kf.imageFrameCount == nil && image.kf.frameSource == nil)
        #expect(image.duration == 0)
    }
}
