/// Observes loads: which stages they pass through, and how long each takes.
///
/// Set in ``KingfisherManager/observers`` for all loads of a manager, or as the option `observers` for one load. Loads without
/// an observer create no events.
public protocol ImageLoadObserver: Sendable {
    /// Called for each event of a load, in order, and never for two events of one load at a time.
    ///
    /// Events of different loads come at the same time. Called on the thread that reached the stage, such as the caller's,
    /// the network's or a worker's, without any lock; must return quickly, because it delays that load and, on the network
    /// thread, all transfers. It may start and cancel loads.
    ///
    /// The last event is exactly one that ``ImageLoadEvent/Stage/isEnd``. It comes before the load's completion, on the same
    /// thread, unless this method is still busy with an earlier event of the load on another thread: that one then delivers
    /// the rest.
    func imageLoad(didReach event: ImageLoadEvent)
}
