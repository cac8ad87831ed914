import AlcedoLocks
import Dispatch
import Foundation
import Glibc

/// When the next trim of one storage starts, and for how much room.
struct TrimSchedule {
    /// Whether files were stored without a limit since the last listing.
    var hasUncountedStores = false

    /// The largest value that was dropped for want of room since the last trim, in bytes.
    private(set) var wanted = 0

    /// The files evicted because of the limit so far, and their bytes.
    private(set) var evicted = (files: 0, bytes: 0)

    private var isScheduled = false
    private var earliest = DispatchTime(uptimeNanoseconds: 0)

    /// Whether the caller has to start a trim: none is scheduled, and the last one was not futile a second ago.
    mutating func schedule(for bytes: Int = 0, at now: DispatchTime = .now()) -> Bool {
        wanted = max(wanted, bytes)
        guard !isScheduled, now >= earliest else { return false }
        isScheduled = true
        return true
    }

    /// Starts a trim; a store may schedule the next one from now on.
    mutating func begin() -> Int {
        isScheduled = false
        defer { wanted = 0 }
        return wanted
    }

    mutating func countEvicted(files: Int, bytes: Int) {
        evicted.files += files
        evicted.bytes += bytes
    }

    /// Delays the next trim if this one could free nothing.
    mutating func end(isFutile: Bool, at now: DispatchTime = .now()) {
        if isFutile { earliest = now + 1 }
    }
}

extension DiskStorage.Backend {
    /// Writes a file within the limit.
    ///
    /// A trim starts in the background at the limit. Above the limit and 5 % a store is dropped with `overQuota`, and
    /// counted, until the trim has made room. A value that reaches the limit alone fails with `EFBIG`.
    func write(_ file: NewFile, limit: Int) throws(DiskFolder.WriteError) {
        guard limit > 0 else {
            trims.withLock { $0.hasUncountedStores = true }
            _ = try writeMakingFolder(file)
            return
        }
        let bytes = file.data.count
        guard bytes < limit else { throw .content(POSIXError(.EFBIG)) }
        if trims.withLock({ exchange(&$0.hasUncountedStores, with: false) }) { quota.invalidate() }
        var (isReserved, isRefused, listings) = (false, false, 0)
        do throws(DiskFolder.WriteError) {
            let replaced = try writeMakingFolder(file) {
                isReserved = isReserved || reserve(bytes, limit: limit)
                isRefused = !isReserved
                listings = quota.listings
                return isReserved
            }
            quota.release(replaced, since: listings)
        } catch {
            if isReserved { quota.release(bytes, since: listings) }
            if isRefused {
                quota.countRefusal()
                scheduleTrim(for: bytes)
            }
            throw error
        }
        if quota.needsTrim(limit: limit) { scheduleTrim() }
    }

    /// Reserves bytes whose staging file exists; lists the folder first if no process has.
    private func reserve(_ bytes: Int, limit: Int) -> Bool {
        let decision = quota.reserve(bytes, limit: limit)
        guard decision == .uncounted else { return decision == .granted }
        return counting.withLock {
            // Another thread may have counted meanwhile.
            let decision = quota.reserve(bytes, limit: limit)
            guard decision == .uncounted else { return decision == .granted }
            _ = try? trimLocked(to: limit, for: bytes, removesExpired: true, excluding: bytes)
            return quota.reserve(bytes, limit: limit) == .granted
        }
    }

    /// Writes; if the folder is missing, makes it and writes again.
    ///
    /// The staging file may be what is missing: a sweep by a clock far ahead takes a new one for an abandoned one.
    private func writeMakingFolder(
        _ file: NewFile, reserve: () -> Bool = { true }
    ) throws(DiskFolder.WriteError) -> Int {
        for _ in 0..<9 {
            do throws(DiskFolder.WriteError) { return try folder.write(file, reserve: reserve) } catch {
                guard case .content(let cause) = error, cause.code == .ENOENT else { throw error }
                do throws(POSIXError) { try makeFolder(folder.path) } catch { throw .content(error) }
            }
        }
        return try folder.write(file, reserve: reserve)
    }
}

// MARK: - Trimming

extension DiskStorage.Backend {
    private func scheduleTrim(for bytes: Int = 0) {
        guard trims.withLock({ $0.schedule(for: bytes) }) else { return }
        housekeeping.async { [weak self] in self?.trimIfNeeded() }
    }

    /// Evicts in the background, expired entries first; ignores errors.
    private func trimIfNeeded() {
        let wanted = trims.withLock { $0.begin() }
        let limit = Int(clamping: config.sizeLimit)
        guard limit > 0, wanted > 0 || quota.needsTrim(limit: limit) else { return }
        let freed = try? trim(to: limit, for: wanted, removesExpired: true)
        trims.withLock { $0.end(isFutile: freed == 0) }
    }

    /// Lists the folder and, if the limit is reached, evicts the least recently read entries down to half of it.
    ///
    /// - Parameters:
    ///   - limit: the limit, in bytes.
    ///   - wanted: bytes of a value that needs room; makes more than half the limit free if it has to.
    ///   - removesExpired: whether expired entries are removed in any case.
    ///   - removed: called with the name of each entry evicted because of the limit.
    /// - Returns: the bytes evicted because of the limit; nil if it is not reached.
    /// - Throws: `SweepError` if the folder can't be listed.
    @discardableResult
    func trim(
        to limit: Int, for wanted: Int = 0, removesExpired: Bool = false,
        removed: (UnsafePointer<CChar>) -> Void = { _ in }
    ) throws(DiskFolder.SweepError) -> Int? {
        counting.lock()
        defer { counting.unlock() }
        return try trimLocked(to: limit, for: wanted, removesExpired: removesExpired, removed: removed)
    }

    /// `staged` are the bytes of a staging file that are not reserved yet.
    private func trimLocked(
        to limit: Int, for wanted: Int, removesExpired: Bool, excluding staged: Int = 0,
        removed: (UnsafePointer<CChar>) -> Void = { _ in }
    ) throws(DiskFolder.SweepError) -> Int? {
        var (entries, total) = try count(removesExpired: removesExpired, excluding: staged)
        guard total >= limit || wanted > DiskQuota.ceiling(of: limit) - total else { return nil }
        let target = min(limit / 2, max(0, limit - limit / 50 - wanted))
        guard let cutoff = entries.cutoff(downTo: target, keepingNewestBelow: wanted > 0 ? 0 : limit) else {
            return 0
        }
        var (freed, files, listings) = (0, 0, quota.listings)
        defer { trims.withLock { $0.countEvicted(files: files, bytes: freed) } }
        try folder.evict(cutoff, at: now()) { name, bytes in
            listings = quota.evict(bytes, since: listings)
            freed += bytes
            files += 1
            removed(name)
        }
        return freed
    }

    /// Lists the folder and corrects the quota's total.
    ///
    /// - Parameters:
    ///   - removesExpired: whether expired entries are removed, not counted.
    ///   - unreserved: bytes of a staging file that are not reserved yet.
    /// - Returns: the entries, and the bytes of all entries and reservations.
    /// - Throws: `SweepError` if the folder can't be listed.
    @discardableResult
    func count(
        removesExpired: Bool = false, excluding unreserved: Int = 0
    ) throws(DiskFolder.SweepError) -> (entries: EvictionOrder, total: Int) {
        let now = now()
        let count = quota.beginCount()
        var entries = EvictionOrder(now: now)
        var staged = -unreserved
        try folder.sweep(
            at: now,
            removing: { removesExpired && $0.isExpired(at: now, sparingOverdue: true) },
            kept: { entries.append($0) },
            staging: { staged += $0 }
        )
        return (entries, quota.endCount(count, total: entries.totalSize + staged))
    }
}
