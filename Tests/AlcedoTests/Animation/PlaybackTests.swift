import AlcedoTestSupport
import AlcedoTesting
import Foundation
import Testing

@testable import Alcedo

private func ms(_ milliseconds: Int) -> Duration { .milliseconds(milliseconds) }

struct `A timeline's rate` {
    private var timeline = AnimationTimeline(durations: [ms(100), ms(40), ms(60)], plays: nil)

    private mutating func advance(_ milliseconds: Int) -> AnimationTimeline.Step {
        timeline.advance(to: ms(milliseconds), count: 3) { _ in true }
    }

    @Test mutating func `a timeline's rate shortens and lengthens what is left of the current frame`() {
        _ = advance(0)
        timeline.wantedRate = 2
        _ = advance(40)
        #expect(timeline.deadline == ms(70))
        timeline.wantedRate = 0.5
        _ = advance(60)
        #expect(timeline.deadline == ms(100), "20 ms are left")
    }

    @Test mutating func `a timeline pauses at a rate of 0, and continues with another rate`() {
        _ = advance(0)
        timeline.wantedRate = 0
        _ = advance(30)
        #expect(timeline.deadline == nil)
        #expect(advance(9_000) == .init() && timeline.index == 0)
        timeline.wantedRate = 1
        _ = advance(10_000)
        #expect(timeline.deadline == ms(10_070))
    }

    @Test mutating func `a timeline with a rate below 0 plays backward from where it is`() {
        _ = advance(0)
        _ = advance(110)
        timeline.wantedRate = -1
        _ = advance(120)
        #expect(timeline.index == 1 && timeline.deadline == ms(140), "20 ms of frame 1 are behind it")
        #expect(advance(140).isNewFrame && timeline.index == 0 && timeline.deadline == ms(240))
        #expect(advance(240).loops == 1 && timeline.index == 2 && timeline.deadline == ms(300))
        timeline.wantedRate = 1
        _ = advance(250)
        #expect(timeline.deadline == ms(260))
        #expect(advance(260).loops == 2 && timeline.index == 0)
    }

    @Test mutating func `a timeline's rate is kept by a rewind`() {
        timeline.wantedRate = 2
        timeline.rewind()
        _ = advance(0)
        #expect(timeline.deadline == ms(50))
    }

    @Test mutating func `a finished timeline plays on once another frame is sought, and ends again`() {
        timeline = AnimationTimeline(durations: [ms(10), ms(20)], plays: 1)
        for time in 0...30 { _ = timeline.advance(to: ms(time), count: 2) { _ in true } }
        #expect(timeline.isFinished)
        timeline.seek(to: 1)
        #expect(timeline.advance(to: ms(100), count: 2) { _ in true } == .init(isNewFrame: true))
        let end = timeline.advance(to: ms(120), count: 2) { _ in true }
        #expect(end.hasFinished && end.loops == 1)
    }

    @Test(arguments: [(0, 0, 100), (99, 0, 1), (100, 1, 40), (150, 2, 50), (200, 2, 0), (9_999, 2, 0)])
    mutating func `a timeline that seeks a time shows that frame for what is left of it`(
        time: Int, index: Int, left: Int
    ) {
        timeline.seek(toTime: ms(time), count: 3)
        let position = timeline.index
        _ = timeline.advance(to: ms(1_000), count: 3) { _ in false }
        #expect(position == index && timeline.deadline == ms(1_000 + left))
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `A playing animation` {
    private let clock = ManualClock()
    private let shown = Recorder<Int>()

    /// Plays four frames of 30, 70, 30 and 70 ms.
    private func play(_ body: (ImageAnimator) async throws -> Void) async throws {
        let animator = try #require(ImageAnimator(CountedFrames(4).image()))
        let (clock, shown) = (clock, shown)
        let playing = Task { try await animator.play(by: clock) { shown.append($0.level ?? -1) } }
        await shown.waitFor(count: 1)
        await clock.waitForSleepers(1)
        try await body(animator)
        playing.cancel()
        await #expect(throws: CancellationError.self) { try await playing.value }
    }

    @Test func `a playing animation follows a new rate at once`() async throws {
        try await play { animator in
            animator.playbackRate = 10
            while animator.deadline != ms(3), !Task.isCancelled { await Task.yield() }
            clock.advance(by: ms(3))
            #expect(await shown.waitFor(count: 2) == [0, 1])
            // Nothing of the new frame is over, so backward it ends at once.
            animator.playbackRate = -1
            #expect(await shown.waitFor(count: 3) == [0, 1, 0])
        }
    }

    @Test func `a playing animation shows a sought frame at once`() async throws {
        try await play { animator in
            animator.seek(toFrameAt: 2)
            #expect(await shown.waitFor(count: 2) == [0, 2])
            animator.seek(to: .milliseconds(50))
            #expect(await shown.waitFor(count: 3) == [0, 2, 1])
            animator.seek(toFrameAt: 99)
            #expect(await shown.waitFor(count: 4) == [0, 2, 1, 3])
            animator.seek(toFrameAt: -1)
            #expect(await shown.waitFor(count: 5) == [0, 2, 1, 3, 0])
        }
    }

    @Test func `an animator ignores a playback rate that is not finite, and limits others`() throws {
        let animator = try #require(ImageAnimator(CountedFrames(4).image()))
        for rate in [Double.nan, .infinity, -.infinity] {
            animator.playbackRate = rate
            #expect(animator.playbackRate == 1)
        }
        for (rate, limited) in [(1e9, 100), (-1e9, -100), (1e-9, 0.01), (0, 0)] {
            animator.playbackRate = rate
            #expect(animator.playbackRate == limited)
        }
    }

    @MainActor
    @Test func `a view shows a frame that was sought just before its animation was stopped`() async throws {
        let surface = HeadlessSurface()
        let view = AnimatedImageView(surface: surface)
        view.clock = clock
        view.image = try CountedFrames(4).image()
        while surface.shown.last??.level != 0, !Task.isCancelled { await Task.yield() }
        view.seek(toFrameAt: 3)
        view.stopAnimating()
        while surface.shown.last??.level != 3, !Task.isCancelled { await Task.yield() }
        #expect(view.animator?.currentFrameIndex == 3 && !view.isAnimating)
    }

    @MainActor
    @Test func `a view whose animation does not play shows a sought frame`() async throws {
        let surface = HeadlessSurface()
        let view = AnimatedImageView(surface: surface)
        view.clock = clock
        view.autoPlayAnimatedImage = false
        view.playbackRate = -2
        view.image = try CountedFrames(4).image()
        #expect(view.animator?.playbackRate == -2 && !view.isAnimating)
        let animator = try #require(view.animator)
        view.seek(toFrameAt: 3)
        while surface.shown.last??.level != 3, !Task.isCancelled { await Task.yield() }
        #expect(animator.currentFrameIndex == 3 && !view.isAnimating)
        view.seek(to: .milliseconds(40))
        while surface.shown.last??.level != 1, !Task.isCancelled { await Task.yield() }
        #expect(animator.currentFrameIndex == 1)
    }
}
