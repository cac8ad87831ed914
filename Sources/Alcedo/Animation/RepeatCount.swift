extension AnimatedImageView {
    /// The number of times an animation is played.
    public enum RepeatCount: Hashable, Sendable {
        /// Once.
        case once
        /// A number of times; 0 counts as 1.
        case finite(count: UInt)
        /// Forever.
        case infinite

        /// Whether both counts are equal; `.once` equals a count of 1.
        public static func == (left: RepeatCount, right: RepeatCount) -> Bool { left.count == right.count }

        /// Hashes the count.
        public func hash(into hasher: inout Hasher) { hasher.combine(count) }

        /// Nil for forever.
        private var count: UInt? {
            switch self {
            case .once: 1
            case .finite(let count): count
            case .infinite: nil
            }
        }

        /// The number of loops, at least 1; nil for forever.
        var plays: UInt? { count.map { max(1, $0) } }
    }
}
