import AlcedoLocks

/// The counters of a ``MemcachedStore``, and the present state of its servers.
public struct MemcachedMetrics: Sendable, Equatable, Codable {
    /// The counters and the state of one server.
    public struct Node: Sendable, Equatable, Codable {
        /// `host:port`.
        public var server: String

        /// Whether it is used, suspended, or probed.
        public var state = State.used

        /// Whether the other servers have its keys for the moment.
        public var isReplaced = false

        /// Reads that found a value.
        public var hits = 0

        /// Reads that found none.
        public var misses = 0

        /// Failures by libmemcached's name of them; `A TIMEOUT OCCURRED` also for calls that took longer than their caller waited.
        public var errors: [String: Int] = [:]

        /// Calls that were skipped while the server was suspended.
        public var skipped = 0

        /// Bytes of values read.
        public var receivedBytes = 0

        /// Bytes of values written.
        public var sentBytes = 0

        /// How long calls took, those that failed included.
        public var latencies = Latencies()

        /// See `Array.unshared`.
        var copy: Node {
            var copy = self
            copy.errors = errors.unshared
            copy.latencies.counts = latencies.counts.unshared
            return copy
        }
    }

    /// Whether a server is used.
    public enum State: String, Sendable, Codable {
        case used

        /// It has failed often, and gets no calls.
        case suspended

        /// One call tries whether it works again.
        case probed
    }

    /// Durations, counted by powers of 2.
    public struct Latencies: Sendable, Equatable, Codable {
        /// The number of durations below 1, 2, 4, … microseconds, each without those of the entry before; the last, below
        /// 8 s, has the longer ones too.
        public var counts = [Int](repeating: 0, count: 24)

        public var total: Int { counts.reduce(0, +) }

        /// The least power of 2 microseconds that a share of the durations stays below, in seconds; 0 without any.
        ///
        /// The share is from 0 to 1, such as 0.99.
        public func quantile(_ share: Double) -> Double {
            var left = Double(total) * share
            guard total > 0 else { return 0 }
            for (exponent, count) in counts.enumerated() {
                left -= Double(count)
                if left <= 0 { return Double(1 << exponent) / 1e6 }
            }
            return Double(1 << (counts.count - 1)) / 1e6
        }

        mutating func add(_ duration: Duration) {
            let microseconds = max(0, Int(duration / .microseconds(1)))
            counts[min(Int.bitWidth - microseconds.leadingZeroBitCount, counts.count - 1)] += 1
        }
    }

    /// The servers, in the order of the initialiser.
    public var nodes: [Node]

    /// Calls that are queued now.
    public var waitingCalls = 0

    /// Calls that failed because they were queued too long, or the queue was full.
    public var overloads = 0
}
