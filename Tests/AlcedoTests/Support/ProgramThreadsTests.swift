import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import AlcedoLocks

@Suite(.timeLimit(.minutes(10)))
struct `Threads for the program's code` {
    private let gate = Gate()
    private let seen = Recorder<String>()

    private func submit(_ name: String, _ priority: Float = 0.5, to threads: ProgramThreads) {
        threads.async(priority: priority) { [seen] in seen.append(name) }
    }

    @Test func `threads for the program's code grow in number while code blocks`() async {
        let threads = ProgramThreads("test")
        let count = min(3 * threads.initial, threads.limit)
        for _ in 0..<count { threads.async { [gate] in gate.wait() } }
        await gate.waitForArrivals(count)
        #expect(threads.threadCount >= count)
        gate.open()
    }

    @Test func `threads for the program's code do not grow in number while code computes`() async {
        let checks = CallCounter()
        let check = ProgramThreads.Check(mostWhileComputing: .max) { _ in
            checks.increment()
            return true
        }
        let threads = ProgramThreads("test", check: check)
        let count = threads.initial
        for _ in 0..<count { threads.async { [gate] in gate.wait() } }
        await gate.waitForArrivals(count)
        for index in 0..<10 { submit("\(index)", to: threads) }
        await checks.waitFor(5 * count)
        #expect(threads.threadCount == count && seen.count == 0)
        gate.open()
        await seen.waitFor(count: 10)
    }

    @Test
    func `threads for the program's code grow in number if the system can't tell what computes`() async {
        let threads = ProgramThreads("test", check: ProgramThreads.Check { _ in true })
        let count = threads.initial + 1
        for _ in 0..<count { threads.async { [gate] in gate.wait() } }
        await gate.waitForArrivals(count)
        gate.open()
    }

    @Test func `threads for the program's code keep to their limit, and then run what is queued`() async {
        let threads = ProgramThreads("test", limit: 3)
        for _ in 0..<3 { threads.async { [gate] in gate.wait() } }
        await gate.waitForArrivals(3)
        for index in 0..<100 { submit("\(index)", to: threads) }
        #expect(threads.threadCount == 3 && seen.count == 0)
        gate.open()
        await seen.waitFor(count: 100)
        #expect(threads.threadCount <= 3)
    }

    @Test func `threads for the program's code end when they have nothing to do, and come back`() async {
        let threads = ProgramThreads("test", idleSeconds: 0)
        for round in 1...3 {
            for _ in 0..<20 { submit("a", to: threads) }
            await seen.waitFor(count: 20 * round)
            while threads.threadCount > 0, !Task.isCancelled { await Task.yield() }
        }
    }

    @Test
    func `threads for the program's code take the highest priority first, then what came first`() async {
        let threads = ProgramThreads("test", limit: 1)
        threads.async { [gate] in gate.wait() }
        await gate.waitForArrivals(1)
        submit("a", to: threads)
        submit("low", 0.1, to: threads)
        submit("b", to: threads)
        submit("high", 0.9, to: threads)
        gate.open()
        #expect(await seen.waitFor(count: 4) == ["high", "a", "b", "low"])
    }

    @Test func `threads for the program's code run tasks and their children by priority`() async {
        let threads = ProgramThreads("test", limit: 1)
        threads.async { [gate] in gate.wait() }
        await gate.waitForArrivals(1)
        for (name, priority) in [("low", TaskPriority.background), ("high", .high)] {
            Task(executorPreference: threads, priority: priority) { [seen] in
                await withTaskGroup { group in
                    group.addTask { seen.append("\(name) on \(Self.thread)") }
                }
                seen.append("\(name) on \(Self.thread) again")
            }
        }
        gate.open()
        let expected = ["high", "low"].flatMap { ["\($0) on test-1", "\($0) on test-1 again"] }
        #expect(await seen.waitFor(count: 4) == expected)
    }

    private static var thread: String { Thread.current.name ?? "" }

    @Test func `worker threads run the program's code if the system starts no threads for it`() async {
        let threads = ProgramThreads("test") { _, _ in EAGAIN }
        let start: @Sendable () -> Void = { [seen] in
            seen.append(String(Self.thread.prefix(10)))
            Task(executorPreference: threads) { seen.append(String(Self.thread.prefix(10))) }
        }
        for _ in 0..<10 { threads.async(start) }
        #expect(await seen.waitFor(count: 20) == Array(repeating: "alcedo-cpu", count: 20))
    }

    @Test func `threads for the program's code that the system does not start are tried again`() async {
        let tries = Lock(0)
        let threads = ProgramThreads("test") { name, body in
            let number = tries.withLock { tries in
                tries += 1
                return tries
            }
            return number > 1 && number < 5 ? EAGAIN : DetachedThread.start(name, body)
        }
        let count = min(3 * threads.initial, threads.limit)
        for _ in 0..<count { threads.async { [gate] in gate.wait() } }
        await gate.waitForArrivals(count)
        gate.open()
    }
}
