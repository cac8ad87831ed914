public import Foundation

/// Which failures a downloader remembers, and for how long.
///
/// It remembers failures that a second request would only repeat. Failed connections, timeouts and cancellations are never
/// among them.
public struct FailureMemory: Sendable, Equatable {
    /// The time from a failure until it is forgotten, in seconds; 300 by default.
    public var duration: TimeInterval

    /// The HTTP statuses to remember; 404 and 410 by default.
    ///
    /// Only a status that the downloader rejects is a failure.
    public var statusCodes: Set<Int>

    /// Whether to remember bodies that are no image, or a damaged one; true by default.
    ///
    /// Those that exceed the `DecodeLimits`, and those that a processor of the program's rejects, are not remembered.
    public var includesUndecodableBodies: Bool

    /// The most URLs to remember; 1,000 by default.
    ///
    /// Beyond it, those that expire first are forgotten.
    public var countLimit: Int

    /// Remembers failures for `duration` seconds.
    public init(
        duration: TimeInterval = 300, statusCodes: Set<Int> = [404, 410],
        includesUndecodableBodies: Bool = true, countLimit: Int = 1_000
    ) {
        self.duration = duration
        self.statusCodes = statusCodes
        self.includesUndecodableBodies = includesUndecodableBodies
        self.countLimit = countLimit
    }
}
