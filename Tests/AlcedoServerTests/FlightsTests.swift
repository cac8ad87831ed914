import AlcedoTestSupport
import Testing

@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10)))
struct `Running work` {
    private let flights = Flights<Int>()
    private let gate = Gate()
    private let starts = Monitor(0)

    private func ask(_ key: String, within time: Duration = .seconds(600)) async -> Flights<Int>.End {
        await flights.outcome(forKey: key, until: .now + time) { [gate, starts] in
            let number = starts.update { count in
                count += 1
                return count
            }
            await gate.pass()
            return Task.isCancelled ? -1 : number
        }
    }

    @Test(.timeLimit(.minutes(10))) func `running work is shared by key`() async {
        async let first = ask("a")
        async let second = ask("a")
        async let other = ask("b")
        await starts.wait { $0 == 2 }
        while flights.waiterCount < 3, !Task.isCancelled { await Task.yield() }
        gate.open()
        let ends = await [first, second, other].map(\.value)
        #expect(ends[0] == ends[1] && ends[0] != ends[2])
        #expect(flights.count == 0)
    }

    @Test(.timeLimit(.minutes(10))) func `running work continues for callers that still wait`() async {
        let leaving = Task { await ask("a") }
        await starts.wait { $0 == 1 }
        let staying = Task { await ask("a") }
        while flights.waiterCount < 2, !Task.isCancelled { await Task.yield() }
        leaving.cancel()
        #expect(await leaving.value.isCancelled)
        gate.open()
        #expect(await staying.value.value == 1)
    }

    @Test func `running work is cancelled when nobody waits, and then starts again`() async {
        let leaving = Task { await ask("a") }
        await starts.wait { $0 == 1 }
        leaving.cancel()
        #expect(await leaving.value.isCancelled)
        #expect(flights.count == 0)
        async let next = ask("a")
        await starts.wait { $0 == 2 }
        gate.open()
        #expect(await next.value == 2)
    }

    @Test func `running work is not waited for longer than a deadline`() async {
        let end = await ask("a", within: .milliseconds(20))
        #expect(end.isTimedOut)
        #expect(await ask("b", within: .seconds(-1)).isTimedOut)
        gate.open()
    }

    @Test func `work does not start for a cancelled task`() async {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await ask("a")
        }
        #expect(await task.value.isCancelled)
        #expect(starts.read { $0 } == 0)
    }
}

extension Flights.End {
    fileprivate var value: Outcome? { if case .finished(let value) = self { value } else { nil } }
    fileprivate var isCancelled: Bool { if case .cancelled = self { true } else { false } }
    fileprivate var isTimedOut: Bool { if case .timedOut = self { true } else { false } }
}
