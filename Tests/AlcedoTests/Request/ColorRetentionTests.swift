import AlcedoCodecs
import AlcedoRaster
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

/// Writes what it gets as it is, once it has looked at the bytes.
private struct ByteReader: ImageProcessor {
    let identifier = "ByteReader"
    let bytes: Recorder<[UInt8]>

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        guard case .image(let image) = item,
            let pixels = image.withPixels({ span, size in
                span.withUnsafeBytes { bytes.append([UInt8]($0)) }
                return try? Bitmap.copy(of: span, size: size, layout: PixelLayout(.bgra, .opaque))
            }), let bitmap = pixels
        else { return nil }
        return Image(bitmap: bitmap)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `The option of colours to keep` {
    private let loading: Loading
    private let full = KingfisherOptionsInfoItem.colorRetention(.full)

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

    @Test func `colorRetention gives a load the file's depth, and other loads 8 bits`() async throws {
        let url = serve("/a", try Sample.deepPNG(60, 40))
        let expected = try Sample.deepBitmap(60, 40)
        #expect(try await !load(url).image.bitmap().isDeep)
        // Made of the original that the first load has cached.
        let deep = try await load(url, [full])
        #expect(try deep.image.bitmap().hasSamePixels(as: expected))
        #expect(try await !load(url).image.bitmap().isDeep)
        let again = try await load(url, [full])
        #expect(again.cacheType == .memory)
        #expect(try again.image.bitmap().hasSamePixels(as: expected))
        #expect(loading.server.requestCount() == 1)
    }

    @Test func `colorRetention among a manager's default options applies to all its loads`() async throws {
        loading.manager.defaultOptions += [full]
        let url = serve("/a", try Sample.deepPNG(60, 40))
        #expect(try await load(url).image.bitmap().isDeep)
        #expect(try await !load(url, [.colorRetention(.standard)]).image.bitmap().isDeep)
    }

    @Test func `colorRetention is not overridden by limits`() {
        let limits = DecodeLimits(pixelsPerFrame: 5)
        for options: KingfisherOptionsInfo in [
            [full, .decodeLimits(limits)], [.decodeLimits(limits), full],
        ] {
            let parsed = KingfisherParsedOptionsInfo(options)
            #expect(parsed.colorRetention == .full && parsed.decodeLimits.pixelsPerFrame == 5)
        }
    }

    @Test(arguments: [false, true])
    func `colorRetention brings the same pixels back from the disk`(_ isJPEG: Bool) async throws {
        let url = serve("/a", try isJPEG ? Sample.wideJPEG(64, 48) : Sample.deepPNG(64, 48))
        let processor = ResizingImageProcessor(referenceSize: CGSize(width: 31, height: 23))
        let loaded = try await load(url, [full, .processor(processor)]).image
        let bitmap = try loaded.bitmap()
        #expect(bitmap.isDeep && bitmap.width == 31)
        let stored = try await load(url, [full, .processor(processor)], by: loading.restarted())
        #expect(stored.cacheType == .disk)
        #expect(try stored.image.bitmap().hasSamePixels(as: bitmap))
    }

    @Test func `colorRetention keeps the depth through the processors`() async throws {
        let url = serve("/a", try Sample.deepPNG(60, 40))
        let expected = try Sample.deepBitmap(60, 40)
        let resizing = ResizingImageProcessor(referenceSize: CGSize(width: 30, height: 20))
        let cropping = CroppingImageProcessor(size: CGSize(width: 10, height: 10))
        let small = try expected.resized(to: PixelSize(width: 30, height: 20))
        let part = try await load(url, [full, .processor(resizing |> cropping)]).image.bitmap()
        #expect(try part.hasSamePixels(as: small.cropped(x: 10, y: 5, width: 10, height: 10)))
        let sampled = try await load(
            url, [full, .processor(DownsamplingImageProcessor(size: CGSize(width: 30, height: 20)))])
        #expect(try sampled.image.bitmap().hasSamePixels(as: small))
        let white = KFCrossPlatformColor.white
        for processor: any ImageProcessor in [
            BlurImageProcessor(blurRadius: 1),
            RoundCornerImageProcessor(cornerRadius: 5, backgroundColor: white),
            TintImageProcessor(tint: white), OverlayImageProcessor(overlay: white),
            BlackWhiteProcessor(),
            BlendImageProcessor(blendMode: .multiply, alpha: 0.5, backgroundColor: white),
            BorderImageProcessor(border: Border(color: white, lineWidth: 2, radius: .point(4))),
        ] {
            let changed = try await load(url, [full, .processor(resizing |> processor)]).image.bitmap()
            #expect(changed.isDeep && changed.colorSpace == expected.colorSpace, "\(processor.identifier)")
        }
    }

    @Test func `processors of the program get 8 bits in spite of colorRetention`() async throws {
        let bytes = Recorder<[UInt8]>()
        let url = serve("/a", try Sample.deepPNG(60, 40))
        let result = try await load(url, [full, .processor(ByteReader(bytes: bytes))])
        #expect(try !result.image.bitmap().isDeep)
        let standard = try Sample.deepBitmap(60, 40).standard()
        #expect(bytes.values == [standard.withUnsafeBytes { [UInt8]($0) }])
    }

    @Test func `observers of the process are told once of each step that reduces colours`() {
        let sent = Recorder<Diagnostic>()
        for step in ["test.A", "test.B", "test.A"] { ReducingSteps.report(step) { sent.append($0) } }
        #expect(sent.values == [.reducedColor(step: "test.A"), .reducedColor(step: "test.B")])
    }

    @Test func `colorRetention leaves 8 bits of sRGB with their bytes`() async throws {
        let bytes = try Sample.png(40, 20)
        let image = try await load(serve("/a", bytes), [full]).image
        #expect(try image.encoded?.data == Data(bytes) && !image.bitmap().isDeep)
    }

    @Test func `colorRetention combines with a size, in any order and once`() {
        let size = PixelSize(width: 10, height: 10)
        var options = KingfisherParsedOptionsInfo([full, .downsampleToViewSize])
        options = options.reducing(for: size).reducing()
        let name = "alcedo.ColorRetentionProcessor(full)|>alcedo.ReducingImageProcessor(10x10)"
        #expect(options.processor.identifier == name)
        #expect(options.reducing(for: size).processor.identifier == name)
        let resizing = ResizingImageProcessor(referenceSize: CGSize(width: 5, height: 5))
        let resized = KingfisherParsedOptionsInfo([full, .maximumDecodedPixels(9), .processor(resizing)])
        #expect(
            resized.reducing().reducing().processor.identifier
                == "alcedo.ColorRetentionProcessor(full)|>" + resizing.identifier)
        #expect(KingfisherParsedOptionsInfo([]).reducing().processor.identifier == "")
    }

    @Test func `colorRetention has a cache key of its own also if an interceptor changes it`() {
        let crop = CroppingImageProcessor(size: CGSize(width: 5, height: 5))
        for chosen: any ImageProcessor in [
            DefaultImageProcessor.default, crop, crop |> BlackWhiteProcessor(), crop.keepingMetadata(.all),
        ] {
            for (before, after) in [
                (ColorRetention.full, ColorRetention.standard), (.full, .hdr), (.standard, .full),
            ] {
                let items = [KingfisherOptionsInfoItem.processor(chosen), .maximumDecodedPixels(9)]
                var options = KingfisherParsedOptionsInfo(items + [.colorRetention(before)]).reducing()
                options.colorRetention = after
                let expected = KingfisherParsedOptionsInfo(items + [.colorRetention(after)]).reducing()
                #expect(options.reducing().processor.identifier == expected.processor.identifier)
            }
        }
    }
}
