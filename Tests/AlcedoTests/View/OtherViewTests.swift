import Alcedo
import AlcedoTestSupport
import AlcedoTesting
import Foundation
import Testing

@testable import EngineFixtures

@MainActor struct `A view's geometry` {
    @Test func `a view's geometry is its surface's`() {
        let surface = HeadlessSurface()
        let view = ImageView(surface: surface)
        #expect(view.bounds == .zero && view.contentMode == .scaleAspectFit)
        surface.size = CGSize(width: 30, height: 20)
        #expect(view.bounds == CGRect(x: 0, y: 0, width: 30, height: 20) && view.frame == view.bounds)
        view.contentMode = .scaleAspectFill
        #expect(surface.contentMode == .scaleAspectFill)
    }
}

@MainActor @Suite(.timeLimit(.minutes(10)))
struct `Anything with an image` {
    private final class Card: KingfisherHasImageComponent {
        var image: KFCrossPlatformImage?
    }

    @Test func `an image can be loaded into anything that has an image`() async throws {
        let fixture = try ViewFixture()
        let results = Recorder<ViewResult>()
        let card = Card()
        let gate = Gate()
        let url = try fixture.serve("/a", width: 30, until: gate)
        card.kf.setImage(with: url, placeholder: try Image.plain(6), options: fixture.own) {
            results.append($0)
        }
        #expect(card.image.width == 6 && card.kf.taskIdentifier != nil)
        gate.open()
        await results.waitFor(count: 1)
        #expect(card.image.width == 30 && card.kf.taskIdentifier == nil)
        #expect(card.image?.decodedBitmap == nil, "nothing says that it will be drawn")
        card.kf.setImage(with: nil as Source?) { results.append($0) }
        #expect(card.image == nil && results.count == 2)
    }

    @Test func `an object with an image is not mixed up with one that had its address before`() async throws {
        let fixture = try ViewFixture()
        let gate = Gate()
        defer { gate.open() }
        let url = try fixture.serve("/a", width: 30, until: gate)
        for _ in 0..<300 {
            let card = Card()
            #expect(card.kf.taskIdentifier == nil)
            card.kf.setImage(with: url, options: fixture.own)
            #expect(card.kf.taskIdentifier != nil)
        }
    }

    @Test func `a view may be gone before its image comes`() async throws {
        let fixture = try ViewFixture()
        let results = Recorder<ViewResult>()
        let gate = Gate()
        let url = try fixture.serve("/a", width: 30, until: gate)
        weak var seen: HeadlessSurface?
        do {
            let surface = HeadlessSurface()
            seen = surface
            ImageView(surface: surface).kf.setImage(with: url, options: fixture.own) { results.append($0) }
        }
        gate.open()
        await results.waitFor(count: 1)
        #expect(results.count == 1)
        while seen != nil, !Task.isCancelled { await Task.yield() }
        #expect(seen == nil)
    }
}

@MainActor @Suite(.timeLimit(.minutes(10)))
struct `A button` {
    @Test func `a button has an image for each state, and loads of their own`() async throws {
        let fixture = try ViewFixture()
        let surface = HeadlessSurface()
        let button = KFCrossPlatformButton(surface: surface)
        let results = Recorder<ViewResult>()
        let gate = Gate()
        let normal = try fixture.serve("/n", width: 10, until: gate)
        let pressed = try fixture.serve("/p", width: 20, until: gate)
        button.kf.setImage(
            with: normal, for: .normal, options: fixture.own, completionHandler: { results.append($0) })
        button.kf.setImage(
            with: pressed, for: .highlighted, options: fixture.own, completionHandler: { results.append($0) })
        button.kf.setBackgroundImage(
            with: pressed, for: .normal, options: fixture.own, completionHandler: { results.append($0) })
        #expect(button.kf.taskIdentifier(for: .normal) != nil)
        #expect(button.kf.taskIdentifier(for: .normal) != button.kf.taskIdentifier(for: .highlighted))
        #expect(button.kf.backgroundTaskIdentifier(for: .normal) != nil)
        #expect(button.kf.backgroundTaskIdentifier(for: .selected) == nil)
        gate.open()
        await results.waitFor(count: 3)
        #expect(surface.shown.last??.pixelSize.width == 10 && surface.background.width == 20)
        button.state = .highlighted
        #expect(surface.shown.last??.pixelSize.width == 20)
        button.state = .disabled
        #expect(surface.shown.last??.pixelSize.width == 10, "as in the normal state")
    }

    @Test func `a button cancels its loads`() async throws {
        let fixture = try ViewFixture()
        let gate = Gate()
        defer { gate.open() }
        let button = KFCrossPlatformButton(surface: HeadlessSurface())
        let results = Recorder<ViewResult>()
        let url = try fixture.serve("/a", width: 10, until: gate)
        button.kf.setImage(
            with: url, for: .normal, options: fixture.own, completionHandler: { results.append($0) })
        button.kf.setBackgroundImage(
            with: url, for: .normal, options: fixture.own, completionHandler: { results.append($0) })
        button.kf.cancelImageDownloadTask()
        await results.waitFor(count: 1)
        #expect(button.kf.taskIdentifier(for: .normal) == nil)
        #expect(button.kf.backgroundTaskIdentifier(for: .normal) != nil)
        button.kf.cancelBackgroundImageDownloadTask()
        await results.waitFor(count: 2)
        #expect(results.values.allSatisfy { $0.error?.isTaskCancelled == true })
    }
}

@MainActor @Suite(.timeLimit(.minutes(10)))
struct `The builder of a load` {
    @Test func `the builder of a load sets a view's image`() async throws {
        let fixture = try ViewFixture()
        let results = Recorder<String>()
        let url = try fixture.serve("/a", width: 30)
        KF.url(url).placeholder(try Image.plain(5)).fade(duration: 0.1)
            .targetCache(fixture.loading.cache).downloader(fixture.loading.downloader)
            .onSuccess { results.append("success \($0.image.pixelSize.width)") }
            .set(to: fixture.view)
        #expect(fixture.view.image.width == 5)
        await results.waitFor(count: 1)
        #expect(results.values == ["success 30"] && fixture.surface.transitions.count == 1)
        KF.url(nil).onFailure { results.append("failure \($0.errorCode)") }.set(to: fixture.view)
        #expect(results.values.last == "failure 5001")
    }
}

@MainActor @Suite(.timeLimit(.minutes(10)))
struct `An animated image view` {
    private final class Listener: AnimatedImageViewDelegate {
        let told = Recorder<String>()
        func animatedImageView(_ imageView: AnimatedImageView, didPlayAnimationLoops count: UInt) {
            told.append("loop \(count)")
        }
        func animatedImageViewDidFinishAnimating(_ imageView: AnimatedImageView) { told.append("end") }
    }

    private func animation() throws -> Image {
        let frames = try (1...3).map { try Image.plain($0) }
        return try #require(Image.animatedImage(with: frames, duration: 0.03))
    }

    @Test func `an animated image view plays as often as it is told to, and says so`() async throws {
        let surface = HeadlessSurface()
        let view = AnimatedImageView(surface: surface)
        let listener = Listener()
        view.delegate = listener
        view.repeatCount = .finite(count: 2)
        let clock = ManualClock()
        view.clock = clock
        view.image = try animation()
        #expect(view.isAnimating)
        for frame in 1...6 {
            // One that is not decoded when its time is over is left out.
            while surface.shown.count <= frame, !Task.isCancelled { await Task.yield() }
            await clock.waitForSleepers(1)
            clock.advance(by: .milliseconds(10))
        }
        await listener.told.waitFor(count: 3)
        #expect(listener.told.values == ["loop 1", "loop 2", "end"])
        #expect(!view.isAnimating)
        #expect(surface.shown.dropFirst().map(\.width) == [1, 2, 3, 1, 2, 3])
    }

    @Test
    func `an animated image view that has ended stays on its last frame until another image`() async throws {
        let surface = HeadlessSurface()
        let view = AnimatedImageView(surface: surface)
        let listener = Listener()
        view.delegate = listener
        view.repeatCount = .once
        let clock = ManualClock()
        view.clock = clock
        view.image = try animation()
        for frame in 1...3 {
            while surface.shown.count <= frame, !Task.isCancelled { await Task.yield() }
            await clock.waitForSleepers(1)
            clock.advance(by: .milliseconds(10))
        }
        #expect(await listener.told.waitFor(count: 2) == ["loop 1", "end"])
        surface.isVisible = false
        surface.isVisible = true
        #expect(!view.isAnimating)
        view.startAnimating()
        #expect(!view.isAnimating && view.animator?.isLastFrame == true)
        view.image = try animation()
        #expect(view.isAnimating)
    }

    @Test
    func `an animated image view reduces frames to all the pixels of a fractional scale`() async throws {
        let surface = HeadlessSurface()
        surface.size = CGSize(width: 9, height: 9)
        surface.scale = 1.25
        let view = AnimatedImageView(surface: surface)
        view.autoPlayAnimatedImage = false
        view.image = Image(data: Data(try Fixture.data("gif/fire.gif")))
        let animator = try #require(view.animator)
        while animator.frame(at: 0) == nil, !Task.isCancelled { await Task.yield() }
        let frame = try #require(animator.frame(at: 0))
        #expect(max(frame.pixelSize.width, frame.pixelSize.height) == 12, "11.25, and the rest of a pixel")
    }

    @Test func `an animated image view stands still while it is not to be seen`() async throws {
        let surface = HeadlessSurface()
        surface.isVisible = false
        let view = AnimatedImageView(surface: surface)
        view.image = try animation()
        #expect(!view.isAnimating)
        surface.isVisible = true
        #expect(view.isAnimating)
        surface.isVisible = false
        #expect(!view.isAnimating)
    }

    @Test func `an animated image view waits to be told if it does not play by itself`() throws {
        let view = AnimatedImageView(surface: HeadlessSurface())
        view.autoPlayAnimatedImage = false
        view.image = try animation()
        #expect(!view.isAnimating)
        view.startAnimating()
        #expect(view.isAnimating)
        view.stopAnimating()
        #expect(!view.isAnimating)
    }

    @Test
    func `an animated image view reduces frames to its size, and keeps their size in points`() async throws {
        let surface = HeadlessSurface()
        surface.size = CGSize(width: 10, height: 10)
        let view = AnimatedImageView(surface: surface)
        view.autoPlayAnimatedImage = false
        let image = try #require(Image(data: Data(try Fixture.data("gif/fire.gif"))))
        view.image = image
        let animator = try #require(view.animator)
        while animator.frame(at: 0) == nil, !Task.isCancelled { await Task.yield() }
        let frame = try #require(animator.frame(at: 0))
        #expect(max(frame.pixelSize.width, frame.pixelSize.height) == 10)
        #expect(abs(frame.size.width - image.size.width) < 1)
        view.needsPrescaling = false
        #expect(view.animator !== animator)
    }

    @Test func `a plain view plays an animation whose frames are decoded`() async throws {
        let surface = HeadlessSurface()
        let view = ImageView(surface: surface)
        view.image = try animation()
        #expect(view.isAnimating)
        view.image = try Image.plain()
        #expect(!view.isAnimating)
        view.image = Image(data: Data(try Fixture.data("gif/fire.gif")))
        #expect(!view.isAnimating)
    }
}
