import AlcedoLocks

extension ImagePrefetcher {
    /// What became of a source.
    public enum Outcome: Sendable {
        /// The cache had it.
        case skipped

        /// It was loaded, and the caches have it.
        case completed

        /// It could not be loaded, or its server forbids to store it.
        case failed(KingfisherError)
    }

    /// A prefetcher's progress after one more source.
    public struct Progress: Sendable {
        /// The source that has just ended.
        public let source: Source

        /// What became of it.
        public let outcome: Outcome

        /// How many sources were skipped so far.
        public let skippedCount: Int

        /// How many sources have failed so far.
        public let failedCount: Int

        /// How many sources were loaded so far.
        public let completedCount: Int

        /// How many sources the prefetcher has.
        public let totalCount: Int

        /// How many sources have ended so far.
        public var finishedCount: Int { skippedCount + failedCount + completedCount }
    }

    /// Starts, and returns the progress after each source, in order of their ends; the sequence ends with the last one.
    ///
    /// The prefetcher stops if the task that iterates is cancelled, or if the loop is left and the sequence released. After
    /// ``stop()`` the sequence ends early: sources that were not started are not part of it. A prefetcher that runs already
    /// reports the sources that end from now on. Needs no main queue; the progress block and the completion handler are
    /// called too.
    public func run() -> AsyncStream<Progress> {
        let (stream, continuation) = AsyncStream.makeStream(of: Progress.self)
        continuation.onTermination = { [self] reason in
            if case .cancelled = reason { stop() }
        }
        let isFinished = work.withLock { work in
            if !work.isFinished { work.observers.append(continuation) }
            return work.isFinished
        }
        if isFinished { continuation.finish() } else { start() }
        return stream
    }
}
