import AlcedoLocks
import Dispatch
import Testing

struct `A lock` {
    private struct Refusal: Error, Equatable {}

    /// Under the thread sanitizer this also shows that it sees the value change hands.
    @Test func `a lock lets one thread at a time in`() {
        let numbers = Lock<[Int]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<2000 { numbers.withLock { $0.append(thread * 2000 + number) } }
        }
        #expect(numbers.withLock { $0.sorted() } == Array(0..<8000))
    }

    @Test func `a lock is free again after an error`() {
        let value = Lock(1)
        #expect(throws: Refusal()) {
            try value.withLock { value throws(Refusal) in
                value = 2
                throw Refusal()
            }
        }
        #expect(value.withLock { $0 } == 2)
    }
}
