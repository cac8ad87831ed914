/// A stage that a load has reached; the stage lasts until the load's next event.
public struct ImageLoadEvent: Sendable {
    /// Identifies the load within this process; all events of a load have the same.
    public let loadID: Int

    /// The source of the call.
    public let source: Source

    /// When the stage was reached.
    public let time: ContinuousClock.Instant

    /// The stage.
    public let stage: Stage

    /// Makes an event.
    public init(loadID: Int, source: Source, time: ContinuousClock.Instant, stage: Stage) {
        self.loadID = loadID
        self.source = source
        self.time = time
        self.stage = stage
    }
}
