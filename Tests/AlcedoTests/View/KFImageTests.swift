import AlcedoTestSupport
import AlcedoTesting
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct `A declared image` {
    private let fixture: ViewFixture
    private let results = Recorder<ViewResult>()

    init() throws { fixture = try ViewFixture() }

    private func image(_ url: URL?) -> KFImage {
        KFImage(url).targetCache(fixture.loading.cache).downloader(fixture.loading.downloader)
            .onSuccess { [results] in results.append(.success($0)) }
            .onFailure { [results] in results.append(.failure($0)) }
    }

    private func hiddenSurface() -> HeadlessSurface {
        let surface = HeadlessSurface()
        surface.isVisible = false
        return surface
    }

    @Test func `a declared image is a value: a call changes a copy, blocks included`() async throws {
        let first = image(try fixture.serve("/a", width: 8))
        let calls = Recorder<String>()
        let second = first.forceRefresh().fade(duration: 1).scaledToFill().onSuccess { _ in calls.append("2")
        }
        let third = second.cacheMemoryOnly().blur(radius: 2)
        #expect(!first.options.forceRefresh && second.options.forceRefresh && third.options.forceRefresh)
        #expect(second.options.processor.identifier.isEmpty && !third.options.processor.identifier.isEmpty)
        guard case .fade(1) = third.options.transition, case .none = first.options.transition else {
            Issue.record("the transition is not what was set")
            return
        }
        let view = third.makeView(surface: HeadlessSurface())
        #expect(view.contentMode == .scaleAspectFill)
        await calls.waitFor(count: 1)
        #expect(results.count == 0, "the block was replaced")
        let plain = first.makeView(surface: HeadlessSurface())
        await results.waitFor(count: 1)
        #expect(calls.count == 1 && plain.contentMode == .scaleAspectFit)
    }

    @Test func `a declared image lets a block change what its modifiers set by default`() throws {
        let view = image(nil).configure {
            $0.contentMode = .scaleAspectFill
            $0.accessibilityLabel = "a bird"
        }
        .makeView(surface: hiddenSurface())
        #expect(view.contentMode == .scaleAspectFill && view.accessibilityLabel == "a bird")
    }

    @Test func `a declared image in a cell asks for its load when its window comes back`() async throws {
        let surface = hiddenSurface()
        let view = ImageView(surface: surface)
        let binder = ImageBinder(view, isCell: true)
        view.binder = binder
        let appearances = CallCounter()
        binder.appeared = { appearances.increment() }
        binder.bind(image(try fixture.serve("/cell", width: 8)).context.settings) {}
        surface.isVisible = true
        #expect(appearances.value == 1 && fixture.server.requestCount(path: "/cell") == 0)
        binder.startIfVisible()
        surface.isVisible = false
        await results.waitFor(count: 1)
        #expect(results.values[0].error?.isTaskCancelled == true)
        surface.isVisible = true
        #expect(appearances.value == 2)
    }

    @Test func `a declared image loads when it first appears after a failure before that`() async throws {
        let surface = hiddenSurface()
        let url = fixture.server.url("/late")
        let view = image(url).startLoadingBeforeViewAppear().makeView(surface: surface)
        await results.waitFor(count: 1)
        #expect(results.values[0].error != nil)
        _ = try fixture.serve("/late", width: 8)
        surface.isVisible = true
        await results.waitFor(count: 2)
        #expect(view.image.width == 8)
    }

    @Test func `a declared image comes from each kind of source`() throws {
        let url = fixture.server.url("/a")
        let resource = KF.ImageResource(downloadURL: url, cacheKey: "mine")
        let data = KFImage.data(Data([1]), cacheKey: "d")
        #expect(KFImage(source: .network(url)).context.settings.source == .network(url))
        #expect(KFImage.url(url, cacheKey: "mine").context.settings.source?.cacheKey == "mine")
        #expect(KFImage.resource(resource).context.settings.source?.cacheKey == "mine")
        #expect(KFAnimatedImage.source(.network(url)).context.settings.source?.url == url)
        #expect(data.context.settings.source?.cacheKey == "d")
        #expect(KFImage(nil).context.settings.source == nil)
    }

    @Test func `a declared image loads when its view appears, or before that if told to`() async throws {
        let (late, early) = (try fixture.serve("/late", width: 8), try fixture.serve("/early", width: 9))
        let surface = hiddenSurface()
        let placeholder = try Image.plain(2)
        let view = image(late).placeholder(placeholder).makeView(surface: surface)
        let other = image(early).startLoadingBeforeViewAppear().makeView(surface: hiddenSurface())
        await results.waitFor(count: 1)
        #expect(other.image.width == 9 && view.image === placeholder)
        #expect(fixture.server.requestCount(path: "/late") == 0)
        surface.isVisible = true
        await results.waitFor(count: 2)
        #expect(view.image.width == 8)
        surface.isVisible = false
        surface.isVisible = true
        #expect(results.count == 2, "it is loaded once")
    }

    @Test func `a declared image is cancelled when its view disappears, and starts again`() async throws {
        let gate = Gate()
        let url = try fixture.serve("/a", width: 8, until: gate)
        let surface = HeadlessSurface()
        let view = image(url).cancelOnDisappear(true).makeView(surface: surface)
        await fixture.server.waitForRequests(1)
        surface.isVisible = false
        #expect(await results.waitFor(count: 1)[0].error?.isTaskCancelled == true)
        surface.isVisible = true
        gate.open()
        #expect(try await results.waitFor(count: 2)[1].get().image === view.image)
        #expect(results.count == 2)
    }

    @Test
    func `a declared image loads on while its view is away, at a low priority if told to`() async throws {
        let gate = Gate()
        let url = try fixture.serve("/a", width: 8, until: gate)
        let surface = HeadlessSurface()
        let view = image(url).reducePriorityOnDisappear(true).downloadPriority(0.8).makeView(surface: surface)
        await fixture.server.waitForRequests(1)
        let task = try #require(view.setting.task)
        #expect(task.priority == 0.8)
        surface.isVisible = false
        #expect(task.priority == 0.25)
        surface.isVisible = true
        #expect(task.priority == 0.8)
        surface.isVisible = false
        gate.open()
        await results.waitFor(count: 1)
        #expect(view.image.width == 8)
    }

    @Test func `a declared image without a URL shows its failure view, and fails once`() throws {
        let surface = HeadlessSurface()
        let failure = HeadlessSurface()
        let view = image(nil).placeholder(try Image.plain(2)).onFailureView { Front(surface: failure) }
            .makeView(surface: surface)
        #expect(surface.children.first === failure && surface.children.count == 1 && view.image == nil)
        surface.isVisible = false
        surface.isVisible = true
        guard results.count == 1, case .imageSettingError(reason: .emptySource)? = results.values[0].error
        else {
            Issue.record("\(results.values)")
            return
        }
    }

    @Test func `a declared image loads again after a failure when its view appears again`() async throws {
        fixture.server.serve("/a", Reply(status: 503), Reply(body: try Sample.png(8, 4)))
        let surface = HeadlessSurface()
        let placeholder = try Image.plain(2)
        let view = image(fixture.server.url("/a")).placeholder { placeholder }
            .onFailureView { Front(surface: HeadlessSurface()) }.makeView(surface: surface)
        #expect(view.image === placeholder && surface.children.isEmpty)
        #expect(await results.waitFor(count: 1)[0].error?.isInvalidResponseStatusCode(503) == true)
        #expect(view.image == nil && surface.children.count == 1)
        surface.isVisible = false
        surface.isVisible = true
        #expect(view.image === placeholder && surface.children.isEmpty)
        await results.waitFor(count: 2)
        #expect(view.image.width == 8 && surface.children.isEmpty)
    }

    @Test func `a declared image describes and configures its view`() throws {
        let surface = hiddenSurface()
        let view = KFAnimatedImage(fixture.server.url("/a")).accessibilityLabel("A bird")
            .configure { $0.playbackRate = 2 }.configure { $0.framePreloadCount = 3 }
            .makeView(surface: surface)
        #expect(view.accessibilityLabel == "A bird" && view.playbackRate == 2 && view.framePreloadCount == 3)
        #expect(surface.isResizable == false && surface.contentMode == .scaleAspectFit)
        let resizable = hiddenSurface()
        _ = image(nil).resizable().contentMode(.scaleToFill).makeView(surface: resizable)
        #expect(resizable.isResizable == true && resizable.contentMode == .scaleToFill)
    }
}

private final class Front: KFCrossPlatformView, Placeholder {}
