import AlcedoCodecs
import AlcedoTestSupport
import Dispatch
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `An animated image` {
    static let files = ["gif/fire.gif", "made/animated.webp", "made/animated-over.png"]

    /// What a codec makes of a file's frames.
    private func reference(_ path: String) throws -> [AnimationFrame] {
        let bytes = try Fixture.data(path)
        let decoder = try CodecRegistry.shared.frames(of: bytes.span.bytes)
        var frames: [AnimationFrame] = []
        while let frame = try decoder.next() { frames.append(frame) }
        return frames
    }

    private func image(_ path: String, _ options: ImageCreatingOptions = .init()) throws -> Image {
        try #require(picture(Data(Fixture.data(path)), options))
    }

    @Test(arguments: files)
    func `an animated image decodes nothing until it is shown`(path: String) throws {
        let image = try image(path, ImageCreatingOptions(scale: 2))
        let frames = try reference(path)
        #expect(image.images == nil && image.decodedBitmap == nil && image.scale == 2)
        #expect(image.frameCount == frames.count && image.kf.imageFrameCount == frames.count)
        #expect(image.kf.animatedImageData == Data(try Fixture.data(path)))
        let source = try #require(image.kf.frameSource)
        #expect(source.frameCount == frames.count)
        #expect(image.kf.imageSource === source as? EncodedFrames)
        #expect((0..<frames.count).map { source.duration(at: $0) } == frames.map(\.duration))
        #expect(abs(image.duration - frames.reduce(0) { $0 + $1.duration }) < 1e-9)
    }

    @Test(arguments: files)
    func `an animated image gives its frames in any order`(path: String) throws {
        let frames = try reference(path)
        let source = try #require(try image(path).kf.frameSource)
        for index in [0, 1, 1, frames.count - 1, 2, 0] {
            let bitmap = try #require(source.frame(at: index))
            #expect(bitmap.hasSamePixels(as: frames[index].bitmap), "\(index)")
        }
        #expect(source.frame(at: -1) == nil && source.frame(at: frames.count) == nil)
        let small = try #require(source.frame(at: 1, maxSize: CGSize(width: 10, height: 5)))
        #expect(max(small.width, small.height) == 10)
        let copy = source.copy()
        #expect(copy.frame(at: 1)?.hasSamePixels(as: frames[1].bitmap) == true)
    }

    @Test func `an animated image gives its frames to several threads at once`() async throws {
        let frames = try reference("gif/fire.gif")
        let source = try #require(try image("gif/fire.gif").kf.frameSource)
        let results = Recorder<(index: Int, isSame: Bool)>()
        for start in 0..<4 {
            Thread {
                for index in 0..<20 {
                    let index = (index * (start + 1)) % frames.count
                    let bitmap = source.frame(at: index)
                    results.append((index, bitmap?.hasSamePixels(as: frames[index].bitmap) == true))
                }
            }.start()
        }
        await results.waitFor(count: 80)
        #expect(results.values.filter { !$0.isSame }.map(\.index) == [])
    }

    @Test(arguments: files)
    func `an animated image has all frames at once if they are preloaded`(path: String) throws {
        let image = try image(path, ImageCreatingOptions(scale: 2, preloadAll: true))
        let frames = try reference(path)
        let images = try #require(image.images)
        #expect(images.count == frames.count && images.allSatisfy { $0.scale == 2 })
        for (image, frame) in zip(images, frames) {
            #expect(try image.bitmap().hasSamePixels(as: frame.bitmap))
        }
        #expect(try image.bitmap() === images[0].bitmap())
        #expect(image.kf.frameSource == nil && image.kf.imageFrameCount == frames.count)
        #expect(image.kf.animatedImageData == Data(try Fixture.data(path)))
        let halved = image.kf.scaled(to: 1)
        #expect(halved.images?.count == frames.count && halved.images?[1].scale == 1)
        #expect(abs(halved.duration - image.duration) < 1e-9)
    }

    @Test func `an animated image lasts as long as its options say`() throws {
        let image = try image("made/animated.webp", ImageCreatingOptions(duration: 7.8, preloadAll: true))
        #expect(abs(image.duration - 7.8) < 1e-9)
        #expect(image.loopCount == 3)
    }

    @Test func `an animated image is its first frame if no more is wanted`() throws {
        let image = try image("gif/fire.gif", ImageCreatingOptions(preloadAll: true, onlyFirstFrame: true))
        #expect(image.images == nil && image.kf.frameSource == nil && image.frameCount == 1)
        let frames = try reference("gif/fire.gif")
        #expect(image.duration == 0 && image.kf.imageFrameCount == frames.count)
        #expect(try image.bitmap().hasSamePixels(as: frames[0].bitmap))
    }

    @Test func `an animated image is decoded as it is shown where its frames would fill the memory`() throws {
        let limits = DecodeLimits { $0.preloadedBytes = 1000 }
        var options = KingfisherParsedOptionsInfo([.preloadAllAnimationData])
        options.decodeLimits = limits
        let data = Data(try Fixture.data("gif/fire.gif"))
        let processor = DefaultImageProcessor.default
        let image = try #require(processor.process(item: .data(data), options: options))
        #expect(image.images == nil && image.kf.frameSource != nil)
        options.decodeLimits = DecodeLimits()
        #expect(processor.process(item: .data(data), options: options)?.images != nil)
    }

    @Test func `a preloaded animation is decoded on decoding threads, not on those that read the disk`()
        async throws
    {
        let (fixture, serializer) = (try CacheFixture(), ReadNoting())
        for queue in fixture.cache.reads.queues { queue.setSpecific(key: serializer.queueMark, value: true) }
        let data = Data(try Fixture.data("gif/fire.gif"))
        try await fixture.cache.storeToDisk(data, forKey: "a")
        let options: KingfisherOptionsInfo = [.preloadAllAnimationData, .cacheSerializer(serializer)]
        let image = try await fixture.cache.retrieveImageInDiskCache(forKey: "a", options: options)
        #expect(image?.images != nil)
        fixture.cache.reads.read {
            serializer.isInQueue.append(DispatchQueue.getSpecific(key: serializer.queueMark) != nil)
        } then: { _ in
        }
        #expect(await serializer.isInQueue.waitFor(count: 2) == [false, true])
    }

    @Test func `an animated image is rejected with too many frames, unless only one is wanted`() throws {
        var options = KingfisherParsedOptionsInfo([])
        options.decodeLimits.frames = 3
        let item = ImageProcessItem.data(Data(try Fixture.data("gif/fire.gif")))
        #expect(DefaultImageProcessor.default.process(item: item, options: options) == nil)
        options.onlyLoadFirstFrame = true
        #expect(DefaultImageProcessor.default.process(item: item, options: options)?.frameCount == 1)
    }

    @Test func `an animated image costs each distinct frame`() throws {
        let (one, two) = (Image(bitmap: try Sample.bitmap(4, 4)), Image(bitmap: try Sample.bitmap(4, 4)))
        let image = try #require(Image.animatedImage(with: [one, two, one, two], duration: 2))
        #expect(image.cacheCost == 2 * 4 * 4 * 4)
        #expect(image.images?.count == 4 && image.duration == 2 && image.frameCount == 4)
        #expect(Image.animatedImage(with: [], duration: 1) == nil)
    }

    @Test func `an animation made of images has nothing to do with the first one's bytes`() throws {
        let first = try Image(decoding: Data(Sample.png(4, 4)))
        let second = Image(bitmap: try Sample.bitmap(4, 4, bgra: [1, 2, 3, 255]))
        let image = try #require(Image.animatedImage(with: [first, second], duration: 1))
        #expect(image.info == nil)
        let gif = try #require(image.kf.gifRepresentation())
        #expect(try Image(decoding: gif).frameCount == 2)
    }

    @Test func `an animated image is remade for options that need other frames`() throws {
        let whole = try image("gif/fire.gif")
        #expect(whole.remade(with: KingfisherParsedOptionsInfo([])) == nil)
        let still = try #require(whole.remade(with: KingfisherParsedOptionsInfo([.onlyLoadFirstFrame])))
        #expect(still.frameCount == 1)
        #expect(still.remade(with: KingfisherParsedOptionsInfo([]))?.frameCount == whole.frameCount)
        let photograph = try Image(decoding: Data(Sample.png(4, 4)))
        #expect(photograph.remade(with: KingfisherParsedOptionsInfo([.onlyLoadFirstFrame])) == nil)
    }

    @Test func `an animated image hands its state on to another image`() throws {
        let target = Image(bitmap: try Sample.bitmap(4, 4))
        #expect(target.kf.imageFrameCount == nil && target.kf.frameSource == nil)
        let image = try image("gif/fire.gif")
        image.kf.copyKingfisherState(to: target)
        #expect(target.kf.imageFrameCount == image.frameCount && target.kf.frameSource != nil)
        #expect(target.kf.animatedImageData == image.kf.animatedImageData)
        target.kf.imageFrameCount = 1
        #expect(target.kf.imageFrameCount == 1)
    }

    @Test(
        arguments: [
            (["UnclampedDelayTime": 0.05, "DelayTime": 0.2], 0.05), (["DelayTime": 0.2], 0.2), ([:], 0.1),
            (["UnclampedDelayTime": 0.011], 0.1), (["UnclampedDelayTime": 0.0], 0.1),
            (["DelayTime": 0.02], 0.02),
        ] as [([String: Double], Double)])
    func `frames of a GIF last as browsers show them`(info: [String: Double], duration: Double) {
        #expect(GIFAnimatedImage.getFrameDuration(from: info) == duration)
        #expect(GIFAnimatedImage.getFrameDuration(from: nil) == 0.1)
    }
}

struct `A frame source` {
    /// Frames of one colour each.
    private struct Colours: ImageFrameSource {
        var frameCount: Int
        var data: Data? { Data([1, 2, 3]) }
        func frame(at index: Int, maxSize: CGSize?) -> CGImage? {
            index < 3 ? try? Sample.bitmap(6, 4, bgra: [UInt8(index), 0, 0, 255]) : nil
        }
        func duration(at index: Int) -> TimeInterval { Double(index + 1) }
    }

    @Test func `a frame source becomes an image that keeps the source`() throws {
        let image = try #require(
            animation(Colours(frameCount: 3), ImageCreatingOptions(scale: 2)))
        #expect(image.size == CGSize(width: 3, height: 2) && image.frameCount == 3 && image.duration == 6)
        #expect(image.kf.frameSource is Colours && image.kf.animatedImageData == Data([1, 2, 3]))
        #expect(try image.bitmap().pixel(0, 0)[0] == 0)
    }

    @Test func `a frame source becomes an image of all its frames, or of the first`() throws {
        let all = ImageCreatingOptions(preloadAll: true)
        let image = try #require(animation(Colours(frameCount: 3), all))
        #expect(try image.images?.map { try $0.bitmap().pixel(0, 0)[0] } == [0, 1, 2])
        #expect(image.duration == 6 && image.kf.frameSource == nil)
        let first = ImageCreatingOptions(onlyFirstFrame: true)
        let still = try #require(animation(Colours(frameCount: 3), first))
        #expect(still.images == nil && still.frameCount == 1 && still.kf.imageFrameCount == 3)
        #expect(animation(Colours(frameCount: 4), all) == nil)
        #expect(animation(Colours(frameCount: 0), all) == nil)
    }

    @Test func `an image of a frame source shows the base image first, if there is one`() throws {
        let base = Image(bitmap: try Sample.bitmap(1, 1))
        let image = try #require(
            KingfisherWrapper<Image>
                .animatedImage(source: Colours(frameCount: 2), options: .init(), baseImage: base))
        #expect(try image.bitmap() === base.bitmap())
        #expect(image.frameCount == 2)
    }
}

struct `A changed animation` {
    private let changed: @Sendable (Bitmap) throws(CodecError) -> Bitmap = { bitmap throws(CodecError) in
        try Bitmap.copy(
            of: bitmap.bytes(in: PixelLayout(.rgba, .premultiplied)).span.bytes,
            size: bitmap.size,
            layout: PixelLayout(.bgra, bitmap.alpha)
        )
    }

    @Test(arguments: `An animated image`.files, [false, true])
    func `a changed animation survives the disk in the original's format`(path: String, preloads: Bool) throws
    {
        let data = Data(try Fixture.data(path))
        let options = ImageCreatingOptions(preloadAll: preloads)
        let original = try #require(picture(data, options))
        let image = try original.mapped(changed)
        #expect(image.frameCount == original.frameCount && image.kf.animatedImageData == nil)
        let stored = try #require(DefaultCacheSerializer.default.data(with: image, original: data))
        let read = try Image(decoding: stored)
        #expect(read.info?.format == original.info?.format)
        #expect(read.frameCount == original.frameCount)
        #expect(read.loopCount == original.loopCount)
        #expect(abs(read.duration - original.duration) < 0.02)
        let new = try #require(read.kf.frameSource)
        let wanted = try EncodedFrames(decoding: data)
        for index in [1, original.frameCount - 1] {
            let frame = try #require(new.frame(at: index))
            let other = try #require(wanted.frame(at: index).map { try changed($0) })
            let difference = zip(
                frame.bytes(in: PixelLayout(.bgra, .premultiplied)),
                other.bytes(in: PixelLayout(.bgra, .premultiplied))
            )
            .reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
            #expect(difference / frame.byteCount < (path.hasSuffix("webp") ? 8 : 1))
        }
    }

    @Test func `a changed animation of no known original becomes an animated PNG`() throws {
        let image = try Image(decoding: Data(Fixture.data("made/animated.webp"))).mapped(changed)
        for original in [nil, Data(try Sample.jpeg(4, 4))] {
            let stored = try #require(DefaultCacheSerializer.default.data(with: image, original: original))
            #expect(try Image(decoding: stored).info?.format == .png)
            #expect(try Image(decoding: stored).frameCount == 6)
        }
    }

    @Test func `an animation is written in the format that is asked for`() throws {
        let image = try Image(decoding: Data(Fixture.data("made/animated.webp")))
        let gif = try #require(image.kf.data(format: .GIF))
        #expect(try Image(decoding: gif).frameCount == 6)
        let png = try #require(image.kf.pngRepresentation())
        #expect(try Image(decoding: png).frameCount == 1)
        #expect(image.kf.data(format: .unknown) == image.kf.animatedImageData)
        #expect(try Image(decoding: image.data(as: .png)).frameCount == 6)
    }
}

/// Written out, `KingfisherWrapper<Image>.image` reads badly.
private func picture(_ data: Data, _ options: ImageCreatingOptions) -> Image? {
    KingfisherWrapper<Image>.image(data: data, options: options)
}

private func animation(_ source: some ImageFrameSource, _ options: ImageCreatingOptions) -> Image? {
    KingfisherWrapper<Image>.animatedImage(source: source, options: options)
}
