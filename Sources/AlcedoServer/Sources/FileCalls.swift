import Alcedo
import AlcedoLocks
import AlcedoTransport
import Synchronization

/// Runs calls for files, each on a thread, and gives up those that take too long.
///
/// Nothing ends a call of a file system that hangs: its thread is lost until the file system responds. So what does
/// not respond fails at once until a trial returns, and the number of threads is limited.
final class FileCalls: Sendable {
    /// Why a call has no result.
    enum Failure: Error, Sendable, Equatable {
        /// The call took longer than its limit.
        case timedOut
        /// The file, or a folder that contains it, has not responded since.
        case unresponsive(String, since: ContinuousClock.Instant)
        /// Calls that nobody waits for have all threads, or half of them in one outermost folder: in these folders.
        case noThread([String])
        case cancelled
    }

    /// What is reported.
    enum Event: Sendable, Equatable {
        /// A call was given up.
        case abandoned(String)
        /// A folder does not respond from now on.
        case stopped(String)
        /// A folder responds again, after this time.
        case resumed(String, after: Duration)
        /// Calls that were given up have all threads, those of these folders the most.
        case exhausted([String])
    }

    private enum Phase {
        case queued
        case running(since: ContinuousClock.Instant)
        /// Given up; the thread is still lost.
        case abandoned
    }

    private struct Entry {
        let call: Call
        var phase = Phase.queued
        /// Whether nobody waits for it though it has a thread.
        var isLost = false
        /// See ``PathHealth/timedOut(_:trying:alive:since:at:)``.
        var alive = 0

        var isRunning: Bool { if case .running = phase { true } else { false } }
    }

    private struct State {
        var health: PathHealth
        /// The calls that have not returned.
        var entries: [Int: Entry] = [:]
        /// Of the paths that have responded last.
        var returned: [String: Call] = [:]
        var abandoned = 0
        var issued = 0
        var isExhausted = false

        mutating func lose(_ number: Int) {
            guard let entry = entries[number], !entry.isLost else { return }
            entries[number]?.isLost = true
            health.lose(entry.call.path)
        }

        /// A call has returned: the folders that it shares with those that run respond.
        mutating func end(_ call: Call) -> Entry? {
            guard let ended = entries.removeValue(forKey: call.number) else { return nil }
            for (number, entry) in entries where entry.isRunning {
                let shared = zip(call.folders, entry.call.folders).prefix { $0 == $1 }.count
                if shared > entry.alive { entries[number]?.alive = shared }
            }
            return ended
        }
    }

    /// Makes a call, and returns what delivers its result.
    private typealias Run = @Sendable (WantedFlag) -> @Sendable () -> Void

    /// A call, without the type of its result.
    private struct Call: Sendable {
        let number: Int
        let path: String
        /// The folders that contain it, the root first.
        let folders: [String]
        let limit: Duration
        /// The levels of ``PathHealth`` that it tries.
        let tried: [String]
        let isWanted: WantedFlag
        let run: Run
        let fail: @Sendable (Failure) -> Void
    }

    /// Whether somebody waits for a call; the call looks at it between its steps.
    final class WantedFlag: Sendable {
        private let flag = Atomic(true)

        var isSet: Bool { flag.load(ordering: .acquiring) }

        fileprivate func clear() { flag.store(false, ordering: .releasing) }
    }

    private let width: Int
    private let pause: Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let threads: BoundedQueue
    private let report: @Sendable (Event) -> Void
    private let state: Lock<State>

    /// - Parameters:
    ///   - label: names the threads.
    ///   - width: the number of threads.
    ///   - pause: the time before what does not respond is tried again, at first.
    ///   - report: called for events, on any thread.
    ///   - sleep: waits for the end of limits and pauses; throws if the task is cancelled.
    init(
        label: String, width: Int, pause: Duration = .seconds(1),
        report: @escaping @Sendable (Event) -> Void = { _ in },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await cancellableSleep(for: $0) }
    ) {
        (self.width, self.pause, self.sleep) = (width, pause, sleep)
        threads = BoundedQueue(label: label, width: width)
        self.report = report
        state = Lock(State(health: PathHealth(pause: pause)))
    }

    /// The calls that were given up and have not returned.
    var abandoned: Int { state.withLock { $0.abandoned } }

    /// See ``PathHealth/unresponsiveFolders``.
    var unresponsiveFolders: [String] { state.withLock { $0.health.unresponsiveFolders.map(\.self) } }

    /// Whether no file responds: see ``PathHealth/isSilent``, or no thread is left.
    var isSilent: Bool { state.withLock { $0.abandoned >= width || $0.health.isSilent } }

    /// Whether a call for `path` would fail at once.
    func rejects(_ path: String) -> Bool {
        let now = ContinuousClock.now
        return state.withLock { !hasThread(for: path, $0) || $0.health.rejection(of: path, at: now) != nil }
    }

    /// Whether there is a thread for `path`: calls that are lost get half of them at most in one outermost folder.
    private func hasThread(for path: String, _ state: State) -> Bool {
        state.abandoned < width && state.health.lostCalls(beside: path) < max(1, width / 2)
    }

    /// Runs `body`, which waits for the file at `path`, on a thread; returns its value, or an error after `limit`
    /// there.
    ///
    /// A caller that is cancelled returns at once; the call counts as slow only after `limit`.
    func run<Value: Sendable>(
        _ path: String, limit: Duration, _ body: @escaping @Sendable (WantedFlag) -> Value
    ) async -> Result<Value, Failure> {
        let outcome = OneShot<Value, Failure>()
        let call: Call
        do throws(Failure) {
            call = try admit(
                path, limit,
                run: { isWanted in
                    let value = body(isWanted)
                    return { outcome.finish(.success(value)) }
                },
                fail: { outcome.finish(.failure($0)) })
        } catch {
            return .failure(error)
        }
        start(call)
        return await withTaskCancellationHandler {
            do throws(Failure) { return .success(try await outcome.value()) } catch { return .failure(error) }
        } onCancel: {
            leave(call)
        }
    }

    private func admit(
        _ path: String, _ limit: Duration, run: @escaping Run, fail: @escaping @Sendable (Failure) -> Void
    ) throws(Failure) -> Call {
        let now = ContinuousClock.now
        return try state.withLock { state throws(Failure) in
            try admit(path, limit, at: now, &state, run: run, fail: fail)
        }
    }

    private func admit(
        _ path: String, _ limit: Duration, at now: ContinuousClock.Instant, _ state: inout State,
        run: @escaping Run, fail: @escaping @Sendable (Failure) -> Void
    ) throws(Failure) -> Call {
        if case .rejected(let level, let since)? = state.health.rejection(of: path, at: now) {
            throw .unresponsive(level, since: since)
        }
        // Otherwise the queue grows.
        guard hasThread(for: path, state) else { throw .noThread(state.health.foldersWithMostLost) }
        var tried: [String] = []
        if case .trial(let levels) = state.health.admit(path, at: now) { tried = levels }
        state.issued += 1
        let call = Call(
            number: state.issued, path: path, folders: PathHealth.levels(of: path).dropLast(), limit: limit,
            tried: tried, isWanted: WantedFlag(), run: run, fail: fail)
        state.entries[call.number] = Entry(call: call)
        return call
    }

    private func start(_ call: Call) {
        threads.async { [self] in
            guard startRunning(call) else { return }
            let timer = Task {
                // Cancelled at the end of the call.
                guard (try? await sleep(call.limit)) != nil else { return }
                giveUp(call)
            }
            let deliver = call.run(call.isWanted)
            timer.cancel()
            end(call)
            deliver()
        }
    }

    /// False if nobody wants it; a trial runs in any case.
    private func startRunning(_ call: Call) -> Bool {
        let now = ContinuousClock.now
        return state.withLock { state in
            guard state.entries[call.number] != nil else { return false }
            state.entries[call.number]?.phase = .running(since: now)
            if !call.isWanted.isSet { state.lose(call.number) }
            return true
        }
    }

    private func end(_ call: Call) {
        let now = ContinuousClock.now
        let resumed = state.withLock { state -> (folder: String, since: ContinuousClock.Instant)? in
            guard let entry = state.end(call) else { return nil }
            if case .abandoned = entry.phase { state.abandoned -= 1 }
            if state.abandoned <= width / 2 { state.isExhausted = false }
            let resumed = state.health.returned(call.path, wasLost: entry.isLost)
            state.returned[call.path] = call
            state.returned = state.returned.filter { state.health.responded.contains($0.key) }
            return resumed
        }
        if let resumed { report(.resumed(resumed.folder, after: now - resumed.since)) }
    }

    private func giveUp(_ call: Call) {
        let now = ContinuousClock.now
        let end = state.withLock { state -> (timeout: PathHealth.Timeout, futile: [Call], full: [String]?)? in
            guard let entry = state.entries[call.number], case .running(let since) = entry.phase else {
                return nil
            }
            state.entries[call.number]?.phase = .abandoned
            state.lose(call.number)
            state.abandoned += 1
            let timeout = state.health.timedOut(
                call.path, trying: call.tried, alive: entry.alive, since: since, at: now)
            var full: [String]?
            if state.abandoned >= width, !state.isExhausted {
                state.isExhausted = true
                full = state.health.foldersWithMostLost
            }
            guard let folder = timeout.folder else { return (timeout, [], full) }
            let futile = state.entries.values.filter { $0.isRunning && $0.call.folders.contains(folder) }
            for entry in futile { state.lose(entry.call.number) }
            return (timeout, futile.map(\.call), full)
        }
        // Nil if it has just ended.
        guard let end else { return }
        report(.abandoned(call.path))
        if let folder = end.timeout.folder { report(.stopped(folder)) }
        if let folders = end.full { report(.exhausted(folders)) }
        call.isWanted.clear()
        call.fail(.timedOut)
        if let folder = end.timeout.folder {
            // They would only fail later; they count once they have taken too long themselves.
            for call in end.futile {
                call.isWanted.clear()
                call.fail(.unresponsive(folder, since: end.timeout.since))
            }
        }
        // What a trial tries is watched already.
        if call.tried.isEmpty { watch(call) }
    }

    /// A caller does not wait any more: a call that has not started need not.
    private func leave(_ call: Call) {
        call.isWanted.clear()
        state.withLock { state in
            switch state.entries[call.number]?.phase {
            case .queued? where call.tried.isEmpty: state.entries[call.number] = nil
            case .running?: state.lose(call.number)
            default: break
            }
        }
        call.fail(.cancelled)
    }

    /// Tries a call that was given up again and again until its file responds.
    ///
    /// A server that gets no more requests, as it is not ready, would not learn otherwise that the files are back.
    private func watch(_ call: Call) {
        Task { [weak self, sleep, pause] in
            var pause = pause
            while true {
                // Twice, so that a request, which may be for a file that responds, can try it first.
                try await sleep(pause * 2)
                guard let self, tryAgain(call) else { return }
                pause = min(pause * 2, PathHealth.longestPause)
            }
        }
    }

    /// Starts a trial if one may start now; false if there is nothing to try.
    ///
    /// While no folder responds, the files that did last are tried first.
    private func tryAgain(_ call: Call) -> Bool {
        let now = ContinuousClock.now
        let (isHeldUp, trial) = state.withLock { state -> (Bool, Call?) in
            guard state.health.holdsUp(call.path) else { return (false, nil) }
            var candidates = [call]
            if state.health.isSilent {
                candidates = state.health.responded.compactMap { state.returned[$0] } + candidates
            }
            for candidate in candidates {
                let trial = try? admit(
                    candidate.path, candidate.limit, at: now, &state, run: candidate.run, fail: { _ in })
                if let trial { return (true, trial) }
            }
            return (true, nil)
        }
        if let trial { start(trial) }
        return isHeldUp
    }
}
