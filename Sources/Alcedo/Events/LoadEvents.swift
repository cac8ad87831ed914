import AlcedoLocks
import Synchronization

/// Sends the events of one load to its observers, in order, whichever threads reach the stages.
///
/// The thread that delivers an event also delivers those that other threads add meanwhile. So observers run without a
/// lock, one event at a time, and a slow one delays no thread but those that deliver to it. A queue would keep the
/// order, too, but wake a thread for each event.
final class LoadEvents: Sendable {
    private struct State {
        /// Events that no thread delivers yet, in order.
        var pending: [ImageLoadEvent] = []
        var isDelivering = false
        var hasEnded = false

        mutating func next() -> ImageLoadEvent? {
            isDelivering = !pending.isEmpty
            return pending.isEmpty ? nil : pending.removeFirst()
        }
    }

    private static let lastID = Atomic(0)

    static func nextID() -> Int { lastID.add(1, ordering: .relaxed).newValue }

    let id: Int
    private let source: Source
    private let observers: [any ImageLoadObserver]
    private let state = Lock(State())

    /// The events of a load of `source`; nil without observers.
    init?(of source: Source, for observers: [any ImageLoadObserver], id: Int) {
        guard !observers.isEmpty else { return nil }
        self.id = id
        self.source = source
        self.observers = observers
    }

    /// Sends an event, of this moment if no `time` is given; does nothing after the end.
    func send(_ stage: ImageLoadEvent.Stage, at time: ContinuousClock.Instant? = nil) {
        add(stage, at: time)
        deliver()
    }

    /// Adds an event, for ``deliver()`` to send; runs no code of the program's, so it may be called under a lock.
    func add(_ stage: ImageLoadEvent.Stage, at time: ContinuousClock.Instant? = nil) {
        state.withLock { state in
            guard !state.hasEnded else { return }
            state.hasEnded = stage.isEnd
            // Read under the lock, so that times never decrease.
            let time = time ?? .now
            state.pending.append(ImageLoadEvent(loadID: id, source: source, time: time, stage: stage))
        }
    }

    /// Adds the events of joining a transfer that other callers have started, or not yet.
    func addJoin(isFirst: Bool, hasStarted: Bool) {
        if !isFirst { add(.coalesced) }
        if hasStarted { add(.transferring) }
    }

    /// Sends the events that were added, unless another thread does.
    func deliver() {
        var next = state.withLock { $0.isDelivering ? nil : $0.next() }
        while let event = next {
            for observer in observers { observer.imageLoad(didReach: event) }
            next = state.withLock { $0.next() }
        }
    }
}
