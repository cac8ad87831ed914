import AlcedoLocks
import Dispatch

/// Reads a cache's disk, a few entries at a time, and gives up on reads that hang.
///
/// Each cache has its own threads, which exist while there is something to read: a disk that hangs stalls no other cache.
/// A receiver that blocks keeps its thread, and after an interval another one takes its place.
final class DiskReadQueue: Sendable {
    /// Either `run` answers, or `fail` does after a stall.
    private final class Read: Sendable {
        /// Reads, and returns what delivers the answer.
        let run: @Sendable () -> @Sendable () -> Void
        let fail: @Sendable () -> Void
        let answer = Claim()

        init(
            run: @escaping @Sendable () -> @Sendable () -> Void,
            fail: @escaping @Sendable () -> Void
        ) {
            self.run = run
            self.fail = fail
        }

        func giveUp() { if answer.take() { fail() } }
    }

    private enum Lane {
        case idle
        case reading(Read, since: Int)
        /// The receiver's code runs, which may block; that says nothing of the disk.
        case delivering(since: Int)
    }

    private struct State {
        var waiting = FIFOQueue<Read>()
        var lanes: [(queue: DispatchQueue, lane: Lane, isActive: Bool)] = (0..<lanesAtFirst).map {
            (makeQueue($0), .idle, false)
        }
        var tick = 0
        var isChecking = false

        /// Whether every lane has a read that hangs.
        var isStalled = false

        /// Has a lane that does nothing take part; nil if there is none.
        mutating func startLane() -> (index: Int, queue: DispatchQueue)? {
            guard let lane = lanes.firstIndex(where: { !$0.isActive }) else { return nil }
            lanes[lane].isActive = true
            return (lane, lanes[lane].queue)
        }
    }

    private static let lanesAtFirst = 4

    /// As many threads as there may be once receivers block all others.
    private static let mostLanes = 16

    private let state = Lock(State())
    private let stallCheck: DiskStallCheck

    init(stallCheck: DiskStallCheck) { self.stallCheck = stallCheck }

    /// The queues of all lanes.
    var queues: [DispatchQueue] { state.withLock { $0.lanes.map(\.queue) } }

    private static func makeQueue(_ lane: Int) -> DispatchQueue {
        DispatchQueue(label: "alcedo.cache.reading.\(lane)")
    }

    /// Runs `body`, which may block, on a thread of the queue, and calls `then` once with what it returns.
    ///
    /// After a stall `then` is called with the error on another thread; what `body` returns later is dropped.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable () -> Value,
        then: @escaping @Sendable (Result<Value, DiskStallError>) -> Void
    ) {
        let read = Read(
            run: {
                let value = body()
                return { then(.success(value)) }
            },
            fail: { [error = stallCheck.error] in
                DispatchQueue.global().async { then(.failure(error)) }
            }
        )
        let (isRefused, lane, startsCheck) = state.withLock {
            state -> (Bool, (index: Int, queue: DispatchQueue)?, Bool) in
            guard !state.isStalled else { return (true, nil, false) }
            state.waiting.append(read)
            let startsCheck = !state.isChecking
            state.isChecking = true
            return (false, state.startLane(), startsCheck)
        }
        if isRefused { return read.giveUp() }
        if let lane { lane.queue.async { [self] in drain(lane.index) } }
        if startsCheck { scheduleCheck() }
    }

    private func drain(_ lane: Int) {
        while let read = next(lane) {
            let deliver = read.run()
            state.withLock { state in
                state.lanes[lane].lane = .delivering(since: state.tick)
                state.isStalled = false
            }
            if read.answer.take() { deliver() }
        }
    }

    private func next(_ lane: Int) -> Read? {
        state.withLock { state in
            let read = state.waiting.popFirst()
            state.lanes[lane].lane = read.map { .reading($0, since: state.tick) } ?? .idle
            state.lanes[lane].isActive = read != nil
            return read
        }
    }

    // MARK: - Stalls

    private func scheduleCheck() {
        stallCheck.schedule { [weak self] in self?.check() }
    }

    /// Gives up on reads that have run for a whole interval, and on those that wait if no lane is left for them.
    ///
    /// Where receivers block lanes for as long, another one takes part.
    private func check() {
        let (hanging, lane, isOver) = state.withLock {
            state -> ([Read], (index: Int, queue: DispatchQueue)?, Bool) in
            var hanging: [Read] = []
            var blockedCount = 0
            for lane in state.lanes {
                switch lane.lane {
                case .reading(let read, let since) where since < state.tick: hanging.append(read)
                case .delivering(let since) where since < state.tick: blockedCount += 1
                default: break
                }
            }
            state.tick += 1
            var lane: (index: Int, queue: DispatchQueue)?
            if hanging.count >= Self.lanesAtFirst {
                state.isStalled = true
                while let read = state.waiting.popFirst() { hanging.append(read) }
            } else if hanging.count + blockedCount == state.lanes.count, !state.waiting.isEmpty,
                state.lanes.count < Self.mostLanes
            {
                state.lanes.append((Self.makeQueue(state.lanes.count), .idle, false))
                lane = state.startLane()
            }
            state.isChecking = state.lanes.contains { $0.isActive }
            return (hanging, lane, !state.isChecking)
        }
        for read in hanging { read.giveUp() }
        if let lane { lane.queue.async { [self] in drain(lane.index) } }
        if !isOver { scheduleCheck() }
    }
}
