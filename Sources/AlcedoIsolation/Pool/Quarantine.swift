import AlcedoLocks

/// Images that have ended a worker; they are rejected for 10 minutes.
///
/// They are identified by a hash with a random key per process, so that collisions can't be constructed.
final class Quarantine: Sendable {
    private struct Entry {
        let hash: Int
        let end: ContinuousClock.Instant

        /// The time limit that the image has exceeded; infinite if it ended the worker otherwise.
        let seconds: Double
    }

    /// The most images that are remembered.
    private static let capacity = 256

    private static let duration = Duration.seconds(600)

    private let entries = Lock<[Entry]>([])

    /// Whether an image has ended a worker with no less time than this.
    func rejects(
        _ bytes: UnsafeRawBufferPointer, seconds: Double, at now: ContinuousClock.Instant = .now
    ) -> Bool {
        guard !bytes.isEmpty, entries.withLock({ !$0.isEmpty }) else { return false }
        let hash = Self.hash(bytes)
        return entries.withLock { $0.contains { $0.hash == hash && $0.end > now && seconds <= $0.seconds } }
    }

    func add(
        _ bytes: UnsafeRawBufferPointer, seconds: Double = .infinity, at now: ContinuousClock.Instant = .now
    ) {
        guard !bytes.isEmpty else { return }
        let entry = Entry(hash: Self.hash(bytes), end: now + Self.duration, seconds: seconds)
        entries.withLock { entries in
            entries.removeAll { $0.end <= now || $0.hash == entry.hash }
            if entries.count == Self.capacity { entries.removeFirst() }
            entries.append(entry)
        }
    }

    private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        return hasher.finalize()
    }
}
