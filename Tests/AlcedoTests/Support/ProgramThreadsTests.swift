import AlcedoLocks
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

@Suite(.timeLimit(.minutes(10)))
struct `Threads for the program's code` {
    private let gate = Gate()
    private let seen = Recorder<String>()

    private func submit(_ name: String, _ priority: Float = 0.5, to threads: ProgramThreads) {
        threads.async(priority: priority) { [seen] in seen.append(name) }
    }

    @Test func `grow in number while code blocks`() async {
        let threads = ProgramThreads("test")
        let count = 3 * ProcessInfo.processInfo.activeProcessorCount
        for _ in 0..<count { threads.async { [gate] in gate.wait() } }
        await gate.waitForArrivals(count)
        #expect(threads.threadCount >= count)
        gate.open()
    }

    @Test func `grow no further than their limit, and then run what waits`() async {
        let threads = ProgramThreads("test", limit: 3)
        for _ in 0..<3 { threads.async { [gate] in gate.wait() } }
        await gate.waitForArrivals(3)
        for index in 0..<100 { submit("\(index)", to: threads) }
        #expect(threads.threadCount == 3 && seen.count == 0)
        gate.open()
        await seen.waitFor(count: 100)
        #expect(threads.threadCount <= 3)
    }

    @Test func `end when they have nothing to do, and come back`() async {
        let threads = ProgramThreads("test", idleSeconds: 0)
        for round in 1...3 {
            for _ in 0..<20 { submit("a", to: threads) }
            await seen.waitFor(count: 20 * round)
            while threads.threadCount > 0, !Task.isCancelled { await Task.yield() }
        }
    }

    @Test func `take the highest priority first, then what came first`() async {
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

    @Test func `run tasks and their children by priority`() async {
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

    @Test(arguments: [0, 1]) func `that the system does not start are tried again`(limit: Int) async {
        let tries = Lock(0)
        let threads = ProgramThreads("test") { name, body in
            let number = tries.withLock { tries in
                tries += 1
                return tries
            }
            return number > limit && number < limit + 4 ? EAGAIN : DetachedThread.start(name, body)
        }
        let count = 3 * ProcessInfo.processInfo.activeProcessorCount
        for _ in 0..<count { threads.async { [gate] in gate.wait() } }
        await gate.waitForArrivals(count)
        gate.open()
    }
}
