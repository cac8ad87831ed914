import AlcedoCodecs
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

/// Where the scans of a progressive fixture begin.
private func scanStarts(_ data: Data) -> [Int] {
    var finder = JPEGScanFinder()
    finder.parse(data.bytes)
    return finder.scanStarts
}

struct `Scans of a progressive JPEG` {
    let data: Data

    init() throws { data = Data(try Fixture.data("made/progressive.jpg")) }

    @Test func `scans of a progressive JPEG are found byte by byte as well as at once`() {
        var finder = JPEGScanFinder()
        for count in 1...data.count { finder.parse(data.prefix(count).bytes) }
        #expect(finder.isProgressive == true && !finder.needsMoreData)
        #expect(finder.scanStarts == scanStarts(data))
        #expect(finder.scanStarts.count > 5)
        for start in finder.scanStarts { #expect(data[start] == 0xFF && data[start + 1] == 0xDA) }
    }

    @Test func `scans of a progressive JPEG are not looked for in other data`() throws {
        for path in ["made/restart.jpg", "made/alpha.png", "gif/fire.gif"] {
            #expect(scanStarts(Data(try Fixture.data(path))).isEmpty)
        }
        #expect(scanStarts(Data()).isEmpty)
        var finder = JPEGScanFinder()
        finder.parse(Data([0xFF, 0xDA, 0, 0]).bytes)
        #expect(!finder.needsMoreData)
    }

    @Test func `scans of a progressive JPEG make a preview each once they are complete`() {
        var schedule = PreviewSchedule(onlyLatest: false)
        let starts = scanStarts(data)
        schedule.receive(data.prefix(starts[0] + 2).bytes)
        #expect(!schedule.hasPending)
        schedule.receive(data.prefix(starts[2] + 20).bytes)
        #expect(schedule.next() == PreviewSchedule.Preview(length: starts[1], scans: 1))
        #expect(schedule.next() == PreviewSchedule.Preview(length: starts[2], scans: 2))
        #expect(schedule.next() == nil)
        schedule.receive(data.bytes)
        #expect(schedule.next()?.scans == 3)
        #expect(!schedule.needsMoreData)
    }

    @Test func `only the latest scan of a progressive JPEG counts where that is asked for`() {
        var schedule = PreviewSchedule(onlyLatest: true)
        schedule.receive(data.bytes)
        #expect(schedule.next()?.scans == scanStarts(data).count - 1)
        #expect(schedule.next() == nil)
    }

    @Test func `scans of a progressive JPEG are blurred less and less`() {
        let radii = (1...7).map { PreviewSchedule.Preview(length: 0, scans: $0).blurRadius }
        #expect(radii == [10, 6, 2, 2, 2, 0, 0])
    }
}

struct `Previews of other images` {
    @Test(arguments: ["made/scalable.jpg", "made/alpha.png", "gif/porsche.gif", "made/wide-gamut.webp"])
    func `previews of an image without scans come whenever its bytes have grown by half`(_ path: String)
        throws
    {
        var data = Data(try Fixture.data(path))
        data.append(Data(count: max(0, 30_000 - data.count)))
        var schedule = PreviewSchedule(onlyLatest: false)
        var lengths: [Int] = []
        for count in stride(from: 1000, through: data.count, by: 1000) {
            schedule.receive(data.prefix(count).bytes)
            #expect(schedule.needsMoreData)
            while let preview = schedule.next() {
                #expect(preview.length == count && preview.blurRadius == 0)
                lengths.append(count)
            }
        }
        #expect(lengths.prefix(5) == [5000, 8000, 12_000, 18_000, 27_000])
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `A progressive provider` {
    let data: Data
    let starts: [Int]
    let clock = ManualClock()
    let blurs = Recorder<Double>()
    let shown = Recorder<Image?>()

    init() throws {
        data = Data(try Fixture.data("made/progressive.jpg"))
        starts = scanStarts(data)
    }

    private func provider(
        _ progressive: ImageProgressive,
        _ options: KingfisherParsedOptionsInfo = KingfisherParsedOptionsInfo([.scaleFactor(2)])
    ) -> ImageProgressiveProvider<ManualClock> {
        ImageProgressiveProvider(
            progressive, options: options, clock: clock,
            blur: { [blurs] bitmap, radius in
                blurs.append(radius)
                return bitmap
            },
            show: { [shown] in shown.append($0) }
        )
    }

    private func each(interval: TimeInterval = 0, isBlur: Bool = true) -> ImageProgressive {
        ImageProgressive(isBlur: isBlur, isFastestScan: false, scanInterval: interval)
    }

    @Test func `a progressive provider shows each scan, finer and finer, and blurs the first`() async throws {
        let provider = provider(each())
        for start in starts { provider.receive(data.prefix(start + 4)) }
        let images = await shown.waitFor(count: starts.count - 1).compactMap(\.self)
        #expect(Set(images.map(\.pixelSize)) == [PixelSize(width: 117, height: 83)])
        #expect(Set(images.map(\.scale)) == [2])
        #expect(blurs.values == Array([10, 6, 2, 2, 2].prefix(starts.count - 1)))
        let whole = try Image(decoding: data).bitmap().bytes(in: PixelLayout(.bgra, .opaque))
        let errors = try images.map { image in
            zip(try image.bitmap().bytes(in: PixelLayout(.bgra, .opaque)), whole)
                .reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        }
        #expect(try #require(errors.last) * 3 < errors[0])
    }

    @Test func `a progressive provider blurs nothing unless it is asked to`() async {
        let provider = provider(each(isBlur: false))
        provider.receive(data)
        await shown.waitFor(count: starts.count - 1)
        #expect(blurs.count == 0)
    }

    @Test func `a progressive provider waits between two pictures`() async {
        let provider = provider(each(interval: 10))
        provider.receive(data)
        await shown.waitFor(count: 1)
        for count in 2...4 {
            await clock.waitForSleepers(1)
            #expect(shown.count == count - 1)
            clock.advance(by: .seconds(10))
            await shown.waitFor(count: count)
        }
        provider.finish()
    }

    @Test func `a progressive provider shows only the latest of the scans that came while it waited`()
        async throws
    {
        let progressive = ImageProgressive(isBlur: true, isFastestScan: true, scanInterval: 5)
        let provider = provider(progressive)
        provider.receive(data.prefix(starts[1] + 4))
        await shown.waitFor(count: 1)
        provider.receive(data.prefix(starts[2] + 4))
        await clock.waitForSleepers(1)
        provider.receive(data.prefix(starts[3] + 4))
        provider.receive(data.prefix(starts[4] + 4))
        clock.advance(by: .seconds(5))
        await shown.waitFor(count: 2)
        #expect(blurs.values == [10, 2])
        let reference = try Image(decoding: data.prefix(starts[4]) + [0xFF, 0xD9])
        #expect(try shown.values[1]?.bitmap().hasSamePixels(as: reference.bitmap()) == true)
        provider.finish()
    }

    @Test func `a progressive provider asks what to do with each picture`() async throws {
        final class Judge: Sendable { let asked = CallCounter() }
        let judge = Judge()
        let progressive = each()
        let other = Image(bitmap: try Sample.bitmap(1, 1))
        progressive.onImageUpdated.delegate(on: judge) { judge, _ in
            switch judge.asked.increment() {
            case 1: .keepCurrent
            case 2: .replace(other)
            case 3: .replace(nil)
            default: .default
            }
        }
        let provider = provider(progressive)
        provider.receive(data)
        let images = await shown.waitFor(count: starts.count - 2)
        #expect(images[0] === other && images[1] == nil && images[2] != nil)
        provider.finish()
    }

    @Test func `a progressive provider shows nothing more once it is finished or stale`() async {
        let provider = provider(each(interval: 10))
        provider.receive(data)
        await shown.waitFor(count: 1)
        await clock.waitForSleepers(1)
        await MainActor.run { provider.finish() }
        clock.advance(by: .seconds(10))
        var options = KingfisherParsedOptionsInfo([])
        options.isCurrent = { false }
        let stale = self.provider(each(), options)
        stale.receive(data)
        // Both had their chance once a third one, which comes after them, is done.
        let third = self.provider(each())
        third.receive(data)
        await shown.waitFor(count: starts.count)
        #expect(shown.count == starts.count)
    }

    @Test func `a progressive provider starts again with a retry`() async throws {
        let loading = try Loading()
        let body = Payload(data)
        loading.server.serve(
            "/p", Reply(body: body).cut(after: starts[3] + 9, .reset), Reply(body: body))
        let options = KingfisherParsedOptionsInfo([
            .callbackQueue(.untouch), .downloader(loading.downloader), .targetCache(loading.cache),
            .retryStrategy(DelayRetryStrategy(maxRetryCount: 1, retryInterval: .seconds(0))),
        ])
        let provider = provider(each(isBlur: false), options)
        var context = LoadContext()
        context.download.onDataReceived = [provider]
        let ended = Recorder<Bool>()
        loading.manager.retrieveImage(
            with: .network(loading.server.url("/p")), parsedOptions: options, context: context
        ) { ended.append((try? $0.get()) != nil) }
        #expect(await ended.waitFor(count: 1) == [true])
        // The second transfer's last picture, at least, has to come.
        let last = try Image(decoding: data.prefix(try #require(starts.last)) + [0xFF, 0xD9]).bitmap()
        _ = await shown.wait { images in
            (try? images.last??.bitmap().hasSamePixels(as: last)) == true
        }
        let references = try starts.dropFirst().map {
            try Image(decoding: data.prefix($0) + [0xFF, 0xD9]).bitmap()
        }
        for image in shown.values {
            let bitmap = try #require(image).bitmap()
            #expect(references.contains { $0.hasSamePixels(as: bitmap) })
        }
        #expect(loading.server.requestCount() == 2)
    }

    @Test func `a progressive provider goes on after a picture that its processor rejects`() async throws {
        let second = CallCounter()
        var options = KingfisherParsedOptionsInfo([])
        options.processor = Picky(refuses: { second.increment() == 1 })
        let provider = provider(each(), options)
        provider.receive(data)
        await shown.waitFor(count: starts.count - 2)
        #expect(second.value == starts.count - 1)
    }

    @Test func `a progressive provider holds on to no bytes that others collect`() async throws {
        let provider = provider(each())
        var all = Data()
        var moves = 0
        for index in data.indices {
            let before = all.withUnsafeBytes { $0.baseAddress }
            all.append(data[index])
            provider.receive(all)
            if all.withUnsafeBytes({ $0.baseAddress }) != before { moves += 1 }
        }
        // It moves when it outgrows its room, and whenever somebody else holds on to it.
        #expect(moves < data.count / 20)
        await shown.waitFor(count: starts.count - 1)
    }

    @Test func `a progressive provider spends no more time on all previews than one image may take`() async {
        var options = KingfisherParsedOptionsInfo([])
        let count = CallCounter()
        options.processor = Picky(refuses: { [clock] in
            if count.increment() == 2 { clock.advance(by: .seconds(31)) }
            return false
        })
        let provider = provider(each(), options)
        provider.receive(data)
        await shown.waitFor(count: 2)
        let other = self.provider(each())
        other.receive(data)
        await shown.waitFor(count: 2 + starts.count - 1)
        #expect(count.value == 2)
    }

    @Test(arguments: [false, true])
    func `a progressive provider starts with a photograph's thumbnail, in the photograph's size`(
        _ isProgressive: Bool
    ) async throws {
        let large = try noise(400, 300)
        let options = EncodeOptions(isProgressive: isProgressive)
        let photograph = try CodecRegistry.shared.encode(large, as: .jpeg, options: options)
        let thumbnail = try CodecRegistry.shared.encode(Sample.bitmap(40, 30), as: .jpeg)
        let bytes = Data(EXIFBuilder.add(thumbnail: thumbnail, orientation: 6, to: photograph))
        let provider = provider(each())
        var finder = JPEGScanFinder()
        finder.parse(bytes.bytes)
        let end = try #require(finder.frameEnd)
        provider.receive(bytes.prefix(end - 1))
        provider.receive(bytes.prefix(end))
        let first = try #require(await shown.waitFor(count: 1).first ?? nil)
        #expect(first.pixelSize == PixelSize(width: 30, height: 40))
        #expect(first.size == CGSize(width: 150, height: 200))
        provider.receive(bytes)
        // Rows would hide the thumbnail; scans do not.
        let count = 1 + max(0, finder.scanStarts.count - 1)
        let other = self.provider(each())
        other.receive(data)
        let images = await shown.waitFor(count: count + starts.count - 1)
        #expect(images.count { $0?.pixelSize == PixelSize(width: 300, height: 400) } == count - 1)
        #expect((count > 2) == isProgressive)
    }

    @Test func `a progressive provider shows a photograph's rows if its thumbnail is damaged`() async throws {
        let photograph = try CodecRegistry.shared.encode(noise(400, 300), as: .jpeg)
        var thumbnail = try CodecRegistry.shared.encode(noise(40, 30), as: .jpeg)
        // Headers that are in order, and no pixels.
        let scan = try #require(thumbnail.firstRange(of: [0xFF, 0xDA])).lowerBound
        thumbnail.removeSubrange((scan + 14)...)
        let bytes = Data(EXIFBuilder.add(thumbnail: thumbnail, orientation: 1, to: photograph))
        let provider = provider(each())
        var finder = JPEGScanFinder()
        finder.parse(bytes.bytes)
        let end = try #require(finder.frameEnd)
        #expect(JPEGCodec.thumbnail(in: bytes.prefix(end).bytes) != nil)
        var count = end
        // The thumbnail may fail only after some pieces have come.
        while shown.count == 0, !Task.isCancelled {
            provider.receive(bytes.prefix(count))
            count = min(count + 64, bytes.count * 3 / 4)
            await Task.yield()
        }
        let first = try #require(shown.values.first ?? nil)
        #expect(first.pixelSize == PixelSize(width: 400, height: 300))
    }

    @Test func `a progressive provider shows nothing of a broken JPEG`() async throws {
        let broken = provider(each())
        var damaged = data
        for index in 2..<starts[0] where damaged[index] == 0xDB && damaged[index - 1] == 0xFF {
            damaged[index + 2] = 0
        }
        broken.receive(damaged)
        let third = provider(each())
        third.receive(data)
        await shown.waitFor(count: starts.count - 1)
        #expect(shown.count == starts.count - 1)
    }
}

/// Noise, which no codec makes small.
private func noise(_ width: Int, _ height: Int) throws -> Bitmap {
    var pixels = try PixelBuilder(size: PixelSize(width: width, height: height), alpha: .opaque)
    var state: UInt32 = 3
    pixels.withUnsafeMutableBytes { bytes in
        for offset in stride(from: 0, to: bytes.count, by: 4) {
            state = state &* 1_664_525 &+ 1_013_904_223
            bytes.storeBytes(of: state >> 8 | 0xFF00_0000, toByteOffset: offset, as: UInt32.self)
        }
    }
    return pixels.freeze()
}

/// Refuses some images.
private struct Picky: ImageProcessor {
    let identifier = "picky"
    let refuses: @Sendable () -> Bool

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        guard case .image(let image) = item, !refuses() else { return nil }
        return image
    }
}
