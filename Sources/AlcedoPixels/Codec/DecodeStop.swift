import Synchronization

/// Ends a decode job that has started, as if its time were up; from any thread.
package final class DecodeStop: Sendable, Equatable {
    private let flag = Atomic(false)

    package init() {}

    package var isStopped: Bool { flag.load(ordering: .relaxed) }

    package func stop() { flag.store(true, ordering: .relaxed) }

    package static func == (left: DecodeStop, right: DecodeStop) -> Bool { left === right }
}
