import Dispatch
import Synchronization

/// Counts the files that a job goes through and the parts of them that it writes: one that takes long still counts, one
/// that hangs does not.
final class DiskProgress: Sendable {
    /// Finds the counter of the queue that runs the job.
    static let key = DispatchSpecificKey<DiskProgress>()

    private let count = Atomic(0)

    var steps: Int { count.load(ordering: .relaxed) }

    /// Counts a file or a part of one, if a queue is watched.
    static func step() {
        DispatchQueue.getSpecific(key: key)?.count.add(1, ordering: .relaxed)
    }
}
