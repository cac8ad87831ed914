public import Foundation

/// Changes of a disk cache that a flush has not seen reach the disk, or removals that the shared cache has not confirmed.
public struct CacheFlushError: Error, Equatable {
    /// Stores, removals and clears that were still pending when the time was over, and removals of values from
    /// ``ImageCache/sharedCache`` that its store has not confirmed.
    public let pendingCount: Int

    /// Bytes of the pending stores; an image that is still being encoded counts 0.
    public let pendingBytes: Int

    /// Stores that failed during the flush, for example because the disk is full.
    public let failedCount: Int

    package init(pendingCount: Int, pendingBytes: Int, failedCount: Int = 0) {
        (self.pendingCount, self.pendingBytes) = (pendingCount, pendingBytes)
        self.failedCount = failedCount
    }

    /// The sum of several caches' errors; nil if there is none.
    package init?(_ errors: [CacheFlushError]) {
        guard !errors.isEmpty else { return nil }
        self.init(
            pendingCount: errors.reduce(0) { $0 + $1.pendingCount },
            pendingBytes: errors.reduce(0) { $0 + $1.pendingBytes },
            failedCount: errors.reduce(0) { $0 + $1.failedCount })
    }
}

extension CacheFlushError: LocalizedError, CustomStringConvertible {
    public var description: String {
        let pending =
            "\(pendingCount) changes with \(pendingBytes) bytes have not reached the disk or the shared cache in time"
        let failed = "\(failedCount) stores have failed"
        return pendingCount == 0 ? failed : failedCount == 0 ? pending : "\(pending), and \(failed)"
    }

    public var errorDescription: String? { description }
}
