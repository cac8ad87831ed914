import AlcedoTestSupport
import AlcedoWaiting
import Testing

@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10))) struct `Calls for files` {
    private let hold = Gate()
    private let events = Recorder<FileCalls.Event>()

    private func calls(width: Int = 64, pause: Duration = .seconds(600)) -> FileCalls {
        FileCalls(label: "test", width: width, pause: pause) { [events] in events.append($0) }
    }

    /// Calls for files that hang; how they ended.
    private func hang(_ calls: FileCalls, _ paths: [String]) async -> [FileCalls.Failure?] {
        await withTaskGroup(of: FileCalls.Failure?.self) { group in
            for path in paths {
                group.addTask { [hold] in
                    let result = await calls.run(path, limit: .milliseconds(10)) { _ in hold.wait() }
                    guard case .failure(let failure) = result else { return nil }
                    return failure
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func answer(_ calls: FileCalls, _ path: String) async -> Result<Int, FileCalls.Failure> {
        await calls.run(path, limit: .seconds(600)) { _ in 7 }
    }

    @Test func `are given up, fail at once from then on, and count until they return`() async {
        let calls = calls()
        for number in 1...3 { #expect(await hang(calls, ["/nas/\(number)"]) == [.timedOut]) }
        #expect(calls.abandoned == 3)
        for _ in 0..<500 {
            guard case .failure(.unresponsive("/nas/", _)) = await answer(calls, "/nas/new") else {
                Issue.record("a call was made")
                break
            }
        }
        #expect(calls.abandoned == 3 && hold.arrivals == 3)
        #expect(await answer(calls, "/other/file") == .success(7))
        #expect(events.values.contains(.stopped("/nas/")))
        hold.open()
        await events.wait { $0.contains { if case .resumed("/nas/", _) = $0 { true } else { false } } }
        while calls.abandoned > 0, !Task.isCancelled { await Task.yield() }
        #expect(await answer(calls, "/nas/new") == .success(7))
        #expect(await answer(calls, "/nas/1") == .success(7))
    }

    @Test func `leave no thread beyond the limit, and no queue`() async {
        let calls = calls(width: 3)
        // Others respond in between, so that it is not the folder that fails.
        for number in 0..<3 {
            #expect(await hang(calls, ["/\(number)"]) == [.timedOut])
            if number < 2 { #expect(await answer(calls, "/fine") == .success(7)) }
        }
        #expect(await answer(calls, "/fine") == .failure(.noThread))
        #expect(calls.rejects("/fine") && calls.abandoned == 3)
        hold.open()
        while calls.abandoned > 0, !Task.isCancelled { await Task.yield() }
        #expect(await answer(calls, "/fine") == .success(7))
    }

    @Test func `are tried again without a request, until one returns though the others never do`() async {
        let (calls, isBack, never) = (calls(pause: .milliseconds(1)), Monitor(false), Gate())
        for number in 1...3 {
            let result = await calls.run("/nas/\(number)", limit: .milliseconds(10)) { _ in
                if !isBack.read({ $0 }) { never.wait() }
            }
            guard case .failure(.timedOut) = result else {
                Issue.record("a call returned")
                break
            }
        }
        isBack.update { $0 = true }
        await events.wait { $0.contains { if case .resumed("/nas/", _) = $0 { true } else { false } } }
        #expect(await answer(calls, "/nas/new") == .success(7))
        #expect(calls.abandoned >= 3)
        never.open()
    }

    @Test func `fail as soon as their folder does, and still count when they have taken too long`() async {
        let calls = calls()
        let late = Task { [hold] in await calls.run("/nas/late", limit: .seconds(600)) { _ in hold.wait() } }
        await hold.waitForArrivals(1)
        #expect(await hang(calls, ["/nas/1", "/nas/2"]) == [.timedOut, .timedOut])
        #expect(await hang(calls, ["/nas/3"]) == [.timedOut])
        guard case .failure(.unresponsive("/nas/", _)) = await late.value else {
            Issue.record("it waited")
            return
        }
        #expect(calls.abandoned == 3)
        hold.open()
    }

    @Test func `end for a caller that is cancelled, and still count as slow`() async {
        let calls = calls()
        let caller = Task { [hold] in await calls.run("/a", limit: .milliseconds(50)) { _ in hold.wait() } }
        await hold.waitForArrivals(1)
        caller.cancel()
        guard case .failure(.cancelled) = await caller.value else {
            Issue.record("the caller waited")
            return
        }
        await events.wait { $0.contains(.abandoned("/a")) }
        #expect(calls.rejects("/a"))
        hold.open()
    }

    @Test func `learn that nobody wants them any more`() async {
        let (calls, wanted) = (calls(), Recorder<Bool>())
        let result = await calls.run("/a", limit: .milliseconds(10)) { [hold] isWanted in
            wanted.append(isWanted.isSet)
            hold.wait()
            wanted.append(isWanted.isSet)
        }
        guard case .failure(.timedOut) = result else {
            Issue.record("it returned")
            return
        }
        hold.open()
        await wanted.wait { $0 == [true, false] }
    }
}
