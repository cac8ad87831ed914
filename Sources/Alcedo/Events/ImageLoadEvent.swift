/// A stage that a load has reached; the stage lasts until the load's next event.
public struct ImageLoadEvent: Sendable {
    private let load: ObservedLoad

    /// When the stage was reached.
    public let time: ContinuousClock.Instant

    /// The stage.
    public let stage: Stage

    /// Makes an event.
    public init(loadID: Int, source: Source, time: ContinuousClock.Instant, stage: Stage) {
        self.init(of: ObservedLoad(of: source, id: loadID), time: time, stage: stage)
    }

    init(of load: ObservedLoad, time: ContinuousClock.Instant, stage: Stage) {
        self.load = load
        self.time = time
        self.stage = stage
    }

    /// Identifies the load within this process; all events of a load have the same.
    public var loadID: Int { load.id }

    /// The source of the call.
    public var source: Source { load.source }
}
