import AlcedoTestSupport
import Dispatch
import Foundation
import Testing

@testable import Alcedo
@testable import AlcedoLocks

@Suite(.timeLimit(.minutes(10)))
struct `Worker threads` {
    private let pool = WorkerPool(threads: 1, name: "test")
    private let gate = Gate()
    private let seen = Recorder<String>()

    /// Has the only thread wait at the gate.
    private func occupy() async {
        pool.submit { [gate] in gate.wait() }
        await gate.waitForArrivals(1)
    }

    @discardableResult
    private func submit(_ name: String, _ priority: Float = 0.5) -> WorkerPool.Ticket {
        pool.submit(priority: priority) { [seen] in seen.append(name) }
    }

    @Test func `worker threads take the highest priority first, then what came first`() async {
        await occupy()
        submit("a")
        submit("low", 0.1)
        submit("b")
        submit("high", 0.9)
        submit("none", .nan)
        gate.open()
        #expect(await seen.waitFor(count: 5) == ["high", "a", "b", "low", "none"])
    }

    @Test func `worker threads follow a priority that changes`() async {
        await occupy()
        let (a, b) = (submit("a"), submit("b"))
        submit("c")
        pool.reorder(b, priority: 0.9)
        pool.reorder(a, priority: 0.1)
        gate.open()
        #expect(await seen.waitFor(count: 3) == ["b", "c", "a"])
        pool.reorder(a, priority: 1)
        submit("d")
        await seen.waitFor(count: 4)
    }

    @Test func `worker threads run thousands of blocks in order`() async {
        await occupy()
        for index in 0..<3_000 { submit("\(index)") }
        gate.open()
        #expect(await seen.waitFor(count: 3_000) == (0..<3_000).map { "\($0)" })
    }

    /// As `pthread_create` fails with at most so many threads.
    @Test(arguments: [0, 1])
    func `worker threads that the system does not start are tried again with a block`(limit: Int) async {
        let counts = Lock((started: 0, limit: limit))
        let pool = WorkerPool(threads: 3, name: "test") { name, body in
            let mayStart = counts.withLock { counts in
                guard counts.started < counts.limit else { return false }
                counts.started += 1
                return true
            }
            return mayStart ? DetachedThread.start(name, body) : EAGAIN
        }
        pool.submit { [seen] in seen.append("first") }
        #expect(pool.startThreads() == (limit == 0 ? EAGAIN : 0))
        #expect(counts.withLock { $0.started } == limit)
        counts.withLock { $0.limit = 5 }
        // All three at a time, so that none of them has several.
        for _ in 0..<3 { pool.submit { [gate] in gate.wait() } }
        await gate.waitForArrivals(3)
        gate.open()
        #expect(await seen.waitFor(count: 1) == ["first"])
        #expect(counts.withLock { $0.started } == 3)
    }

    @Test func `worker threads are missing in a copy that fork has made, which reports that`() {
        #expect(ForkedCopy.result { pool.startThreads() } == EDEADLK)
        #expect(ForkedCopy.result { DetachedThread.start("test") {} } == EDEADLK)
        #expect(pool.startThreads() == 0)
    }

    @Test func `worker threads take none of the program's signals`() async {
        let blocked = Recorder<Bool>()
        pool.submit {
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            blocked.append(sigismember(&mask, SIGTERM) == 1 && sigismember(&mask, SIGSEGV) == 0)
        }
        #expect(await blocked.waitFor(count: 1) == [true])
    }

    @Test func `worker threads yield to other threads once told to`() async {
        let niceness = Recorder<Int32>()
        let record = { @Sendable in
            niceness.append(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0))
        }
        pool.submit(record)
        let before = await niceness.waitFor(count: 1)[0]
        pool.yieldToOthers()
        pool.submit(record)
        pool.submit(record)
        // 19 is the lowest priority.
        let after = min(before + 5, 19)
        #expect(await niceness.waitFor(count: 3) == [before, after, after])
    }
}
