import AlcedoTestSupport
import AlcedoWaiting
import Testing

@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10))) struct `Admission of work` {
    private func waitForQueue(_ admission: Admission, _ count: Int) async {
        while admission.waiting < count, !Task.isCancelled { await Task.yield() }
    }

    @Test func `admission is in order, and never exceeds the number of places`() async {
        let admission = Admission(places: 1, queueSize: 0)
        let callers = Callers(admission)
        let order = Recorder<Int>()
        #expect(await callers.enter() == nil)
        await withTaskGroup { group in
            for number in 0..<5 {
                group.addTask {
                    guard await callers.enter() == nil else { return }
                    order.append(number)
                    #expect(admission.running == 1)
                    callers.leave()
                }
                await waitForQueue(admission, number + 1)
            }
            callers.leave()
        }
        #expect(order.values == [0, 1, 2, 3, 4])
        #expect((admission.running, admission.waiting) == (0, 0))
    }

    @Test func `admission rejects at once when the queue is full`() async {
        let admission = Admission(places: 1, queueSize: 1)
        let callers = Callers(admission)
        #expect(await callers.enter() == nil)
        async let waiting = callers.enter()
        await waitForQueue(admission, 1)
        #expect(await callers.enter() == .queueFull)
        callers.leave()
        #expect(await waiting == nil)
        callers.leave()
        #expect(admission.running == 0)
    }

    private func enter(_ callers: Callers, _ origins: [String?]) async {
        for origin in origins { #expect(await callers.enter(origin) == nil) }
    }

    @Test func `admission leaves places to others when an origin has many`() async {
        let admission = Admission(places: 4, queueSize: 0)
        let callers = Callers(admission)
        await enter(callers, ["slow", "slow"])
        let slow = Task { await callers.enter("slow") }
        await waitForQueue(admission, 1)
        await enter(callers, ["other", nil])
        let other = Task { await callers.enter("other") }
        await waitForQueue(admission, 2)
        callers.leave()
        // One place is free, and both have at least one.
        #expect((admission.running, admission.waiting) == (3, 2))
        callers.leave("slow")
        #expect(await slow.value == nil)
        #expect((admission.running, admission.waiting) == (3, 1))
        callers.leave("slow")
        #expect(await other.value == nil)
        callers.leaveAll()
        await enter(callers, ["slow", "slow"])
        #expect((admission.running, admission.waiting) == (2, 0))
    }

    @Test func `admission admits all that may have a place when one is freed`() async {
        let admission = Admission(places: 6, queueSize: 0)
        let callers = Callers(admission)
        await enter(callers, ["a", "a", "b", "b"])
        let third = Task { await callers.enter("b") }
        await waitForQueue(admission, 1)
        let fourth = Task { await callers.enter("a") }
        await waitForQueue(admission, 2)
        callers.leave("a")
        #expect(await [third.value, fourth.value] == [nil, nil])
        #expect((admission.running, admission.waiting) == (5, 0))
    }

    @Test func `admission drops the last waiter of the origin with the most from a full queue`() async {
        let admission = Admission(places: 1, queueSize: 3)
        let callers = Callers(admission)
        await enter(callers, [nil])
        var waits: [Task<Admission.Rejection?, Never>] = []
        for number in 1...3 {
            waits.append(Task { await callers.enter("slow") })
            await waitForQueue(admission, number)
        }
        #expect(await callers.enter("slow") == .queueFull)
        let others = ["a", "b"].map { origin in Task { await callers.enter(origin) } }
        #expect(await [waits[1].value, waits[2].value] == [.queueFull, .queueFull])
        await waitForQueue(admission, 3)
        #expect(await callers.enter("c") == .queueFull)
        callers.leave()
        #expect(await waits[0].value == nil)
        callers.leave("slow")
        for other in others { other.cancel() }
        for other in others { _ = await other.value }
        callers.leaveAll()
    }

    @Test func `admission of the local root leaves a place to another folder`() async {
        let admission = Admission(places: 8, queueSize: 3)
        let callers = Callers(admission)
        await enter(callers, ["local:///a/", "local:///a/", "local:///a/"])
        let waits = [1, 2].map { number in
            Task {
                await waitForQueue(admission, number - 1)
                return await callers.enter("local:///a/")
            }
        }
        await waitForQueue(admission, 2)
        // All of them leave half to others.
        await enter(callers, ["local:///b/", "host", "host"])
        let full = Task { await callers.enter("local:///b/") }
        await waitForQueue(admission, 3)
        #expect(admission.running == 6)
        // Of the folders, the one that most wait for makes room.
        let other = Task { await callers.enter("local:///c/") }
        #expect(await waits[1].value == .queueFull)
        await waitForQueue(admission, 3)
        for wait in [waits[0], full, other] { wait.cancel() }
        #expect(await [waits[0].value, full.value, other.value] == [.cancelled, .cancelled, .cancelled])
        for _ in 0..<3 { callers.leave("local:///a/") }
        for origin in ["local:///b/", "host", "host"] { callers.leave(origin) }
        await enter(callers, ["local:///a/", "local:///a/", "local:///a/"])
        #expect((admission.running, admission.waiting) == (3, 0))
    }

    @Test(arguments: 1...8) func `admission lets one folder use all workers`(_ workers: Int) async {
        let admission = Admission(workers: workers, queueSize: 0)
        let callers = Callers(admission)
        for number in 1...workers {
            let outcome = await callers.enter("local:///a/")
            #expect(outcome == nil, "worker \(number)")
        }
        #expect(await callers.enter("local:///b/") == nil)
        #expect(await callers.enter("host") == nil)
    }

    @Test func `admission drops no folder's only waiter from a full queue for another origin`() async {
        let admission = Admission(places: 1, queueSize: 3)
        let callers = Callers(admission)
        await enter(callers, [nil])
        let replaced = Recorder<Int>()
        var waits: [Task<Void, Never>] = []
        for (number, folder) in ["hung", "hung", "fine"].enumerated() {
            waits.append(
                Task {
                    let outcome = await callers.enter("local:///\(folder)/")
                    if outcome == .queueFull { replaced.append(number) }
                })
            await waitForQueue(admission, number + 1)
        }
        waits.append(Task { _ = await callers.enter("host") })
        #expect(await replaced.waitFor(count: 1) == [1])
        for wait in waits { wait.cancel() }
        for wait in waits { await wait.value }
        callers.leave()
    }

    @Test func `admission ends at the deadline and with the client, and frees the place`() async {
        let admission = Admission(places: 1, queueSize: 2)
        let callers = Callers(admission)
        #expect(await callers.enter() == nil)
        #expect(await callers.enter(until: .now + .milliseconds(20)) == .timedOut)
        let leaving = Task { await callers.enter() }
        await waitForQueue(admission, 1)
        leaving.cancel()
        #expect(await leaving.value == .cancelled)
        #expect((admission.running, admission.waiting) == (1, 0))
        callers.leave()
        #expect(await callers.enter() == nil)
        callers.leave()
        #expect(admission.running == 0)
    }

    @Test func `admission survives thousands of waits that are cancelled, time out and succeed`() async {
        let admission = Admission(places: 4, queueSize: 0)
        let callers = Callers(admission)
        await withTaskGroup { group in
            for number in 0..<3000 {
                group.addTask {
                    let deadline: ContinuousClock.Instant =
                        .now + .microseconds(number % 3 == 0 ? 100 : 60_000_000)
                    guard await callers.enter(until: deadline) == nil else { return }
                    await Task.yield()
                    callers.leave()
                }
                if number == 1500 { group.cancelAll() }
            }
        }
        #expect((admission.running, admission.waiting) == (0, 0))
    }

    @Test func `a permit frees its place when it ends, also by an error`() async {
        let admission = Admission(places: 1, queueSize: 0)
        func work(isFailing: Bool) async throws {
            let permit = try await admission.enter(until: .now + .seconds(600))
            #expect(admission.running == 1)
            if isFailing { throw CancellationError() }
            await Task.yield()
            #expect(admission.running == 1)
            withExtendedLifetime(permit) {}
        }
        for isFailing in [true, false, true] {
            try? await work(isFailing: isFailing)
            #expect(admission.running == 0)
        }
    }
}
