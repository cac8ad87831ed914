import AlcedoCaches
import AlcedoLocks
import Foundation

/// Counts results that the disk cache could not store, and reports that its disk is full, and that it no longer is.
final class DiskWrites: Sendable {
    /// Why a result was not stored; raw values are those of the metrics.
    enum Failure: String, CaseIterable, Sendable {
        /// The disk, or the user's share of it.
        case full
        /// The disk hangs, or is slower than results are created.
        case slow
        case other

        init(_ error: DiskStorage.Failure) {
            self =
                switch error.cause {
                case let error as POSIXError where [.ENOSPC, .EDQUOT].contains(error.code): .full
                case is DiskStallError: .slow
                default: .other
                }
        }
    }

    private struct State {
        var failures: [Failure: Int] = [:]
        var isFull = false
        /// The first success after the last store that found the disk full.
        var hasSpaceSince: ContinuousClock.Instant?

        mutating func succeed(at now: ContinuousClock.Instant) {
            guard isFull else { return }
            let since = hasSpaceSince ?? now
            hasSpaceSince = since
            if now - since >= DiskWrites.recovery { isFull = false }
        }

        mutating func fail(_ failure: Failure) {
            failures[failure, default: 0] += 1
            if failure == .full { (isFull, hasSpaceSince) = (true, nil) }
        }
    }

    /// How long stores must succeed until a disk is full no longer: small results still fit on a full one.
    private static let recovery = Duration.seconds(60)

    private let state = Lock(State())
    private let folder: String
    private let now: @Sendable () -> ContinuousClock.Instant
    private let warn: @Sendable (String) -> Void

    init(
        folder: String, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        warn: @escaping @Sendable (String) -> Void
    ) {
        (self.folder, self.now, self.warn) = (folder, now, warn)
    }

    /// Notes how a store has ended.
    func ended(_ result: Result<Void, DiskStorage.Failure>) {
        let now = now()
        let (wasFull, isFull) = state.withLock { state in
            let wasFull = state.isFull
            switch result {
            case .success: state.succeed(at: now)
            case .failure(let error): state.fail(Failure(error))
            }
            return (wasFull, state.isFull)
        }
        if isFull, !wasFull {
            warn("the disk of \(folder) is full: results are kept in memory only until it has space")
        } else if wasFull, !isFull {
            warn("the disk of \(folder) has space again: results are kept there")
        }
    }

    /// Adds the metrics.
    func write(to text: inout MetricsText) {
        let (failures, isFull) = state.withLock { state in
            // No shared storage leaves the lock (decision 0009).
            (Failure.allCases.map { ($0.rawValue, state.failures[$0] ?? 0) }, state.isFull)
        }
        text.counters(
            "disk_cache_failures_total", "Results that the disk cache could not store.", "reason", failures)
        text.gauge("disk_cache_full", "1 while the disk of the cache is full.", isFull ? 1 : 0)
    }
}
