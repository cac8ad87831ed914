import AlcedoCodecs
import AlcedoLocks
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

/// Frames of one colour each, which can be counted while somebody has them.
final class CountedFrames: ImageFrameSource {
    private struct Seen {
        weak var bitmap: Bitmap?
    }

    let frameCount: Int
    let data: Data? = nil

    /// Where who decodes waits, if anywhere.
    let gate = Gate()

    private let damaged: Int?
    private let state = Lock((seen: [Seen](), most: 0, asked: [Int]()))

    init(_ frameCount: Int, damaged: Int? = nil) {
        self.frameCount = frameCount
        self.damaged = damaged
        gate.open()
    }

    func frame(at index: Int, maxSize: CGSize?) -> CGImage? {
        gate.wait()
        guard index != damaged, let bitmap = try? Sample.bitmap(2, 2, bgra: [UInt8(index), 0, 0, 255]) else {
            return nil
        }
        state.withLock { state in
            state.seen.removeAll { $0.bitmap == nil }
            state.seen.append(Seen(bitmap: bitmap))
            state.most = max(state.most, state.seen.count)
            state.asked.append(index)
        }
        return bitmap
    }

    func duration(at index: Int) -> TimeInterval { index % 2 == 0 ? 0.03 : 0.07 }

    var mostAtOnce: Int { state.withLock { $0.most } }
    var asked: [Int] { state.withLock { $0.asked.map { $0 } } }

    func image() throws -> Image {
        try #require(KingfisherWrapper<Image>.animatedImage(source: self, options: ImageCreatingOptions()))
    }
}

extension Image {
    var level: Int? { (try? bitmap()).map { Int($0.pixel(0, 0)[0]) } }
}

@Suite(.timeLimit(.minutes(10)))
struct `An animator` {
    /// How many frames have been decoded.
    private let ready = Monitor(0)

    private func animator(
        _ frames: CountedFrames, count: Int = 10, repeating: AnimatedImageView.RepeatCount = .infinite
    ) throws -> ImageAnimator {
        let ready = ready
        let image = try frames.image()
        return try #require(
            // Not the shared budget: while memory is short, that has frames decoded just in time only.
            ImageAnimator(
                image, repeatCount: repeating, maxFrameCount: count, budget: FrameBudget(bytes: 1 << 20)
            ) { _ in ready.update { $0 += 1 } })
    }

    @Test func `an animator plays by a clock, each frame from its moment to the next`() async throws {
        let clock = ManualClock()
        let animator = try animator(CountedFrames(4), repeating: .finite(count: 2))
        _ = await ready.wait { $0 >= 4 }
        let shown = Recorder<String>()
        let playing = Task {
            try await animator.play(by: clock) { image in
                shown.append("\(image.level ?? -1) at \(clock.now.offset)")
            }
        }
        for (index, milliseconds) in [30, 70, 30, 70, 30, 70, 30, 70].enumerated() {
            await shown.waitFor(count: min(8, index + 1))
            await clock.waitForSleepers(1)
            clock.advance(by: .milliseconds(milliseconds))
        }
        try await playing.value
        #expect(
            shown.values == [
                "0 at 0.0 seconds", "1 at 0.03 seconds", "2 at 0.1 seconds", "3 at 0.13 seconds",
                "0 at 0.2 seconds", "1 at 0.23 seconds", "2 at 0.3 seconds", "3 at 0.33 seconds",
            ])
        #expect(animator.isFinished && animator.isLastFrame)
    }

    @Test func `an animator keeps a few frames of many, and decodes each once a play`() async throws {
        let frames = CountedFrames(200)
        let animator = try animator(frames, count: 5)
        var time = Duration.zero
        for step in 0..<600 {
            _ = await ready.wait { _ in animator.frame(at: (step + 1) % 200) != nil }
            animator.update(at: time)
            #expect(animator.currentFrameIndex == step % 200)
            #expect(animator.currentFrameImage?.level == step % 200 % 256)
            #expect(animator.decodedFrameCount <= 5)
            time += .milliseconds(step % 2 == 0 ? 30 : 70)
        }
        // The image's own first frame, the window, and the one that is just being decoded.
        #expect(frames.mostAtOnce <= 7)
        #expect(frames.asked.count <= 1 + 600 + 6)
    }

    @Test func `an animator decodes no frame twice if all frames fit`() async throws {
        let frames = CountedFrames(4)
        let animator = try animator(frames)
        _ = await ready.wait { $0 >= 4 }
        for step in 0..<100 { animator.update(at: .milliseconds(step * 10)) }
        #expect(frames.asked == [0, 0, 1, 2, 3], "the first was the image's own")
        #expect(animator.maxFrameCount == 10 && animator.frameCount == 4)
    }

    @Test func `an animator plays the frames before a damaged one`() async throws {
        let animator = try animator(CountedFrames(5, damaged: 3))
        _ = await ready.wait { $0 >= 4 }
        var seen: Set<Int> = []
        for step in 0..<100 {
            animator.update(at: .milliseconds(step * 10))
            seen.insert(animator.currentFrameIndex)
        }
        #expect(seen == [0, 1, 2])
    }

    @Test func `an animator whose first frame is damaged ends at once`() async throws {
        let first = Image(bitmap: try Sample.bitmap(2, 2))
        let image = try #require(
            KingfisherWrapper<Image>.animatedImage(
                source: CountedFrames(3, damaged: 0), options: ImageCreatingOptions(), baseImage: first))
        let animator = try #require(ImageAnimator(image))
        try await animator.play(by: ManualClock()) { _ in Issue.record("there is nothing to show") }
        #expect(animator.isFinished)
        #expect(!animator.update(at: .seconds(1)).hasFinished)
    }

    @Test func `an animator stops when its task is cancelled`() async throws {
        let animator = try animator(CountedFrames(4))
        let clock = ManualClock()
        let playing = Task { try await animator.play(by: clock) { _ in } }
        await clock.waitForSleepers(1)
        playing.cancel()
        await #expect(throws: CancellationError.self) { try await playing.value }
    }

    @Test func `an animator that was stopped while waiting for a frame can be played again`() async throws {
        let frames = CountedFrames(4)
        let image = try frames.image()
        frames.gate.close()
        let animator = try #require(ImageAnimator(image))
        let clock = ManualClock()
        let first = Task { try await animator.play(by: clock) { _ in } }
        await clock.looks.waitFor(2)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        let shown = Recorder<Int>()
        let second = Task { try await animator.play(by: clock) { shown.append($0.level ?? -1) } }
        await clock.looks.waitFor(5)
        for _ in 0..<100 { await Task.yield() }
        #expect(clock.looks.value <= 5, "it waits")
        frames.gate.open()
        #expect(await shown.waitFor(count: 1).first == 0)
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
    }

    @Test func `an animator goes on after its frames were freed while it played`() async throws {
        let animator = try animator(CountedFrames(4))
        let clock = ManualClock()
        let shown = Recorder<Int>()
        let playing = Task { try await animator.play(by: clock) { shown.append($0.level ?? -1) } }
        await clock.waitForSleepers(1)
        _ = await ready.wait { $0 >= 4 }
        animator.purgeFrames()
        clock.advance(by: .milliseconds(30))
        #expect(await shown.waitFor(count: 2) == [0, 1])
        await clock.waitForSleepers(1)
        animator.purgeFrames(keepCurrentFrame: false)
        clock.advance(by: .milliseconds(70))
        #expect(await shown.waitFor(count: 3) == [0, 1, 2])
        playing.cancel()
        await #expect(throws: CancellationError.self) { try await playing.value }
    }

    @Test func `an animator frees its frames and decodes them again`() async throws {
        let animator = try animator(CountedFrames(4))
        _ = await ready.wait { $0 >= 4 }
        animator.update(at: .zero)
        animator.purgeFrames()
        #expect(animator.decodedFrameCount == 1 && animator.currentFrameImage?.level == 0)
        animator.purgeFrames(keepCurrentFrame: false)
        #expect(animator.decodedFrameCount == 0 && animator.currentFrameImage == nil)
        animator.prepareFrames()
        _ = await ready.wait { $0 >= 8 }
        #expect(animator.decodedFrameCount == 4)
        animator.update(at: .milliseconds(30))
        #expect(animator.currentFrameIndex == 1 && animator.currentFrameDuration == 0.07)
        animator.rewind()
        #expect(animator.currentFrameIndex == 0)
    }

    @Test(arguments: ["gif/fire.gif", "made/animated.webp", "made/animated-over.png"], [false, true])
    func `an animator shows a file's own frames`(path: String, isPreloaded: Bool) async throws {
        let data = try Fixture.data(path)
        let decoder = try CodecRegistry.shared.frames(of: data.span.bytes)
        let image = try #require(
            KingfisherWrapper<Image>.image(
                data: Data(data), options: ImageCreatingOptions(scale: 2, preloadAll: isPreloaded)))
        let animator = try #require(ImageAnimator(image, repeatCount: .once, maxFrameCount: 3))
        let clock = ManualClock()
        let shown = Recorder<Image>()
        let playing = Task { try await animator.play(by: clock) { shown.append($0) } }
        for index in 0..<image.frameCount {
            await shown.waitFor(count: index + 1)
            await clock.waitForSleepers(1)
            clock.advance(by: .milliseconds(Int((animator.duration(at: index) * 1000).rounded())))
        }
        try await playing.value
        #expect(shown.count == image.frameCount)
        for image in shown.values {
            let frame = try #require(try decoder.next())
            #expect(try image.scale == 2 && image.bitmap().hasSamePixels(as: frame.bitmap))
        }
    }

    @Test func `an image that is no animation has no animator`() throws {
        #expect(ImageAnimator(Image(bitmap: try Sample.bitmap(2, 2))) == nil)
    }
}
