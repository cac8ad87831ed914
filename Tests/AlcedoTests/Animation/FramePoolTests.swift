import AlcedoLocks
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

/// Frames that depend on those before: each copy counts the frames that it had to decode.
private final class ForwardFrames: ImageFrameSource {
    let frameCount: Int
    let data: Data? = nil
    let decoded: CallCounter
    private let next = Lock(0)

    init(_ frameCount: Int, decoded: CallCounter = CallCounter()) {
        self.frameCount = frameCount
        self.decoded = decoded
    }

    func frame(at index: Int, maxSize: CGSize?) -> CGImage? {
        let steps = next.withLock { next in
            let steps = index == next - 1 ? 0 : index < next ? index + 1 : index + 1 - next
            next = index + 1
            return steps
        }
        decoded.increment(by: steps)
        return try? Sample.bitmap(2, 2, bgra: [UInt8(index), 0, 0, 255])
    }

    func duration(at index: Int) -> TimeInterval { 0.1 }

    func copy() -> ForwardFrames { ForwardFrames(frameCount, decoded: decoded) }

    func image() throws -> Image {
        try #require(KingfisherWrapper<Image>.animatedImage(source: self, options: ImageCreatingOptions()))
    }
}

/// Frames that know how many copies there are.
private final class CopiedFrames: ImageFrameSource {
    let frameCount = 4
    let data: Data? = nil
    let copies: Monitor<Int>

    init(_ copies: Monitor<Int> = Monitor(0)) {
        self.copies = copies
        copies.update { $0 += 1 }
    }

    deinit { copies.update { $0 -= 1 } }

    func frame(at index: Int, maxSize: CGSize?) -> CGImage? { try? Sample.bitmap(2, 2) }
    func duration(at index: Int) -> TimeInterval { 0.1 }
    func copy() -> CopiedFrames { CopiedFrames(copies) }
}

@Suite(.timeLimit(.minutes(10)))
struct `Players of animations` {
    /// Notified whenever a frame is ready.
    private let ready = Monitor(0)

    private func animator(
        _ image: Image, count: Int = 5, maxSize: CGSize? = nil,
        budget: FrameBudget = FrameBudget(bytes: 1 << 20)
    ) throws -> ImageAnimator {
        let ready = ready
        return try #require(
            ImageAnimator(image, maxFrameCount: count, maxSize: maxSize, budget: budget) { _ in
                ready.update { $0 += 1 }
            })
    }

    /// Waits until the animator has the frame after the current one, or before it if it plays backward.
    private func step(_ animator: ImageAnimator, _ step: Int, to next: Int) async {
        _ = await ready.wait { _ in animator.frame(at: next) != nil }
        animator.update(at: .milliseconds(step * 100))
        #expect(animator.currentFrameIndex == next)
    }

    @Test func `players of one image share its frames`() async throws {
        let frames = CountedFrames(4)
        let image = try frames.image()
        let first = try animator(image)
        _ = await ready.wait { $0 >= 4 }
        let second = try #require(ImageAnimator(image.kf.scaled(to: 2)))
        #expect(second.decodedFrameCount == 4)
        for index in 0..<4 {
            let (one, other) = (try first.frame(at: index)?.bitmap(), try second.frame(at: index)?.bitmap())
            #expect(one != nil && one === other)
        }
        #expect(frames.asked == [0, 0, 1, 2, 3], "the first was the image's own")
    }

    @Test func `a player that comes later hears of the frames that are there`() async throws {
        let image = try CountedFrames(4).image()
        let first = try animator(image)
        _ = await ready.wait { $0 >= 4 }
        let heard = Recorder<Int>()
        let second = try #require(ImageAnimator(image) { heard.append($0) })
        #expect(Set(await heard.waitFor(count: 4)) == [0, 1, 2, 3])
        withExtendedLifetime((first, second)) {}
    }

    @Test func `a player frees the frames that no other player of the image needs`() async throws {
        let budget = FrameBudget(bytes: 1 << 20)
        let image = try CountedFrames(4).image()
        var first: ImageAnimator? = try animator(image, budget: budget)
        let second = try animator(image, count: 2, budget: budget)
        _ = await ready.wait { _ in budget.usedBytes == 4 * 16 }
        first?.purgeFrames(keepCurrentFrame: false)
        #expect(budget.usedBytes == 2 * 16 && second.decodedFrameCount == 2)
        first = nil
        #expect(budget.usedBytes == 2 * 16)
        second.purgeFrames(keepCurrentFrame: false)
        #expect(budget.usedBytes == 0)
    }

    @Test func `a player keeps all frames if they take no more than one of full size`() async throws {
        let frames = CountedFrames(4)
        let image = try frames.image()
        let player = try animator(image, count: 2, maxSize: CGSize(width: 1, height: 1))
        _ = await ready.wait { $0 >= 4 }
        #expect(player.maxFrameCount == 4 && player.decodedFrameCount == 4)
        for step in 0..<8 { player.update(at: .milliseconds(step * 100)) }
        #expect(frames.asked == [0, 0, 1, 2, 3])
        #expect(try animator(image, count: 2).maxFrameCount == 2)
    }

    @Test
    func `players keep no decoder once all frames are decoded, and count no freed frame`() async throws {
        let budget = FrameBudget(bytes: 1 << 20)
        let frames = CopiedFrames()
        let image = try #require(
            KingfisherWrapper<Image>.animatedImage(source: frames, options: ImageCreatingOptions()))
        let copies = frames.copies.value
        var player: ImageAnimator? = try animator(image, budget: budget)
        _ = await ready.wait { $0 >= 4 }
        // The one from which decoders are made.
        _ = await frames.copies.wait { $0 == copies + 1 }
        player?.purgeFrames(keepCurrentFrame: false)
        #expect(budget.usedBytes == 0)
        player?.prepareFrames()
        _ = await ready.wait { $0 >= 8 }
        #expect(player?.decodedFrameCount == 4)
        player = nil
        _ = await frames.copies.wait { $0 == copies }
        #expect(budget.usedBytes == 0)
    }

    @Test func `players at two ends of an animation don't make each other start over`() async throws {
        let frames = ForwardFrames(200)
        let image = try frames.image()
        let first = try animator(image)
        await step(first, 0, to: 0)
        for index in 1..<100 { await step(first, index, to: index) }
        let second = try animator(image)
        await step(second, 0, to: 0)
        for index in 1..<50 {
            await step(first, 99 + index, to: 99 + index)
            await step(second, index, to: index)
        }
        // 1 for the image itself, 154 for the first player, 55 for the second, and 200 if it had to start over once.
        #expect(frames.decoded.value <= 1 + 154 + 55)
    }

    @Test func `playing backward decodes earlier frames only once for each run of frames`() async throws {
        let frames = ForwardFrames(60)
        let animator = try animator(try frames.image(), count: 10)
        await step(animator, 0, to: 0)
        animator.playbackRate = -1
        animator.update(at: .zero)
        // The last frame may have been decoded before that update.
        await step(animator, 0, to: 59)
        for index in 1..<60 { await step(animator, index, to: 59 - index) }
        // Runs of five and more: at most twelve decodings of the whole.
        #expect(frames.decoded.value <= 12 * 60)
    }

    @Test func `players keep to the budget together, and to two frames each beyond it`() async throws {
        let budget = FrameBudget(bytes: 12 * 16)
        let players = try (0..<4).map { _ in
            try animator(try ForwardFrames(40).image(), count: 10, budget: budget)
        }
        for index in 0..<20 {
            for player in players { await step(player, index, to: index) }
            // Each may add a frame before it knows of the others'.
            #expect(budget.usedBytes <= (12 + 4) * 16)
        }
        budget.bytes = 16
        // One more each, if it was being decoded.
        #expect(players.map(\.decodedFrameCount).filter { $0 > 3 } == [])
        for index in 20..<30 {
            for player in players { await step(player, index, to: index) }
            // Each has its two frames, and one that it is about to free.
            #expect(budget.usedBytes <= 4 * 3 * 16)
        }
    }

    @Test func `players are down to two frames each while memory is short`() async throws {
        // Time stands still, so that memory is short until the test says otherwise.
        let start = ContinuousClock.now
        let budget = FrameBudget(bytes: 1 << 20, now: { start })
        let players = try (0..<3).map { _ in
            try animator(try ForwardFrames(40).image(), count: 10, budget: budget)
        }
        for player in players { await step(player, 0, to: 0) }
        // A frame is counted before its bytes are.
        _ = await ready.wait { _ in
            budget.usedBytes == 3 * 10 * 16 && players.allSatisfy { $0.decodedFrameCount == 10 }
        }
        MemoryPressureMonitor.relieve(.warning, [], budget)
        #expect(budget.usedBytes == 3 * 2 * 16 && players.map(\.decodedFrameCount) == [2, 2, 2])
        for index in 1..<5 {
            for player in players { await step(player, index, to: index) }
            #expect(budget.usedBytes <= 3 * 3 * 16)
        }
        // Pressure is over: frames are decoded ahead again.
        budget.relieve(for: .zero)
        for player in players { await step(player, 5, to: 5) }
        _ = await ready.wait { _ in players.allSatisfy { $0.decodedFrameCount == 10 } }
    }
}
