import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

/// Frames of one colour each, which all claim to last as long.
private struct TimedFrames: ImageFrameSource {
    var frameCount = 3
    var seconds: TimeInterval
    var data: Data? { nil }

    func frame(at index: Int, maxSize: CGSize?) -> CGImage? {
        try? Sample.bitmap(2, 2, bgra: [UInt8(index), 0, 0, 255])
    }

    func duration(at index: Int) -> TimeInterval { seconds }

    func image(_ options: ImageCreatingOptions = .init()) throws -> Image {
        try #require(KingfisherWrapper<Image>.animatedImage(source: self, options: options))
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `The time of a frame` {
    @Test(arguments: [0, -1, 1e-9, .nan] as [TimeInterval], [false, true])
    func `a frame lasts at least as long as a display's, so frames without a time play on`(
        seconds: TimeInterval, isPreloaded: Bool
    ) async throws {
        let image = try TimedFrames(seconds: seconds).image(ImageCreatingOptions(preloadAll: isPreloaded))
        let ready = Monitor(0)
        // Not the shared budget: while memory is short, that has frames decoded just in time only.
        let budget = FrameBudget(bytes: 1 << 20)
        let animator = try #require(ImageAnimator(image, budget: budget) { _ in ready.update { $0 += 1 } })
        _ = await ready.wait { $0 >= 3 }
        let clock = ManualClock()
        let shown = Recorder<Int>()
        let playing = Task {
            try await animator.play(by: clock) {
                shown.append((try? $0.bitmap()).map { Int($0.pixel(0, 0)[0]) } ?? -1)
            }
        }
        for count in 1...7 {
            await shown.waitFor(count: count)
            await clock.waitForSleepers(1)
            clock.advance(by: .milliseconds(17))
        }
        playing.cancel()
        await #expect(throws: CancellationError.self) { try await playing.value }
        #expect(shown.values.prefix(7) == [0, 1, 2, 0, 1, 2, 0])
    }

    @Test func `frames without a time get equal parts of the duration that is asked for`() throws {
        let image = try TimedFrames(seconds: 0).image(ImageCreatingOptions(duration: 6, preloadAll: true))
        let animator = try #require(ImageAnimator(image))
        #expect(image.duration == 6 && (0..<3).map(animator.duration) == [2, 2, 2])
    }

    @Test func `a frame that does not exist has an infinite duration`() throws {
        let animator = try #require(ImageAnimator(TimedFrames(seconds: 0.5).image()))
        #expect([-1, 0, 2, 3].map(animator.duration) == [.infinity, 0.5, 0.5, .infinity])
        #expect(animator.frame(at: 3) == nil)
    }

    @Test func `a source's only frame has an infinite duration`() throws {
        let source = TimedFrames(frameCount: 1, seconds: 0.5)
        let image = try source.image(ImageCreatingOptions(preloadAll: true))
        #expect(image.images?.count == 1 && image.duration == .infinity)
        #expect(try source.image().duration == .infinity)
    }

    @Test(
        arguments: [
            (0.2, 0.2), (0.011, 0.1), (1 as Int, 1), (UInt8(2), 2), (Float(0.5), 0.5),
            (NSNumber(value: 3), 3),
            ("1", 0.1),
        ] as [(any Sendable, TimeInterval)])
    func `a GIF frame's time is read from any kind of number`(delay: any Sendable, duration: TimeInterval) {
        #expect(GIFAnimatedImage.getFrameDuration(from: ["DelayTime": delay]) == duration)
        #expect(
            GIFAnimatedImage.getFrameDuration(from: ["UnclampedDelayTime": "?", "DelayTime": delay])
                == duration)
    }
}

struct `How often an animation is played` {
    typealias Count = AnimatedImageView.RepeatCount

    @Test func `repeating an animation once equals a repeat count of one`() {
        #expect(Count.once == .finite(count: 1) && Count.finite(count: 1) == .once)
        #expect(Count.once != .finite(count: 2) && Count.once != .infinite)
        #expect(Count.finite(count: 2) != .infinite && Count.finite(count: 2) == .finite(count: 2))
        #expect(Set([Count.once, .finite(count: 1), .finite(count: 2), .infinite]).count == 3)
    }
}
