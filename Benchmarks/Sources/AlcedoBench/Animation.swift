import Alcedo
import Foundation
import Harness
import Synchronization

/// `kind=first`: bytes to the first frame; `kind=play`: processor time for each second of the animation, played once.
///
/// `frames` is the most memory that it took, in frames of this size.
func gif(_ arguments: Arguments) throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: arguments("input")))
    let before = peakMemory()
    if arguments("kind") == "first" {
        let seconds = try time { _ = try Image(decoding: data).bitmap() }
        return report([seconds])
    }
    let image = try Image(decoding: data)
    let start = processorTime()
    let shown = Atomic(0)
    let finished = Countdown(1)
    guard let animator = ImageAnimator(image, repeatCount: .once) else { fail("not animated") }
    Task.detached {
        try? await animator.play(by: HastyClock()) { _ in shown.add(1, ordering: .relaxed) }
        finished.countDown()
    }
    finished.wait()
    let frames = shown.load(ordering: .relaxed)
    guard frames == animator.frameCount else { fail("\(frames) of \(animator.frameCount) frames shown") }
    let seconds = (processorTime() - start) / image.duration
    let frameBytes = Double(image.pixelSize.area * 4)
    report([seconds], ["frames": Double(peakMemory() - before) / frameBytes])
}

/// A clock on which nobody waits: sleeping makes it later at once.
private final class HastyClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let time = Mutex(Instant(offset: .zero))

    var now: Instant { time.withLock { $0 } }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        time.withLock { $0 = max($0, deadline) }
    }
}
