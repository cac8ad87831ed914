import AlcedoCodecs
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

/// Counts its runs; passes the image on as it is.
private struct Counting: ImageProcessor {
    let identifier: String
    let runs = CallCounter()

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        runs.increment()
        return DefaultImageProcessor.default.process(item: item, options: options)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `Steps that coalesced loads have in common` {
    typealias Download = Result<ImageLoadingResult, KingfisherError>

    let loading: Loading
    let gate = Gate()
    let url: URL

    init() throws {
        loading = try Loading()
        url = loading.server.url("/a")
    }

    private func serve(_ body: [UInt8]) {
        loading.server.serve("/a", Reply(body: Payload(body)).hold(.head, until: gate))
    }

    private func download(
        _ processor: any ImageProcessor, _ options: KingfisherOptionsInfo = [],
        then: @escaping @Sendable (Download) -> Void
    ) -> DownloadTask {
        loading.downloader.downloadImage(
            with: url,
            options: KingfisherParsedOptionsInfo(
                [.callbackQueue(.untouch), .processor(processor)] + options),
            completionHandler: then)
    }

    /// The results of downloads that wait for one transfer, by index.
    private func results(
        _ processors: [any ImageProcessor], _ options: KingfisherOptionsInfo = []
    ) async -> [Download] {
        let results = Recorder<(index: Int, download: Download)>()
        for (index, processor) in processors.enumerated() {
            _ = download(processor, options) { results.append((index, $0)) }
        }
        gate.open()
        return await results.waitFor(count: processors.count).sorted { $0.index < $1.index }.map(\.download)
    }

    @Test func `common steps of coalesced loads run once, on every level`() async throws {
        serve(try Sample.png(8, 8))
        let (a, b, c, d, e) = (
            Counting(identifier: "a"), Counting(identifier: "b"), Counting(identifier: "c"),
            Counting(identifier: "d"), Counting(identifier: "e")
        )
        let results = await results([a |> b |> c, a |> b |> d, a, a |> e, a |> b |> c, b, a |> b])
        #expect(results.compactMap { $0.error?.description } == [])
        #expect([a, b, c, d, e].map(\.runs.value) == [1, 2, 1, 1, 1], "b once after a, and once by itself")
        #expect(loading.server.requests(path: "/a").count == 1)
    }

    @Test func `steps of coalesced loads are no longer common at another scale`() async throws {
        serve(try Sample.png(8, 8))
        let (a, results) = (Counting(identifier: "a"), Recorder<Download>())
        for scale in [1, 2] as [CGFloat] {
            _ = download(a |> Counting(identifier: "b"), [.scaleFactor(scale)]) { results.append($0) }
        }
        gate.open()
        let scales = await results.waitFor(count: 2).compactMap { try? $0.get().image.scale }
        #expect(scales.sorted() == [1, 2] && a.runs.value == 2)
    }

    @Test func `common steps of coalesced loads decode once`() async throws {
        let codec = HeldCodec(name: "common")
        codec.gate.open()
        serve(codec.bytes)
        let registry = CodecRegistry()
        registry.register(codec)
        let tint = TintImageProcessor(tint: .red)
        let results = await results(
            [tint |> BlurImageProcessor(blurRadius: 2), tint |> BlackWhiteProcessor(), tint],
            [.codecs(registry)])
        for result in results { _ = try result.get().image.bitmap() }
        #expect(codec.decoded.value == 1)
    }

    private static let chains: [[any ImageProcessor]] = {
        let down = DownsamplingImageProcessor(size: CGSize(width: 60, height: 60))
        let small = DownsamplingImageProcessor(size: CGSize(width: 9, height: 9))
        let (blur, grey) = (BlurImageProcessor(blurRadius: 2), BlackWhiteProcessor())
        let round = RoundCornerImageProcessor(cornerRadius: 7)
        let nothing = RoundCornerImageProcessor(cornerRadius: 0)
        let resize = ResizingImageProcessor(referenceSize: CGSize(width: 50, height: 20), mode: .aspectFill)
        let border = BorderImageProcessor(border: Border(lineWidth: 2))
        let own = Counting(identifier: "own")
        return [
            [down |> blur, down |> grey, down],
            [down |> round |> small, down |> round |> grey, down |> border, down |> resize |> border],
            [blur |> down, blur |> resize, blur |> round |> small],
            // Nothing was decoded for the common step, so the next one may still decode at a reduced size.
            [nothing |> down, nothing |> blur, nothing, nothing |> nothing |> down],
            [own |> blur, own |> down, own, own |> nothing |> small, own |> nothing |> blur],
        ]
    }()

    @Test(
        arguments: [
            "exif-orientation/Landscape_6.jpg", "jpeg/testorig.jpg", "gif/fire.gif",
            "pngsuite/png/basn6a08.png",
        ], chains.indices)
    func `common steps of coalesced loads give the pixels that each load gives alone`(
        file: String, index: Int
    ) async throws {
        let (chains, data) = (Self.chains[index], Data(try Fixture.data(file)))
        serve(Array(data))
        let options: KingfisherOptionsInfo = [.scaleFactor(2)]
        let results = await results(chains, options)
        for (chain, result) in zip(chains, results) {
            let image = try result.get().image
            let alone = try #require(
                chain.process(item: .data(data), options: KingfisherParsedOptionsInfo(options)))
            #expect(image.scale == alone.scale && image.frameCount == alone.frameCount)
            #expect(try image.bitmap().hasSamePixels(as: alone.bitmap()), "\(chain.identifier)")
            for frame in 0..<image.frameCount where image.frameCount > 1 {
                let (own, expected) = (
                    image.kf.frameSource?.frame(at: frame), alone.kf.frameSource?.frame(at: frame)
                )
                #expect(try #require(own).hasSamePixels(as: #require(expected)))
            }
        }
    }

    @Test func `common steps of coalesced loads go on for the others when one is cancelled`() async throws {
        serve(try Sample.png(8, 8))
        let (held, b, c) = (HeldProcessor(), Counting(identifier: "b"), Counting(identifier: "c"))
        let (first, second) = (Recorder<Download>(), Recorder<Download>())
        // The first one's options are those of the common step.
        let cancelled = download(held |> b) { first.append($0) }
        _ = download(held |> c) { second.append($0) }
        gate.open()
        await held.gate.waitForArrivals(1)
        cancelled.cancel()
        #expect(await first.waitFor(count: 1)[0].error?.isTaskCancelled == true)
        held.gate.open()
        #expect(try await second.waitFor(count: 1)[0].get().image.pixelSize.width == 8)
        #expect(held.runs.value == 1 && b.runs.value == 0 && c.runs.value == 1)
        #expect(first.count == 1)
    }

    @Test func `a common step that fails fails each load with its own chain`() async throws {
        serve(try Sample.png(8, 8))
        let (a, b) = (RefusingProcessor(), Counting(identifier: "b"))
        let results = await results([a |> b, a |> Counting(identifier: "c"), a, b, b |> a, b |> b])
        let identifiers = results.map { result -> String? in
            guard case .processorError(reason: .processingFailed(let processor, let item))? = result.error,
                case .data = item
            else { return nil }
            return processor.identifier
        }
        #expect(identifiers == ["refusing|>b", "refusing|>c", "refusing", nil, "b|>refusing", nil])
    }
}
