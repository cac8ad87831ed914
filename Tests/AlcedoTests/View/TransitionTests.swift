import Alcedo
import AlcedoTestSupport
import AlcedoTesting
import Foundation
import Testing

@testable import EngineFixtures

@MainActor @Suite(.timeLimit(.minutes(10)))
struct `A transition` {
    private let fixture: ViewFixture
    private let results = Recorder<ViewResult>()

    init() throws { fixture = try ViewFixture() }

    private func set(_ url: URL, _ options: KingfisherOptionsInfo) {
        fixture.view.kf.setImage(with: url, options: fixture.own + options) { [results] in results.append($0)
        }
    }

    @Test func `a transition is for images that were loaded, unless it is forced`() async throws {
        let url = try fixture.serve("/a", width: 30)
        set(url, [.transition(.fade(0.2))])
        await results.waitFor(count: 1)
        #expect(
            fixture.surface.transitions.map(\.transition) == [ViewTransition(.crossDissolve, duration: 0.2)])
        set(url, [.transition(.fade(0.2))])
        #expect(results.count == 2 && fixture.surface.transitions.count == 1)
        set(url, [.transition(.flipFromTop(1)), .forceTransition])
        #expect(fixture.surface.transitions.last?.transition == ViewTransition(.flipFromTop, duration: 1))
        set(url, [.transition(.none), .forceTransition])
        #expect(fixture.surface.transitions.count == 2)
    }

    @Test func `a transition ends before the completion comes`() async throws {
        fixture.surface.holdsTransitions = true
        let url = try fixture.serve("/a", width: 30)
        set(url, [])
        await results.waitFor(count: 1)
        set(url, [.transition(.fade(0.2)), .forceTransition])
        #expect(fixture.view.image.width == 30 && results.count == 1)
        fixture.surface.transitions[0].completion(true)
        #expect(results.count == 2)
    }

    @Test func `the completion of a transition cut short may set another image, which stays`() async throws {
        let urls = try (0..<3).map { try fixture.serve("/\($0)", width: 30 + $0) }
        // One after another: a load that is superseded ends before it downloads.
        for (index, url) in urls.enumerated() {
            set(url, [])
            await results.waitFor(count: index + 1)
        }
        fixture.surface.holdsTransitions = true
        let forced: KingfisherOptionsInfo = fixture.own + [.transition(.fade(1)), .forceTransition]
        let ends = Recorder<Int>()
        fixture.view.kf.setImage(with: urls[0], options: forced) { [view = fixture.view] _ in
            ends.append(0)
            view.kf.setImage(with: urls[2], options: forced) { _ in ends.append(2) }
        }
        fixture.view.kf.setImage(with: urls[1], options: forced) { _ in ends.append(1) }
        #expect(ends.values == [0, 1])
        #expect(fixture.view.image.width == 32, "it was set last")
        fixture.surface.transitions.last?.completion(true)
        #expect(ends.values == [0, 1, 2])
    }

    @Test func `a custom transition sets the image itself, and is told of its end`() async throws {
        let ends = Recorder<Bool>()
        let custom = ImageTransition.custom(
            duration: 0.5, options: [.transitionFlipFromLeft, .curveLinear],
            animations: { view, image in view.image = image.kf.tinted(with: .red) },
            completion: { ends.append($0) })
        set(try fixture.serve("/a", width: 30), [.transition(custom)])
        await results.waitFor(count: 1)
        #expect(ends.values == [true])
        #expect(
            fixture.surface.transitions[0].transition
                == ViewTransition(.flipFromLeft, duration: 0.5, curve: .linear))
        #expect(try fixture.view.image?.bitmap().pixel(0, 0) == [0, 0, 255, 255])
    }

    @Test(arguments: [ViewTransition.Curve.easeIn, .easeOut, .easeInOut, .linear])
    func `a transition's curve goes from nothing to all, never back`(curve: ViewTransition.Curve) {
        let steps = (-5...105).map { curve.progress(at: Double($0) / 100) }
        #expect(steps.first == 0 && steps.last == 1 && steps == steps.sorted())
    }
}

@MainActor @Suite(.timeLimit(.minutes(10)))
struct `A placeholder` {
    /// Somebody's own view.
    private final class Shimmer: KFCrossPlatformView, Placeholder {}

    @Test func `a placeholder view lies in front of the image view until the image is there`() async throws {
        let fixture = try ViewFixture()
        let gate = Gate()
        let url = try fixture.serve("/a", width: 30, until: gate)
        let results = Recorder<ViewResult>()
        let shimmer = Shimmer(surface: HeadlessSurface())
        fixture.view.image = try Image.plain()
        fixture.view.kf.setImage(with: url, placeholder: shimmer, options: fixture.own) { results.append($0) }
        #expect(fixture.surface.children.first === shimmer.surface)
        gate.open()
        await results.waitFor(count: 1)
        #expect(fixture.surface.children.isEmpty && fixture.view.image.width == 30)
    }

    @Test func `a placeholder image goes without a moment of nothing`() async throws {
        let fixture = try ViewFixture()
        let results = Recorder<ViewResult>()
        let url = try fixture.serve("/a", width: 30)
        fixture.view.kf.setImage(with: url, placeholder: try Image.plain(5), options: fixture.own) {
            results.append($0)
        }
        await results.waitFor(count: 1)
        #expect(fixture.surface.shown.map(\.width) == [5, 30])
    }
}

@MainActor @Suite(.timeLimit(.minutes(10)))
struct `An indicator` {
    private final class Dots: Indicator {
        let view: IndicatorView = KFCrossPlatformView(surface: HeadlessSurface())
        var runs = 0
        func startAnimatingView() { runs += 1 }
        func stopAnimatingView() { runs -= 1 }
    }

    @Test func `a custom indicator runs while an image is waited for`() async throws {
        let fixture = try ViewFixture()
        let dots = Dots()
        fixture.view.kf.indicatorType = .custom(indicator: dots)
        let gate = Gate()
        let results = Recorder<ViewResult>()
        for path in ["/a", "/b"] {
            let url = try fixture.serve(path, width: 30, until: path == "/b" ? gate : nil)
            fixture.view.kf.setImage(with: url, options: fixture.own) { results.append($0) }
        }
        await results.waitFor(count: 1)
        #expect(dots.runs > 0, "the first one is stale, the second is still waited for")
        gate.open()
        await results.waitFor(count: 2)
        #expect(dots.runs <= 1)
    }

    @Test func `an indicator that is an animation plays`() async throws {
        let fixture = try ViewFixture()
        fixture.view.kf.indicatorType = .image(imageData: Data(try Fixture.data("gif/fire.gif")))
        let indicator = try #require(fixture.view.kf.indicator)
        let view = try #require(indicator.view as? AnimatedImageView)
        #expect(view.isHidden && !view.isAnimating)
        indicator.startAnimatingView()
        #expect(!view.isHidden && view.isAnimating)
        indicator.stopAnimatingView()
        #expect(view.isHidden && !view.isAnimating)
        fixture.view.kf.indicatorType = .image(imageData: Data([1, 2, 3]))
        #expect(fixture.view.kf.indicator == nil)
    }
}
