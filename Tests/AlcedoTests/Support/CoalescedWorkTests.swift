import AlcedoTestSupport
import Testing

@testable import Alcedo
@testable import AlcedoLocks
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `Coalesced work` {
    private typealias Work = CoalescedWork<String, Int>

    private let pool: WorkerPool
    private let work: Work
    private let values = Recorder<Int>()

    init() {
        pool = WorkerPool(threads: 1, name: "test")
        work = CoalescedWork(pool: pool)
    }

    private func caller(_ priority: Float = 0.5, isCurrent: (@Sendable () -> Bool)? = nil) -> Work.Caller {
        Work.Caller(priority: priority, isCurrent: isCurrent) { [values] in values.append($0) }
    }

    private func join(_ key: String, for caller: Work.Caller, _ start: (Work.Run) -> Void) {
        let (run, isNew) = work.join(key, for: caller)
        if isNew { start(run) }
    }

    private func finish(_ run: Work.Run?, _ value: Int) { run?.finish(value) { _, call in call() } }

    @Test func `coalesced work runs once for all that come before its end, and again for later ones`() {
        var runs: [Work.Run] = []
        for _ in 0..<3 { join("a", for: caller()) { runs.append($0) } }
        join("b", for: caller()) { runs.append($0) }
        #expect(runs.count == 2)
        finish(runs.first, 1)
        #expect(values.values == [1, 1, 1])
        join("a", for: caller()) { runs.append($0) }
        #expect(runs.count == 3)
        finish(runs.last, 2)
        finish(runs[1], 3)
        #expect(values.values == [1, 1, 1, 2, 3])
    }

    @Test func `coalesced work goes on as long as a caller needs it; later callers start it anew`() {
        let isFirstCurrent = Lock(true)
        let isSecondCurrent = Lock(true)
        var runs: [Work.Run] = []
        join("a", for: caller { isFirstCurrent.withLock { $0 } }) { runs.append($0) }
        join("a", for: caller { isSecondCurrent.withLock { $0 } }) { runs.append($0) }
        isFirstCurrent.withLock { $0 = false }
        #expect(runs.first?.isNeeded() == true)
        isSecondCurrent.withLock { $0 = false }
        #expect(runs.first?.isNeeded() == false)
        join("a", for: caller()) { runs.append($0) }
        #expect(runs.count == 2 && runs.last?.isNeeded() == true)
        // The end of the first must not end the second.
        finish(runs.first, 0)
        join("a", for: caller()) { runs.append($0) }
        #expect(runs.count == 2)
        finish(runs.last, 1)
        #expect(values.values == [0, 0, 1, 1])
    }

    @Test func `coalesced work is not joined by a caller that comes when nobody needs it`() {
        let isCurrent = Lock(true)
        var runs: [Work.Run] = []
        join("a", for: caller { isCurrent.withLock { $0 } }) { runs.append($0) }
        isCurrent.withLock { $0 = false }
        // The work may hang.
        join("a", for: caller()) { runs.append($0) }
        #expect(runs.count == 2)
        finish(runs.last, 2)
        #expect(values.values == [2])
        finish(runs.first, 1)
        #expect(values.values == [2, 1])
    }

    @Test func `coalesced work has the highest priority of its callers`() async {
        let gate = Gate()
        let order = Recorder<String>()
        pool.submit { gate.wait() }
        await gate.waitForArrivals(1)
        join("a", for: caller(0.2)) { run in
            run.submit {
                order.append("work")
                run.finish(1) { _, call in call() }
            }
        }
        pool.submit(priority: 0.5) { order.append("other") }
        join("a", for: caller(0.9)) { _ in Issue.record("it runs already") }
        join("a", for: caller(0.1)) { _ in Issue.record("it runs already") }
        gate.open()
        #expect(await order.waitFor(count: 2) == ["work", "other"])
        #expect(await values.waitFor(count: 3) == [1, 1, 1])
    }

    @Test func `coalesced work that is dropped drops its callers`() {
        let released = CallCounter()
        var run: Work.Run?
        let token = Work.Caller { [token = ReleaseToken(released)] _ in withExtendedLifetime(token) {} }
        join("a", for: consume token) { run = $0 }
        join("a", for: caller()) { _ in Issue.record("it runs already") }
        #expect(run != nil && released.value == 0)
        run = nil
        #expect(released.value == 1)
        var starts = 0
        join("a", for: caller()) { _ in starts += 1 }
        #expect(starts == 1 && values.count == 0)
    }
}
