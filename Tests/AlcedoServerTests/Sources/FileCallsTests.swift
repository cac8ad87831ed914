import AlcedoTestSupport
import AlcedoWaiting
import Testing

@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10))) struct `Calls for files` {
    private let hold = Gate()
    private let events = Recorder<FileCalls.Event>()

    /// Ends limits of 10 ms, which a call that hangs does itself.
    private let limits = Gate()
    private let pauses = Gate()

    private func calls(width: Int = 64, pause: Duration = .seconds(600)) -> FileCalls {
        let sleep: @Sendable (Duration) async throws -> Void = { [limits, pauses] duration in
            switch duration {
            case .milliseconds(10): await limits.pass()
            // Never ends but by a cancellation.
            case .seconds(600): for await _ in AsyncStream<Void>(bufferingPolicy: .unbounded, { _ in }) {}
            default: await pauses.pass()
            }
            try Task.checkCancellation()
        }
        return FileCalls(
            label: "test", width: width, pause: pause, report: { [events] in events.append($0) }, sleep: sleep
        )
    }

    private func waitForReturns(_ calls: FileCalls) async {
        while calls.abandoned > 0, !Task.isCancelled { await Task.yield() }
    }

    /// Calls for files that hang; how they ended.
    private func hang(_ calls: FileCalls, _ paths: [String]) async -> [FileCalls.Failure?] {
        await withTaskGroup(of: FileCalls.Failure?.self) { group in
            for path in paths {
                group.addTask { [hold, limits] in
                    let result = await calls.run(path, limit: .milliseconds(10)) { _ in
                        limits.admit()
                        hold.wait()
                    }
                    guard case .failure(let failure) = result else { return nil }
                    return failure
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func call(_ calls: FileCalls, _ path: String) async -> Result<Int, FileCalls.Failure> {
        await calls.run(path, limit: .seconds(600)) { _ in 7 }
    }

    @Test func `calls for files are given up, fail at once from then on, and count until they return`() async
    {
        let calls = calls()
        for number in 1...3 { #expect(await hang(calls, ["/nas/\(number)"]) == [.timedOut]) }
        #expect(calls.abandoned == 3)
        for _ in 0..<500 {
            guard case .failure(.unresponsive("/nas/", _)) = await call(calls, "/nas/new") else {
                Issue.record("a call was made")
                break
            }
        }
        await hold.waitForArrivals(3)
        #expect(calls.abandoned == 3 && hold.arrivals == 3)
        #expect(await call(calls, "/other/file") == .success(7))
        #expect(events.values.contains(.stopped("/nas/")))
        hold.open()
        await events.wait { $0.contains { if case .resumed("/nas/", _) = $0 { true } else { false } } }
        while calls.abandoned > 0, !Task.isCancelled { await Task.yield() }
        #expect(await call(calls, "/nas/new") == .success(7))
        #expect(await call(calls, "/nas/1") == .success(7))
    }

    @Test func `calls for files leave no thread beyond the limit, and no queue`() async {
        let calls = calls(width: 4)
        for folder in ["/a", "/b"] {
            #expect(!calls.isSilent)
            for number in 0..<2 {
                #expect(await hang(calls, ["\(folder)/\(number)"]) == [.timedOut])
            }
            // The other half is for others.
            #expect(calls.rejects("\(folder)/fine"))
            guard folder == "/a" else { break }
            #expect(await call(calls, "/a/fine") == .failure(.noThread(["/a/"])))
            #expect(await call(calls, "/b/fine") == .success(7))
        }
        #expect(await call(calls, "/c/fine") == .failure(.noThread(["/a/", "/b/"])))
        #expect(calls.rejects("/c/fine") && calls.abandoned == 4 && calls.isSilent)
        #expect(events.values.filter { $0 == .exhausted(["/a/", "/b/"]) }.count == 1)
        hold.open()
        await waitForReturns(calls)
        #expect(!calls.isSilent)
        #expect(await call(calls, "/c/fine") == .success(7))
    }

    @Test func `calls for files leave threads to other folders though their callers leave`() async {
        let calls = calls(width: 4)
        for number in 1...2 {
            let caller = Task { [hold] in
                await calls.run("/a/\(number)", limit: .seconds(600)) { _ in hold.wait() }
            }
            await hold.waitForArrivals(number)
            caller.cancel()
            guard case .failure(.cancelled) = await caller.value else {
                Issue.record("the caller waited")
                return
            }
        }
        #expect(await call(calls, "/a/fine") == .failure(.noThread(["/a/"])))
        #expect(await call(calls, "/b/fine") == .success(7))
        hold.open()
        while calls.rejects("/a/fine"), !Task.isCancelled { await Task.yield() }
        #expect(await call(calls, "/a/fine") == .success(7))
    }

    @Test
    func `calls for files are tried again without a request, until one returns though the others never do`()
        async
    {
        let (calls, isBack, never) = (calls(pause: .zero), Monitor(false), Gate())
        for number in 1...3 {
            let result = await calls.run("/nas/\(number)", limit: .milliseconds(10)) { [limits] _ in
                guard !isBack.read({ $0 }) else { return }
                limits.admit()
                never.wait()
            }
            guard case .failure(.timedOut) = result else {
                Issue.record("a call returned")
                break
            }
        }
        isBack.update { $0 = true }
        pauses.admit()
        await events.wait { $0.contains { if case .resumed("/nas/", _) = $0 { true } else { false } } }
        #expect(await call(calls, "/nas/new") == .success(7))
        #expect(calls.abandoned == 3)
        never.open()
    }

    @Test func `calls for files are not tried again while many are lost, and again when they return`() async {
        let calls = calls(width: 8, pause: .zero)
        #expect(await hang(calls, ["/mnt/a"]) == [.timedOut])
        for trial in 1...9 {
            await pauses.waitForArrivals(trial)
            pauses.admit()
            // Two trials hang, and no more start.
            let lost = min(trial + 1, 3)
            await events.wait { $0.filter { $0 == .abandoned("/mnt/a") }.count == lost }
        }
        await pauses.waitForArrivals(10)
        await hold.waitForArrivals(3)
        #expect(calls.abandoned == 3 && hold.arrivals == 3)
        guard case .failure(.unresponsive("/mnt/a", _)) = await call(calls, "/mnt/a") else {
            Issue.record("a call was made")
            return
        }
        #expect(await call(calls, "/mnt/b") == .success(7))
        hold.open()
        await waitForReturns(calls)
        #expect(await call(calls, "/mnt/a") == .success(7))
    }

    @Test func `calls for files find a folder that responds when all seem to hang`() async {
        let calls = calls(pause: .zero)
        #expect(await call(calls, "/disk/x") == .success(7))
        #expect(await hang(calls, ["/a/0"]) == [.timedOut])
        #expect(await hang(calls, ["/b/0"]) == [.timedOut])
        #expect(!calls.isSilent)
        #expect(await hang(calls, ["/c/0"]) == [.timedOut])
        #expect(calls.isSilent && events.values.contains(.stopped("/")))
        pauses.admit()
        await events.wait { $0.contains { if case .resumed("/", _) = $0 { true } else { false } } }
        await hold.waitForArrivals(3)
        #expect(!calls.isSilent && hold.arrivals == 3)
        hold.open()
    }

    @Test func `calls for files don't fail their folder if another one in it returns meanwhile`() async {
        let calls = calls()
        let slow = (1...3).map { number in
            Task { [hold] in
                await calls.run("/disk/\(number)", limit: .milliseconds(10)) { _ in hold.wait() }
            }
        }
        await hold.waitForArrivals(3)
        await limits.waitForArrivals(3)
        #expect(await call(calls, "/disk/fine") == .success(7))
        limits.open()
        for call in slow {
            guard case .failure(.timedOut) = await call.value else {
                Issue.record("it did not time out")
                continue
            }
        }
        #expect(calls.abandoned == 3 && calls.unresponsiveFolders.isEmpty)
        #expect(await call(calls, "/disk/fine") == .success(7))
        hold.open()
    }

    @Test
    func `calls for files fail as soon as their folder does, and still count when they have taken too long`()
        async
    {
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

    @Test func `calls for files end for a caller that is cancelled, and still count as slow`() async {
        let calls = calls()
        let caller = Task { [hold] in await calls.run("/a", limit: .milliseconds(10)) { _ in hold.wait() } }
        await hold.waitForArrivals(1)
        caller.cancel()
        guard case .failure(.cancelled) = await caller.value else {
            Issue.record("the caller waited")
            return
        }
        limits.open()
        await events.wait { $0.contains(.abandoned("/a")) }
        #expect(calls.rejects("/a"))
        hold.open()
    }

    @Test func `calls for files learn that nobody waits for them any more`() async {
        let (calls, wanted) = (calls(), Recorder<Bool>())
        let result = await calls.run("/a", limit: .milliseconds(10)) { [hold, limits] isWanted in
            wanted.append(isWanted.isSet)
            limits.admit()
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
