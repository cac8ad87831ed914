import AlcedoLocks
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

/// Frames of which one fails a number of times, as if its worker process had died.
private final class FailingFrames: ThrowingFrameSource {
    let frameCount = 4
    let data: Data? = nil
    let error: CodecError
    private let failures: Lock<Int>
    let attempts = CallCounter()

    init(failures: Int, error: CodecError = .timeLimitExceeded(seconds: 1)) {
        self.failures = Lock(failures)
        self.error = error
    }

    func decodedFrame(at index: Int, maxSize: CGSize?) throws(CodecError) -> Bitmap? {
        if index == 2 {
            attempts.increment()
            let fails = failures.withLock { count in
                count -= 1
                return count >= 0
            }
            if fails { throw error }
        }
        var pixels = try PixelBuilder(size: PixelSize(width: 2, height: 2), alpha: .opaque)
        pixels.withUnsafeMutableBytes { bytes in for offset in bytes.indices { bytes[offset] = 255 } }
        return pixels.freeze()
    }

    func frame(at index: Int, maxSize: CGSize?) -> CGImage? { try? decodedFrame(at: index, maxSize: maxSize) }

    func duration(at index: Int) -> TimeInterval { 0.1 }
}

@Suite(.timeLimit(.minutes(10)))
struct `A frame that fails to decode although it is not damaged` {
    private let heard = Recorder<Int>()

    private func window(_ source: FailingFrames, delays: Int) -> (pool: FramePool, window: FrameWindow) {
        let pool = FramePool(
            source, maxSize: nil, frameBytes: 16, budget: FrameBudget(bytes: 1 << 20),
            retryDelays: [Duration](repeating: .milliseconds(1), count: delays))
        let heard = heard
        let window = FrameWindow(pool, capacity: 4) { heard.append($0) }
        window.move(to: 0)
        return (pool, window)
    }

    @Test(arguments: [
        CodecError.timeLimitExceeded(seconds: 1), .outOfMemory(byteCount: 1),
        .sandboxFailed(.gif, .died(signal: 9)),
    ])
    func `an intact frame that failed to decode is decoded again`(_ error: CodecError) async {
        let source = FailingFrames(failures: 3, error: error)
        let (pool, window) = window(source, delays: 3)
        #expect(await heard.waitFor(count: 4) == [0, 1, 2, 3])
        #expect(pool.count == 4 && window.decodedCount == 4 && source.attempts.value == 4)
    }

    @Test func `an intact frame that keeps failing ends the animation until it is shown anew`() async {
        let source = FailingFrames(failures: 2)
        let (pool, window) = window(source, delays: 1)
        #expect(await heard.waitFor(count: 3) == [0, 1, 2])
        #expect(pool.count == 2 && window.decodedCount == 2)
        window.close(keepingCurrent: false)
        window.move(to: 0)
        await heard.waitFor(count: 7)
        #expect(pool.count == 4 && window.decodedCount == 4)
    }

    @Test func `an intact frame that failed to decode is decoded for a player that comes later`() async {
        let source = FailingFrames(failures: 1)
        let (pool, first) = window(source, delays: 0)
        await heard.waitFor(count: 3)
        #expect(pool.count == 2)
        let later = Recorder<Int>()
        let second = FrameWindow(pool, capacity: 4) { later.append($0) }
        second.move(to: 0)
        #expect(await later.waitFor(count: 4).sorted() == [0, 1, 2, 3])
        #expect(pool.count == 4)
        withExtendedLifetime(first) {}
    }

    @Test func `a frame that fails to decode because it is damaged is not tried again`() async {
        let source = FailingFrames(failures: .max, error: .corrupt(.gif, reason: "test"))
        let (pool, window) = window(source, delays: 3)
        #expect(await heard.waitFor(count: 3) == [0, 1, 2])
        #expect(pool.count == 2 && source.attempts.value == 1)
        window.close(keepingCurrent: false)
        window.move(to: 0)
        await heard.waitFor(count: 5)
        #expect(pool.count == 2)
    }
}
