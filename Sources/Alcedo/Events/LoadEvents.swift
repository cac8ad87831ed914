/// Sends the events of one load to its observers, in order, whichever threads reach the stages.
///
/// The thread that delivers an event also delivers those that other threads add meanwhile. So observers run without a lock,
/// one event at a time, and a slow one delays no thread but those that deliver to it.
struct LoadEvents: Sendable {
    private let load: ObservedLoad
    private let observers: [any ImageLoadObserver]

    /// The events of a load of `source`; nil without observers.
    init?(of source: Source, for observers: [any ImageLoadObserver]) {
        guard !observers.isEmpty else { return nil }
        load = ObservedLoad(of: source)
        self.observers = observers
    }

    /// Identifies the load.
    var id: Int { load.id }

    /// The completion of a load that has none, because the last event comes before the completion.
    var completion: ImageLoad.Completion { { _ in } }

    /// Sends an event, of this moment if no `time` is given; does nothing after the end.
    func send(_ stage: ImageLoadEvent.Stage, at time: ContinuousClock.Instant? = nil) {
        guard let time = load.beginOrAdd(stage, at: time) else { return deliver() }
        call(ImageLoadEvent(of: load, time: time, stage: stage))
        if !load.endDelivery() { deliverRest() }
    }

    /// Adds an event, for ``deliver()`` to send; runs no code of the program's, so it may be called under a lock.
    func add(_ stage: ImageLoadEvent.Stage) { load.add(stage) }

    /// Adds the events of joining a transfer that other callers have started, or not yet.
    func addJoin(isFirst: Bool, hasStarted: Bool) {
        if !isFirst { add(.coalesced) }
        if hasStarted { add(.transferring) }
    }

    /// Sends the events that were added, unless another thread does.
    func deliver() {
        guard let event = load.take() else { return }
        call(event)
        deliverRest()
    }

    /// Sends the events that were added while this thread sent one.
    private func deliverRest() {
        while let event = load.next() { call(event) }
    }

    private func call(_ event: ImageLoadEvent) {
        for index in observers.indices { observers[index].imageLoad(didReach: event) }
    }
}
