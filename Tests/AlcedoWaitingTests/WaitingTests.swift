import AlcedoTestSupport
import Dispatch
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `A gate` {
    let gate = Gate()
    let passed = CallCounter()

    @Test func `a gate holds tasks until it opens`() async {
        await withTaskGroup { group in
            for _ in 0..<10 {
                group.addTask {
                    await gate.pass()
                    passed.increment()
                }
            }
            await gate.waitForArrivals(10)
            #expect(passed.value == 0)
            gate.open()
        }
        #expect(passed.value == 10)
        await gate.pass()
    }

    @Test func `a gate lets through as many tasks as it admits`() async {
        await withTaskGroup { group in
            for _ in 0..<3 {
                group.addTask {
                    await gate.pass()
                    passed.increment()
                }
            }
            await gate.waitForArrivals(3)
            gate.admit(2)
            await passed.waitFor(2)
            #expect(passed.value == 2)
            gate.admit()
        }
    }

    @Test func `a gate keeps what it admits for tasks that come later`() async {
        gate.admit()
        await gate.pass()
    }

    @Test func `a gate holds tasks again once it is closed`() async {
        gate.open()
        await gate.pass()
        gate.close()
        let task = Task { await gate.pass() }
        await gate.waitForArrivals(2)
        gate.admit()
        await task.value
    }

    @Test func `a gate lets a cancelled task go`() async {
        let task = Task { await gate.pass() }
        await gate.waitForArrivals(1)
        task.cancel()
        await task.value
        #expect(gate.arrivals == 1)
    }

    @Test func `a gate holds threads too`() async {
        DispatchQueue(label: "thread").async {
            gate.wait()
            passed.increment()
        }
        await gate.waitForArrivals(1)
        #expect(passed.value == 0)
        gate.open()
        await passed.waitFor(1)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `A counter and a recorder` {
    @Test func `a counter and a recorder count from many threads`() async {
        let (counter, recorder) = (CallCounter(), Recorder<Int>())
        DispatchQueue.concurrentPerform(iterations: 100) { index in
            counter.increment(by: 2)
            recorder.append(index)
        }
        await counter.waitFor(200)
        #expect(await recorder.waitFor(count: 100).sorted() == Array(0..<100))
        #expect(counter.value == 200)
        #expect(recorder.count == 100)
    }

    @Test func `a recorder wakes each waiting task at its number of values`() async {
        let recorder = Recorder<String>()
        async let one = recorder.waitFor(count: 1)
        async let two = recorder.waitFor(count: 2)
        recorder.append("a")
        #expect(await one.first == "a")
        recorder.append("b")
        #expect(await two == ["a", "b"])
    }

    @Test func `a recorder lets a cancelled task go`() async {
        let recorder = Recorder<Int>()
        let task = Task { await recorder.waitFor(count: 1) }
        task.cancel()
        #expect(await task.value.isEmpty)
    }

    @Test func `a recorder throws if its task is cancelled before there are enough values`() async throws {
        let recorder = Recorder<Int>()
        recorder.append(1)
        #expect(try await recorder.values(atLeast: 1) == [1])
        let task = Task { try await recorder.values(atLeast: 2) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `A manual clock` {
    let clock = ManualClock()

    @Test func `a manual clock stands still until it is advanced`() async throws {
        let start = clock.now
        async let slept: Void = clock.sleep(for: .seconds(10))
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(9))
        #expect(clock.sleepers == 1)
        clock.advance(by: .seconds(1))
        try await slept
        #expect(start.duration(to: clock.now) == .seconds(10))
        #expect(clock.sleepers == 0)
    }

    @Test func `a manual clock wakes only sleepers whose time has come`() async throws {
        let woken = Recorder<Int>()
        try await withThrowingTaskGroup { group in
            for seconds in [3, 1, 2] {
                group.addTask {
                    try await clock.sleep(for: .seconds(seconds))
                    woken.append(seconds)
                }
            }
            await clock.waitForSleepers(3)
            for count in 1...3 {
                clock.advance(by: .seconds(1))
                #expect(await woken.waitFor(count: count) == Array(1...count))
            }
            try await group.waitForAll()
        }
    }

    @Test func `a manual clock does not hold a sleep that is over already`() async throws {
        try await clock.sleep(until: clock.now)
    }

    @Test func `a manual clock throws to a cancelled sleeper`() async {
        let task = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.waitForSleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleepers == 0)
    }
}
