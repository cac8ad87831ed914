import AlcedoLocks
import Synchronization

/// What the events of one load share, and the events that wait to be delivered.
///
/// Refers to no observer, so that an observer may keep events.
final class ObservedLoad: Sendable {
    /// A stage that was reached while another event was delivered, or under a lock.
    private struct Pending {
        let stage: ImageLoadEvent.Stage
        let time: ContinuousClock.Instant
    }

    private struct State {
        /// Events that no thread delivers yet, in order.
        var pending: [Pending] = []
        var isDelivering = false
        var hasEnded = false

        /// Whether an event may follow, now that `stage` is reached.
        mutating func reach(_ stage: borrowing ImageLoadEvent.Stage) -> Bool {
            guard !hasEnded else { return false }
            hasEnded = stage.isEnd
            return true
        }

        mutating func next() -> Pending? {
            isDelivering = !pending.isEmpty
            return pending.isEmpty ? nil : pending.removeFirst()
        }
    }

    private static let lastID = Atomic(0)

    let id: Int
    let source: Source
    private let state = Lock(State())

    /// A load of `source`; nil for a new number.
    init(of source: Source, id: Int? = nil) {
        self.id = id ?? Self.lastID.add(1, ordering: .relaxed).newValue
        self.source = source
    }

    /// Begins the delivery of an event, of this moment without a `time`, or adds it behind others; not after the end.
    ///
    /// - Returns: The time of the event to deliver, nil if it was added.
    func beginOrAdd(
        _ stage: ImageLoadEvent.Stage, at time: ContinuousClock.Instant?
    ) -> ContinuousClock.Instant? {
        state.withLock { state in
            guard state.reach(stage) else { return nil }
            // Below the lock, so that times never decrease.
            let time = time ?? .now
            guard state.isDelivering || !state.pending.isEmpty else {
                state.isDelivering = true
                return time
            }
            state.pending.append(Pending(stage: stage, time: time))
            return nil
        }
    }

    /// Ends the delivery of an event if no other is pending; false if so.
    func endDelivery() -> Bool {
        state.withLock { state in
            guard state.pending.isEmpty else { return false }
            state.isDelivering = false
            return true
        }
    }

    /// Adds an event, for ``take()`` to return; does nothing after the end.
    func add(_ stage: ImageLoadEvent.Stage) {
        state.withLock { state in
            guard state.reach(stage) else { return }
            state.pending.append(Pending(stage: stage, time: .now))
        }
    }

    /// The next event to deliver, unless another thread delivers.
    func take() -> ImageLoadEvent? {
        state.withLock { $0.isDelivering ? nil : $0.next() }.map(event)
    }

    /// Ends the delivery of an event; the next one to deliver.
    func next() -> ImageLoadEvent? {
        state.withLock { $0.next() }.map(event)
    }

    private func event(_ pending: Pending) -> ImageLoadEvent {
        ImageLoadEvent(of: self, time: pending.time, stage: pending.stage)
    }
}
