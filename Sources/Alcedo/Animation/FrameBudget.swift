import AlcedoLocks

/// The memory that the decoded frames of all playing animations should take; many players may take more.
///
/// At three quarters of the limit, players decode ahead no more: they keep the current frame and the next, and decode just
/// in time. Above the limit they also free the frames that they have decoded ahead. Two frames of each player are kept
/// regardless. Players of one image share its frames, which count once. When a ``MemoryPressureMonitor`` reports that memory is
/// short, players are down to two frames for 30 s.
public final class FrameBudget: Sendable {
    public static let shared = FrameBudget(bytes: Int(clamping: MemoryAllowance().bytes / 16))

    private struct Member {
        weak var pool: FramePool?
    }

    private struct State {
        var bytes: Int
        var used = 0
        var members: [ObjectIdentifier: Member] = [:]
        /// Until when nothing is decoded ahead; nil for no such time.
        var isShortUntil: ContinuousClock.Instant?
    }

    private let state: Lock<State>
    private let now: @Sendable () -> ContinuousClock.Instant

    init(bytes: Int, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        state = Lock(State(bytes: bytes))
        self.now = now
    }

    /// The bytes from which on nothing is decoded ahead; two frames of each player are kept beyond it.
    ///
    /// By default a sixteenth of the memory that this process may use.
    public var bytes: Int {
        get { state.withLock { $0.bytes } }
        set {
            state.withLock { $0.bytes = newValue }
            freeAhead()
        }
    }

    public var usedBytes: Int { state.withLock { $0.used } }

    func allowsAhead(_ byteCount: Int) -> Bool {
        state.withLock { state in
            if let end = state.isShortUntil, now() < end { return false }
            // The quarter in between keeps frames from being freed and decoded again in turn.
            return state.used + byteCount <= state.bytes / 4 * 3
        }
    }

    /// Has players free all frames but the current and the next, because memory is short, and decode just in time.
    ///
    /// For some time, because to decode ahead at once would take the memory again.
    func relieve(for time: Duration = .seconds(30)) {
        let end = now() + time
        let pools = state.withLock { state in
            state.isShortUntil = end
            return state.members.values.compactMap(\.pool)
        }
        for pool in pools { pool.freeAhead() }
    }

    /// Counts frames that a pool has decoded or freed.
    func add(_ byteCount: Int) {
        let isExceeded = state.withLock { state in
            state.used += byteCount
            return byteCount > 0 && state.used > state.bytes
        }
        if isExceeded { freeAhead() }
    }

    func insert(_ pool: FramePool) {
        state.withLock { $0.members[ObjectIdentifier(pool)] = Member(pool: pool) }
    }

    /// Removes a pool that is being freed, with its frames.
    func remove(_ pool: ObjectIdentifier, byteCount: Int) {
        state.withLock { state in
            state.members[pool] = nil
            state.used -= byteCount
        }
    }

    /// Has pools free what they have decoded ahead until the limit is kept.
    private func freeAhead() {
        let pools = state.withLock { state in state.members.values.compactMap(\.pool) }
        for pool in pools {
            guard state.withLock({ $0.used > $0.bytes }) else { return }
            // Without the lock, which the pool takes to count what it has freed.
            pool.freeAhead()
        }
    }
}
