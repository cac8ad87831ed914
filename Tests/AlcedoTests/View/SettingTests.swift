import Alcedo
import AlcedoTestSupport
import AlcedoTesting
import Foundation
import Testing

@testable import EngineFixtures

@MainActor @Suite(.timeLimit(.minutes(10)))
struct `Setting a view's image` {
    private let fixture: ViewFixture
    private let results = Recorder<ViewResult>()
    private var view: ImageView { fixture.view }

    init() throws { fixture = try ViewFixture() }

    private func set(
        _ url: URL?,
        placeholder: (any Placeholder)? = nil,
        _ options: KingfisherOptionsInfo = []
    ) -> DownloadTask? {
        let results = results
        return view.kf.setImage(
            with: url, placeholder: placeholder, options: fixture.own + options
        ) { result in
            #expect(Thread.isMainThread || DispatchQueue.main.isCurrent)
            results.append(result)
        }
    }

    @Test func `a view shows a placeholder and an indicator until its image is there`() async throws {
        let gate = Gate()
        let url = try fixture.serve("/a", width: 30, until: gate)
        view.kf.indicatorType = .activity
        let indicator = try #require(view.kf.indicator?.view.surface as? HeadlessSurface)
        #expect(fixture.surface.children.count == 1 && indicator.isHidden)
        let task = set(url, placeholder: try Image.plain(2))
        #expect(task != nil && view.image.width == 2 && view.kf.placeholder != nil)
        #expect(!indicator.isHidden && indicator.isAnimating && view.kf.taskIdentifier != nil)
        gate.open()
        let result = await results.waitFor(count: 1)[0]
        #expect(try result.get().cacheType == .none)
        #expect(view.image.width == 30 && view.kf.placeholder == nil && view.kf.taskIdentifier == nil)
        #expect(indicator.isHidden && !indicator.isAnimating)
        view.kf.indicatorType = .none
        #expect(fixture.surface.children.isEmpty && view.kf.indicator == nil)
    }

    @Test func `an image from memory is in the view before the call returns`() async throws {
        let url = try fixture.serve("/a", width: 30)
        _ = set(url)
        await results.waitFor(count: 1)
        view.image = nil
        #expect(set(url, placeholder: try Image.plain()) == nil)
        #expect(view.image.width == 30 && results.count == 2)
        #expect(try results.values[1].get().cacheType == .memory)
    }

    @Test func `setting an image without a source shows the placeholder, and fails at once`() async throws {
        let url = try fixture.serve("/a", width: 30)
        _ = set(url)
        await results.waitFor(count: 1)
        #expect(set(nil, placeholder: try Image.plain(7)) == nil)
        #expect(view.image.width == 7 && view.kf.taskIdentifier == nil)
        #expect(results.values[1].error?.errorCode == 5001)
    }

    @Test
    func `a view told to keep its image while loading shows the placeholder if it has none`() async throws {
        let gate = Gate()
        let url = try fixture.serve("/a", width: 30, until: gate)
        _ = set(url, placeholder: try Image.plain(5), [.keepCurrentImageWhileLoading])
        #expect(view.image.width == 5)
        view.image = try Image.plain(9)
        _ = set(url, placeholder: try Image.plain(5), [.keepCurrentImageWhileLoading])
        #expect(view.image.width == 9)
        gate.open()
        await results.waitFor(count: 2)
        #expect(view.image.width == 30)
    }

    @Test
    func `a placeholder that is a view stays if what is shown is to be kept while loading`() async throws {
        let (first, second) = (try fixture.serve("/a", width: 30), try fixture.serve("/b", width: 40))
        let placeholders = (0..<2).map { _ in PlaceholderView(surface: HeadlessSurface()) }
        for (url, placeholder) in zip([first, second], placeholders) {
            _ = set(url, placeholder: placeholder, [.keepCurrentImageWhileLoading])
            #expect(
                fixture.surface.children.map(ObjectIdentifier.init) == [
                    ObjectIdentifier(placeholders[0].surface)
                ])
        }
        await results.waitFor(count: 2)
        #expect(fixture.surface.children.isEmpty && view.image.width == 40)
    }

    @Test func `a view whose load fails shows the failure image, nothing, or what was there`() async throws {
        fixture.server.serve("/gone", Reply.status(404))
        let url = fixture.server.url("/gone")
        let old = try Image.plain(9)
        let keeping: KingfisherOptionsInfo = [.keepCurrentImageWhileLoading]
        for (options, width) in [
            (keeping + [.onFailureImage(try Image.plain(4))], 4), (keeping + [.onFailureImage(nil)], nil),
            (keeping, 9), ([], nil),
        ] as [(KingfisherOptionsInfo, Int?)] {
            view.image = old
            let before = results.count
            _ = set(url, options)
            await results.waitFor(count: before + 1)
            #expect(view.image.width == width)
            #expect(results.values[before].error?.isInvalidResponseStatusCode(404) == true)
        }
    }

    @Test func `a reused view shows what was asked for last, whatever comes last`() async throws {
        let gates = (0..<60).map { _ in Gate() }
        for (index, gate) in gates.enumerated() {
            _ = set(try fixture.serve("/\(index)", width: index + 1, until: gate))
        }
        var generator = SeededGenerator(seed: 60)
        for gate in gates.shuffled(using: &generator) { gate.open() }
        await results.waitFor(count: 60)
        #expect(view.image.width == 60)
        #expect(results.values.filter { (try? $0.get()) != nil }.count == 1)
        let failures = results.values.compactMap(\.error).filter { !$0.isNotCurrentTask }
        #expect(failures.isEmpty, "\(failures)")
    }

    @Test func `a view that is given five hundred addresses in a row shows the last one`() async throws {
        for index in 0..<500 {
            let reply = Reply(body: Payload(try Sample.png(index + 1, 1)))
            fixture.server.serve("/\(index)", reply)
        }
        for index in 0..<500 {
            _ = set(fixture.server.url("/\(index)"))
            if index % 7 == 0 { await Task.yield() }
        }
        await results.waitFor(count: 500)
        #expect(results.count == 500 && view.image.width == 500)
    }

    @Test
    func `the failure of a load that a view no longer waits for carries that load's source`() async throws {
        let gate = Gate()
        let first = try fixture.serve("/a", width: 30, until: gate)
        _ = set(first)
        // One that still asked its caches would end at once.
        await fixture.server.waitForRequests(1, path: "/a")
        _ = set(try fixture.serve("/b", width: 40))
        await results.waitFor(count: 1)
        gate.open()
        await results.waitFor(count: 2)
        guard
            case .failure(.imageSettingError(reason: .notCurrentSourceTask(_, _, let source))) =
                results.values[1]
        else {
            Issue.record("\(results.values[1])")
            return
        }
        #expect(source.url == first && view.image.width == 40)
    }

    @Test func `setting a view's image can be cancelled`() async throws {
        let gate = Gate()
        defer { gate.open() }
        _ = set(try fixture.serve("/a", width: 30, until: gate), placeholder: try Image.plain(3))
        view.kf.cancelDownloadTask()
        let error = await results.waitFor(count: 1)[0].error
        #expect(error?.isTaskCancelled == true)
        #expect(view.image.width == 3 && view.kf.taskIdentifier == nil)
    }

    @Test func `setting a view's image tells of the progress`() async throws {
        let gate = Gate()
        let body = Data((0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        fixture.server.serve(
            "/a", Reply(body: Payload(try Sample.png(300, 300) + body)).hold(.head, until: gate))
        let progress = Recorder<Int64>()
        view.kf.setImage(
            with: fixture.server.url("/a"), options: fixture.own,
            progressBlock: { received, _ in progress.append(received) },
            completionHandler: { [results] in results.append($0) })
        gate.open()
        await results.waitFor(count: 1)
        #expect(!progress.values.isEmpty && progress.values == progress.values.sorted())
    }

    @Test func `a view's image is decoded elsewhere, and only the pixels that the view has`() async throws {
        let large = try Sample.jpeg(1600, 1200)
        fixture.server.serve("/large", large)
        fixture.surface.size = CGSize(width: 100, height: 100)
        fixture.surface.scale = 2
        _ = set(fixture.server.url("/large"))
        await results.waitFor(count: 1)
        let image = try #require(view.image)
        #expect(image.pixelSize == PixelSize(width: 1600, height: 1200) && image.decodedBitmap == nil)
        let pixels = try #require(image.pixels(drawnAt: PixelSize(width: 200, height: 150)))
        #expect(pixels.size == PixelSize(width: 200, height: 150))
        #expect(image.pixels(drawnAt: PixelSize(width: 300, height: 225)) == nil)
    }

    @Test(arguments: [(1.25, 127), (1.5, 152), (1.1, 112)] as [(CGFloat, Int)])
    func `a view's image is decoded to all the pixels of a fractional scale`(scale: CGFloat, side: Int)
        async throws
    {
        fixture.server.serve("/large", try Sample.jpeg(1600, 1600))
        fixture.surface.size = CGSize(width: 101, height: 101)
        fixture.surface.scale = scale
        _ = set(fixture.server.url("/large"))
        await results.waitFor(count: 1)
        let size = PixelSize(width: side, height: side)
        #expect(view.image?.pixels(drawnAt: size)?.size == size)
    }

    @Test func `an image that memory has not decoded is in the view before the call returns`() async throws {
        let url = fixture.server.url("/never")
        let image = try Image(decoding: Data(Sample.jpeg(900, 700)))
        try await fixture.loading.cache.store(image, forKey: url.cacheKey, toDisk: false)
        #expect(set(url, placeholder: try Image.plain()) == nil)
        #expect(view.image === image && results.count == 1 && image.decodedBitmap == nil)
        #expect(fixture.server.requestCount() == 0)
    }

    @Test func `all frames of an animation are loaded for a plain view only`() async throws {
        fixture.server.serve("/fire", try Fixture.data("gif/fire.gif"))
        let url = fixture.server.url("/fire")
        _ = set(url)
        await results.waitFor(count: 1)
        #expect(view.image?.images != nil)
        let animated = AnimatedImageView(surface: HeadlessSurface())
        animated.kf.setImage(with: url, options: fixture.own) { [results] in results.append($0) }
        await results.waitFor(count: 2)
        #expect(animated.image?.images == nil && animated.animator != nil)
    }

    @Test func `a view shows a progressive JPEG as it comes`() async throws {
        let gate = Gate()
        let data = try Fixture.data("made/progressive.jpg")
        fixture.server.serve("/p", Reply(body: Payload(data)).hold(.byte(data.count * 3 / 4), until: gate))
        let shown = Recorder<Int>()
        let progressive = ImageProgressive(isBlur: false, isFastestScan: false, scanInterval: 0)
        progressive.onImageUpdated.delegate(on: view) { _, image in
            shown.append(image.pixelSize.width)
            return .default
        }
        _ = set(fixture.server.url("/p"), [.progressiveJPEG(progressive)])
        await shown.waitFor(count: 1)
        #expect(view.image != nil && results.count == 0)
        gate.open()
        await results.waitFor(count: 1)
        #expect(view.image?.info?.format == .jpeg)
    }
}

/// Somebody's own placeholder.
private final class PlaceholderView: KFCrossPlatformView, Placeholder {}

extension DispatchQueue {
    private static let mark = DispatchSpecificKey<Bool>()

    /// Whether the caller runs on this queue.
    fileprivate var isCurrent: Bool {
        setSpecific(key: Self.mark, value: true)
        return DispatchQueue.getSpecific(key: Self.mark) == true
    }
}
