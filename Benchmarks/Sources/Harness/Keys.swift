import Dispatch
import Foundation

/// Keys as a loader has them: URLs, all of the same length.
public func keys(_ numbers: some Sequence<Int>) -> [String] {
    numbers.map { index in
        let digits = "\(index)"
        let zeros = String(repeating: "0", count: max(0, 5 - digits.count))
        return "https://example.com/images/\(zeros)\(digits).jpeg"
    }
}

/// Whole numbers in an order that no processor foresees; the same every time.
public func shuffled(_ count: Int, seed: UInt64 = 1) -> [Int] {
    var generator = Generator(state: seed)
    return Array(0..<count).shuffled(using: &generator)
}

private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Runs `body` once on each of so many threads, told which, and returns the seconds until all are done.
public func time(onThreads count: Int, _ body: @escaping @Sendable (Int) -> Void) -> Double {
    let (ready, finished) = (Countdown(count), Countdown(count))
    let start = DispatchSemaphore(value: 0)
    for index in 0..<count {
        Thread.detachNewThread {
            ready.countDown()
            start.wait()
            body(index)
            finished.countDown()
        }
    }
    ready.wait()
    let begin = now()
    for _ in 0..<count { start.signal() }
    finished.wait()
    return now() - begin
}
