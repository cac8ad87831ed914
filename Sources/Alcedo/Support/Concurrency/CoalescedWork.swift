import AlcedoLocks
import Synchronization

/// Work that runs once for all callers with an equal key that come before it ends; its values are not kept.
///
/// A caller that is cancelled leaves the others alone: the work goes on as long as one of them is current.
final class CoalescedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    struct Caller: Sendable {
        var priority: Float = 0.5

        /// False once the caller needs no value; nil means that it always does.
        var isCurrent: (@Sendable () -> Bool)?

        let then: @Sendable (Value) -> Void
    }

    /// Running work; if what runs it releases it before its end, its callers are never called.
    final class Run: Sendable {
        private struct State {
            /// In the order of their calls.
            var callers: [Caller]

            /// Whether no caller may join, because it has ended or nobody needs it.
            var isClosed = false

            /// The job of the worker pool that does the work, to raise its priority.
            var ticket: WorkerPool.Ticket?

            var stop: (@Sendable () -> Void)?
        }

        fileprivate let id: UInt64
        private let key: Key
        private let owner: CoalescedWork
        private let state: Lock<State>

        /// Whether ``finish(_:others:)`` has removed it: spares `deinit` a lookup in unspecialised generic code.
        private let isRemoved = Atomic(false)

        fileprivate init(_ id: UInt64, _ key: Key, _ caller: Caller, in owner: CoalescedWork) {
            (self.id, self.key, self.owner) = (id, key, owner)
            state = Lock(State(callers: [caller]))
        }

        deinit { if !isRemoved.load(ordering: .relaxed) { owner.remove(key, id) } }

        /// Adds a caller; false if the work has ended, or if no caller needs it: such work may hang.
        fileprivate func add(_ caller: Caller) -> Bool {
            guard isNeeded() else { return false }
            let (isAdded, ticket) = state.withLock { state -> (Bool, WorkerPool.Ticket?) in
                guard !state.isClosed else { return (false, nil) }
                let isHighest = state.callers.allSatisfy { $0.priority < caller.priority }
                state.callers.append(caller)
                return (true, isHighest ? state.ticket : nil)
            }
            if let ticket { owner.pool.reorder(ticket, priority: caller.priority) }
            return isAdded
        }

        /// Whether a caller needs the value; if none does, later callers start work of their own.
        func isNeeded() -> Bool {
            while true {
                // `isCurrent` is called without the lock: it takes locks of its own, of a handle or of a view's state.
                let callers = state.withLock { $0.callers }
                if callers.contains(where: { $0.isCurrent?() != false }) { return true }
                let isClosed = state.withLock { state in
                    // Another caller may have come meanwhile.
                    guard state.callers.count == callers.count else { return false }
                    state.isClosed = true
                    return true
                }
                guard !isClosed else { return false }
            }
        }

        /// Sets what stops the work, which ``leave()`` calls.
        func whenUnneeded(_ stop: @escaping @Sendable () -> Void) { state.withLock { $0.stop = stop } }

        /// Stops the work if no caller needs it any more: one was cancelled.
        func leave() {
            if !isNeeded() { state.withLock { $0.stop.take() }?() }
        }

        /// Runs a block in the worker pool, with the highest priority of the callers.
        func submit(_ block: @escaping @Sendable () -> Void) {
            let before = priority
            let ticket = owner.pool.submit(priority: before, block)
            // A caller of higher priority may have joined before the ticket was there to be reordered.
            let now = state.withLock { state in
                state.ticket = ticket
                return state.callers.map(\.priority).max() ?? before
            }
            if now > before { owner.pool.reorder(ticket, priority: now) }
        }

        private var priority: Float { state.withLock { $0.callers.map(\.priority).max() ?? 0.5 } }

        /// Ends the work: calls the first caller here, and each of the others by `call`.
        ///
        /// They may run the program's code, which must not hold up one another.
        func finish(_ value: Value, others call: (Float, @escaping @Sendable () -> Void) -> Void) {
            let (callers, stop) = state.withLock { state in
                state.isClosed = true
                return (exchange(&state.callers, with: []), state.stop.take())
            }
            _ = consume stop
            isRemoved.store(true, ordering: .relaxed)
            owner.remove(key, id)
            // The first one last: it runs here, and may block.
            for caller in callers.dropFirst() { call(caller.priority) { caller.then(value) } }
            callers.first?.then(value)
        }
    }

    private struct Entry {
        let id: UInt64
        weak var run: Run?
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var lastID: UInt64 = 0
    }

    private let pool: WorkerPool
    private let state = Lock(State())

    init(pool: WorkerPool = .shared) { self.pool = pool }

    /// Has `caller.then` called with the value of the running work with this key, or of new work.
    ///
    /// - Returns: the work, which must be retained until it ends, or its callers are never called; and whether it is
    ///   new, so that the caller of this method starts it.
    func join(_ key: Key, for caller: Caller) -> (run: Run, isNew: Bool) {
        while true {
            let (run, isNew) = state.withLock { state -> (Run, Bool) in
                if let run = state.entries[key]?.run { return (run, false) }
                state.lastID += 1
                let run = Run(state.lastID, key, caller, in: self)
                state.entries[key] = Entry(id: run.id, run: run)
                return (run, true)
            }
            if isNew || run.add(caller) { return (run, isNew) }
            remove(key, run.id)
        }
    }

    private func remove(_ key: Key, _ id: UInt64) {
        state.withLock { state in
            // Other work may have replaced it.
            if state.entries[key]?.id == id { state.entries[key] = nil }
        }
    }
}
