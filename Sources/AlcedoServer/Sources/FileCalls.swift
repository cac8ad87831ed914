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
        /// Calls that were given up have all threads.
        case noThread
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
    }

    private enum Phase {
        case queued
        case running(since: ContinuousClock.Instant)
        /// Given up; the thread is still lost.
        case abandoned
    }

    private struct State {
        var health: PathHealth
        var phases: [Int: Phase] = [:]
        /// Those that run.
        var running: [Int: Call] = [:]
        var abandoned = 0
        var issued = 0
    }

    /// Makes a call, and returns what delivers its result.
    private typealias Run = @Sendable (WantedFlag) -> @Sendable () -> Void

    /// A call, without the type of its result.
    private struct Call: Sendable {
        let number: Int
        let path: String
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
    private let threads: BoundedQueue
    private let report: @Sendable (Event) -> Void
    private let state: Lock<State>

    /// - Parameters:
    ///   - label: names the threads.
    ///   - width: the number of threads.
    ///   - pause: the time before what does not respond is tried again, at first.
    ///   - report: called for events, on any thread.
    init(
        label: String, width: Int, pause: Duration = .seconds(1),
        report: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        self.width = width
        threads = BoundedQueue(label: label, width: width)
        self.report = report
        state = Lock(State(health: PathHealth(pause: pause)))
    }

    /// The calls that were given up and have not returned.
    var abandoned: Int { state.withLock { $0.abandoned } }

    /// See ``PathHealth/unresponsiveFolders``.
    var unresponsiveFolders: [String] { state.withLock { $0.health.unresponsiveFolders.map(\.self) } }

    /// See ``PathHealth/isSilent``.
    var isSilent: Bool { state.withLock { $0.health.isSilent } }

    /// Whether a call for `path` would fail at once.
    func rejects(_ path: String) -> Bool {
        let now = ContinuousClock.now
        return state.withLock { $0.abandoned >= width || $0.health.rejects(path, at: now) }
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
            // Otherwise the queue grows.
            guard state.abandoned < width else { throw .noThread }
            var tried: [String] = []
            switch state.health.admit(path, at: now) {
            case .admitted: break
            case .trial(let levels): tried = levels
            case .rejected(let level, let since): throw .unresponsive(level, since: since)
            }
            state.issued += 1
            state.phases[state.issued] = .queued
            return Call(
                number: state.issued, path: path, limit: limit, tried: tried, isWanted: WantedFlag(),
                run: run,
                fail: fail)
        }
    }

    private func start(_ call: Call) {
        threads.async { [self] in
            guard begin(call) else { return }
            let timer = Task {
                // Cancelled at the end of the call.
                guard (try? await Task.sleep(for: call.limit)) != nil else { return }
                giveUp(call)
            }
            let deliver = call.run(call.isWanted)
            timer.cancel()
            end(call)
            deliver()
        }
    }

    /// False if nobody wants it; a trial runs in any case.
    private func begin(_ call: Call) -> Bool {
        let now = ContinuousClock.now
        return state.withLock { state in
            guard state.phases[call.number] != nil else { return false }
            state.phases[call.number] = .running(since: now)
            state.running[call.number] = call
            return true
        }
    }

    private func end(_ call: Call) {
        let now = ContinuousClock.now
        let resumed = state.withLock { state in
            if case .abandoned? = state.phases.removeValue(forKey: call.number) { state.abandoned -= 1 }
            state.running[call.number] = nil
            return state.health.returned(call.path)
        }
        if let resumed { report(.resumed(resumed.folder, after: now - resumed.since)) }
    }

    private func giveUp(_ call: Call) {
        let now = ContinuousClock.now
        let (timeout, futile) = state.withLock { state -> (PathHealth.Timeout?, [Call]) in
            guard case .running(let since)? = state.phases[call.number] else { return (nil, []) }
            state.phases[call.number] = .abandoned
            state.running[call.number] = nil
            state.abandoned += 1
            let timeout = state.health.timedOut(call.path, trying: call.tried, since: since, at: now)
            guard let folder = timeout.folder else { return (timeout, []) }
            return (timeout, state.running.values.filter { PathHealth.levels(of: $0.path).contains(folder) })
        }
        // Nil if it has just ended.
        guard let timeout else { return }
        report(.abandoned(call.path))
        if let folder = timeout.folder { report(.stopped(folder)) }
        call.isWanted.clear()
        call.fail(.timedOut)
        if let folder = timeout.folder {
            // They would only fail later; they count once they have taken too long themselves.
            for call in futile {
                call.isWanted.clear()
                call.fail(.unresponsive(folder, since: timeout.since))
            }
        }
        tryAgain(call, after: timeout.retry - now)
    }

    /// A caller does not wait any more: a call that has not begun need not.
    private func leave(_ call: Call) {
        call.isWanted.clear()
        state.withLock { state in
            if case .queued? = state.phases[call.number], call.tried.isEmpty {
                state.phases[call.number] = nil
            }
        }
        call.fail(.cancelled)
    }

    /// Repeats a call that was given up, unless another one tries or has tried the same.
    ///
    /// A server that gets no more requests, as it is not ready, would not learn otherwise that the files are back.
    private func tryAgain(_ call: Call, after pause: Duration) {
        Task { [weak self] in
            // Twice, so that a request, which may be for a file that responds, can try it first.
            try await Task.sleep(for: pause * 2)
            guard let self,
                let trial = try? admit(call.path, call.limit, run: call.run, fail: { _ in })
            else { return }
            if trial.tried.isEmpty {
                // It has responded meanwhile.
                state.withLock { _ = $0.phases.removeValue(forKey: trial.number) }
            } else {
                start(trial)
            }
        }
    }
}
