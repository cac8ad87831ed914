import AlcedoLocks

extension FileQueue {
    /// The reads of a volume.
    struct Volume {
        var pending = FIFOQueue<Job>()

        /// Reads that were cancelled since `pending` was last rid of them; some may have left it by themselves.
        private var cancelled = 0

        /// Its threads, without those that a receiver blocks.
        var occupied = 0

        /// Whether it is in ``State/ready``.
        var isReady = false

        /// The reads that wait for a thread.
        var waitingCount: Int { pending.queued.reduce(0) { $0 + ($1.isOver ? 0 : 1) } }

        /// Removes the cancelled reads once they may be most of `pending`: one at a time, each would be a walk through all.
        mutating func countCancelled() -> [Job] {
            cancelled += 1
            guard cancelled > pending.count / 2 else { return [] }
            cancelled = 0
            return pending.removeAll(where: \.isOver)
        }

        mutating func apply(
            _ change: (inout Self) -> Void, width: Int
        ) -> (becomesReady: Bool, isUnused: Bool) {
            change(&self)
            let becomesReady = !isReady && !pending.isEmpty && occupied < width
            if becomesReady { isReady = true }
            return (becomesReady, pending.isEmpty && occupied == 0 && !isReady)
        }
    }
}
