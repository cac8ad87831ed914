import AlcedoServer
import AlcedoTestSupport
import AlcedoWaiting
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Admission of work` {
    private let later = ContinuousClock.now + .seconds(600)

    private func waitForQueue(_ admission: Admission, _ count: Int) async {
        while admission.waiting < count, !Task.isCancelled { await Task.yield() }
    }

    @Test func `goes in order, and never above the number of places`() async {
        let admission = Admission(places: 1, queueSize: 0)
        let order = Recorder<Int>()
        #expect(await admission.enter(until: later) == .admitted)
        await withTaskGroup { group in
            for number in 0..<5 {
                group.addTask {
                    guard await admission.enter(until: later) == .admitted else { return }
                    order.append(number)
                    #expect(admission.working == 1)
                    admission.leave()
                }
                await waitForQueue(admission, number + 1)
            }
            admission.leave()
        }
        #expect(order.values == [0, 1, 2, 3, 4])
        #expect((admission.working, admission.waiting) == (0, 0))
    }

    @Test func `is refused when the queue is full, at once`() async {
        let admission = Admission(places: 1, queueSize: 1)
        #expect(await admission.enter(until: later) == .admitted)
        async let waiting = admission.enter(until: later)
        await waitForQueue(admission, 1)
        #expect(await admission.enter(until: later) == .queueFull)
        admission.leave()
        #expect(await waiting == .admitted)
        admission.leave()
        #expect(admission.working == 0)
    }

    private func enter(_ admission: Admission, _ origins: [String?]) async {
        for origin in origins { #expect(await admission.enter(origin, until: later) == .admitted) }
    }

    @Test func `leaves places to others when an origin has many`() async {
        let admission = Admission(places: 4, queueSize: 0)
        await enter(admission, ["slow", "slow"])
        let slow = Task { await admission.enter("slow", until: later) }
        await waitForQueue(admission, 1)
        await enter(admission, ["other", nil])
        let other = Task { await admission.enter("other", until: later) }
        await waitForQueue(admission, 2)
        admission.leave()
        // One place is free, and both have at least one.
        #expect((admission.working, admission.waiting) == (3, 2))
        admission.leave("slow")
        #expect(await slow.value == .admitted)
        #expect((admission.working, admission.waiting) == (3, 1))
        admission.leave("slow")
        #expect(await other.value == .admitted)
        for origin in ["slow", "other", "other"] { admission.leave(origin) }
        await enter(admission, ["slow", "slow"])
        #expect((admission.working, admission.waiting) == (2, 0))
    }

    @Test func `lets in all that may have a place when one is freed`() async {
        let admission = Admission(places: 6, queueSize: 0)
        await enter(admission, ["a", "a", "b", "b"])
        let third = Task { await admission.enter("b", until: later) }
        await waitForQueue(admission, 1)
        let fourth = Task { await admission.enter("a", until: later) }
        await waitForQueue(admission, 2)
        admission.leave("a")
        #expect(await [third.value, fourth.value] == [.admitted, .admitted])
        #expect((admission.working, admission.waiting) == (5, 0))
    }

    @Test func `of a full queue takes the last of the origin that most wait for`() async {
        let admission = Admission(places: 1, queueSize: 3)
        await enter(admission, [nil])
        var waits: [Task<Admission.Outcome, Never>] = []
        for number in 1...3 {
            waits.append(Task { await admission.enter("slow", until: later) })
            await waitForQueue(admission, number)
        }
        #expect(await admission.enter("slow", until: later) == .queueFull)
        let others = ["a", "b"].map { origin in Task { await admission.enter(origin, until: later) } }
        #expect(await [waits[1].value, waits[2].value] == [.queueFull, .queueFull])
        await waitForQueue(admission, 3)
        #expect(await admission.enter("c", until: later) == .queueFull)
        admission.leave()
        #expect(await waits[0].value == .admitted)
        admission.leave("slow")
        for other in others { other.cancel() }
        for other in others where await other.value == .admitted { admission.leave("a") }
    }

    @Test func `of the local root leaves a place to another folder`() async {
        let admission = Admission(places: 8, queueSize: 3)
        await enter(admission, ["local:///a/", "local:///a/", "local:///a/"])
        let waits = [1, 2].map { number in
            Task {
                await waitForQueue(admission, number - 1)
                return await admission.enter("local:///a/", until: later)
            }
        }
        await waitForQueue(admission, 2)
        // All of them leave half to others.
        await enter(admission, ["local:///b/", "host", "host"])
        let full = Task { await admission.enter("local:///b/", until: later) }
        await waitForQueue(admission, 3)
        #expect(admission.working == 6)
        // Of the folders, the one that most wait for makes room.
        let other = Task { await admission.enter("local:///c/", until: later) }
        #expect(await waits[1].value == .queueFull)
        await waitForQueue(admission, 3)
        for wait in [waits[0], full, other] { wait.cancel() }
        #expect(await [waits[0].value, full.value, other.value] == [.cancelled, .cancelled, .cancelled])
        for _ in 0..<3 { admission.leave("local:///a/") }
        for origin in ["local:///b/", "host", "host"] { admission.leave(origin) }
        await enter(admission, ["local:///a/", "local:///a/", "local:///a/"])
        #expect((admission.working, admission.waiting) == (3, 0))
    }

    @Test(arguments: 1...8) func `lets one folder use all workers`(_ workers: Int) async {
        let admission = Admission(workers: workers, queueSize: 0)
        for number in 1...workers {
            let outcome = await admission.enter("local:///a/", until: later)
            #expect(outcome == .admitted, "worker \(number)")
        }
        #expect(await admission.enter("local:///b/", until: later) == .admitted)
        #expect(await admission.enter("host", until: later) == .admitted)
    }

    @Test func `of a full queue takes the only one of no folder for another origin`() async {
        let admission = Admission(places: 1, queueSize: 3)
        await enter(admission, [nil])
        let replaced = Recorder<Int>()
        var waits: [Task<Void, Never>] = []
        for (number, folder) in ["hung", "hung", "fine"].enumerated() {
            waits.append(
                Task {
                    let outcome = await admission.enter("local:///\(folder)/", until: later)
                    if outcome == .queueFull { replaced.append(number) }
                })
            await waitForQueue(admission, number + 1)
        }
        waits.append(Task { _ = await admission.enter("host", until: later) })
        #expect(await replaced.waitFor(count: 1) == [1])
        for wait in waits { wait.cancel() }
        for wait in waits { await wait.value }
        admission.leave()
    }

    @Test func `ends at the deadline and with the client, and frees the place`() async {
        let admission = Admission(places: 1, queueSize: 2)
        #expect(await admission.enter(until: later) == .admitted)
        #expect(await admission.enter(until: .now + .milliseconds(20)) == .timedOut)
        let leaving = Task { await admission.enter(until: later) }
        await waitForQueue(admission, 1)
        leaving.cancel()
        #expect(await leaving.value == .cancelled)
        #expect((admission.working, admission.waiting) == (1, 0))
        admission.leave()
        #expect(await admission.enter(until: later) == .admitted)
        admission.leave()
        #expect(admission.working == 0)
    }

    @Test func `survives thousands of waits that are cancelled, time out and succeed`() async {
        let admission = Admission(places: 4, queueSize: 0)
        await withTaskGroup { group in
            for number in 0..<3000 {
                group.addTask {
                    let deadline: ContinuousClock.Instant =
                        .now + .microseconds(number % 3 == 0 ? 100 : 60_000_000)
                    guard await admission.enter(until: deadline) == .admitted else { return }
                    await Task.yield()
                    admission.leave()
                }
                if number == 1500 { group.cancelAll() }
            }
        }
        #expect((admission.working, admission.waiting) == (0, 0))
    }

    @Test func `answers 429 with Retry-After, 503 and 499 instead of working`() async {
        let admission = Admission(places: 1, queueSize: 1)
        #expect(await admission.enter(until: later) == .admitted)
        let work: @Sendable () async -> ServedAnswer = { ServedAnswer(status: 200) }
        let late = ServedRequest(target: "/", deadline: .now + .milliseconds(10))
        #expect(await admission.answer(late, work).status == 503)
        let waiting = Task { await admission.answer(ServedRequest(target: "/", deadline: later), work) }
        await waitForQueue(admission, 1)
        let full = await admission.answer(ServedRequest(target: "/", deadline: later), work)
        #expect(full.status == 429 && full.errorKind == .queue)
        #expect(full.headers.contains { $0.name == "Retry-After" })
        waiting.cancel()
        #expect(await waiting.value.status == 499)
        admission.leave()
        let done = await admission.answer(ServedRequest(target: "/", deadline: later), work)
        #expect(done.status == 200)
        #expect(done.spans[.queue] != nil)
    }
}
