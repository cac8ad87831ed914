import AlcedoLocks
import Dispatch
import Foundation
import Glibc

/// When the next trim of one storage starts.
package struct TrimSchedule {
    /// Whether files were stored without a limit since the last listing.
    var hasUncountedStores = false

    /// The files evicted because of the limit so far, and their bytes.
    package private(set) var evicted = (files: 0, bytes: 0)

    private var isScheduled = false
    private var lastCleaning: Date?
    private var earliest = DispatchTime(uptimeNanoseconds: 0)
    private var earliestForStore = DispatchTime(uptimeNanoseconds: 0)

    /// Whether the caller has to start a trim: none is scheduled, and the last one was not futile a second ago.
    mutating func schedule(at now: DispatchTime = .now()) -> Bool {
        guard !isScheduled, now >= earliest else { return false }
        isScheduled = true
        return true
    }

    /// Whether no cleaning has started for 10 minutes; starts one.
    mutating func startCleaning(at now: Date) -> Bool {
        // Absolute, because the clock may have been set back.
        if let lastCleaning, abs(now.timeIntervalSince(lastCleaning)) < 600 { return false }
        lastCleaning = now
        return true
    }

    /// Whether a trim for a store may free something: the last one for a store was not futile a second ago.
    ///
    /// One in the background keeps the newest entry, which such a trim evicts.
    func mayFreeForStore(at now: DispatchTime = .now()) -> Bool { now >= earliestForStore }

    /// Starts a trim; a store may schedule the next one from now on.
    mutating func start() { isScheduled = false }

    mutating func countEvicted(files: Int, bytes: Int) {
        evicted.files += files
        evicted.bytes += bytes
    }

    /// Delays the next trim if this one could free nothing.
    mutating func end(isFutile: Bool, isForStore: Bool = false, at now: DispatchTime = .now()) {
        guard isFutile else { return }
        earliest = now + 1
        if isForStore { earliestForStore = now + 1 }
    }
}

/// When something happens during a listing.
enum ListingMoment { case starts, ends }

extension DiskStorage.Core {
    /// Writes a file within the limit.
    ///
    /// A trim starts in the background at the limit. Above the limit and 5 % a store waits for it, or trims itself. If that
    /// makes no room, the store is dropped with `overQuota`, and counted. A value that reaches the limit alone fails with
    /// `EFBIG`.
    func write(_ file: NewFile, limit: Int) throws(DiskFolder.WriteError) {
        guard limit > 0 else {
            trims.withLock { $0.hasUncountedStores = true }
            _ = try writeMakingFolder(file)
            return
        }
        let bytes = file.data.count
        guard bytes < limit else { throw .content(POSIXError(.EFBIG)) }
        if trims.withLock({ exchange(&$0.hasUncountedStores, with: false) }) { quota.invalidate() }
        var (isReserved, isRejected, listings) = (false, false, 0)
        do throws(DiskFolder.WriteError) {
            let replaced = try writeMakingFolder(file) { staging in
                isReserved = isReserved || reserve(bytes, for: staging, limit: limit)
                isRejected = !isReserved
                listings = quota.listings
                return isReserved
            }
            quota.release(replaced, since: listings)
        } catch {
            if isReserved { quota.release(bytes, since: listings) }
            if isRejected { quota.countRejection() }
            throw error
        }
        if quota.needsTrim(limit: limit) { scheduleTrim() }
    }

    /// Reserves bytes for a staging file; lists the folder first if no process has, and trims it if it is full.
    private func reserve(_ bytes: Int, for staging: Int32, limit: Int) -> Bool {
        var attributes = stat()
        let file = fstat(staging, &attributes) == 0 ? attributes.st_ino : nil
        if quota.reserve(bytes, for: file, limit: limit) == .granted { return true }
        let isGranted = counting.withLock {
            // Other processes may list and store meanwhile, so that what a trim frees is not enough.
            for _ in 0..<3 {
                // Another thread may have counted or trimmed meanwhile.
                let decision = quota.reserve(bytes, for: file, limit: limit)
                if decision == .granted { return true }
                guard decision == .uncounted || trims.withLock({ $0.mayFreeForStore() }) else { return false }
                let freed = try? trimLocked(to: limit, for: bytes, removesExpired: true)
                trims.withLock { $0.end(isFutile: freed == 0, isForStore: true) }
            }
            return quota.reserve(bytes, for: file, limit: limit) == .granted
        }
        if !isGranted, let file { quota.withdraw(file) }
        return isGranted
    }

    /// Writes; if the folder is missing, creates it and writes again.
    ///
    /// The staging file may be what is missing: a sweep by a clock far ahead takes a new one for an abandoned one.
    private func writeMakingFolder(
        _ file: NewFile, reserve: (Int32) -> Bool = { _ in true }
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

extension DiskStorage.Core {
    /// Has `clean` called in the background after the first store, and after one at least 10 minutes after the last cleaning.
    package func cleanIfDue(_ clean: @escaping @Sendable () -> Void) {
        let now = now()
        if trims.withLock({ $0.startCleaning(at: now) }) { housekeeping.async(execute: clean) }
    }

    private func scheduleTrim() {
        guard trims.withLock({ $0.schedule() }) else { return }
        housekeeping.async { [weak self] in self?.trimIfNeeded() }
    }

    /// Evicts in the background, expired entries first; ignores errors.
    private func trimIfNeeded() {
        trims.withLock { $0.start() }
        let limit = Int(clamping: config.sizeLimit)
        guard limit > 0, quota.needsTrim(limit: limit) else { return }
        let freed = try? trim(to: limit, removesExpired: true)
        trims.withLock { $0.end(isFutile: freed == 0) }
    }

    /// Lists the folder and, if the limit is reached, evicts the least recently read entries down to half of it.
    ///
    /// - Parameters:
    ///   - limit: the limit, in bytes.
    ///   - removesExpired: whether expired entries are removed in any case.
    ///   - removed: called with the name of each entry evicted because of the limit.
    /// - Returns: the bytes evicted because of the limit; nil if it is not reached.
    /// - Throws: `SweepError` if the folder can't be listed.
    @discardableResult
    func trim(
        to limit: Int, removesExpired: Bool = false, removed: (UnsafePointer<CChar>) -> Void = { _ in }
    ) throws(DiskFolder.SweepError) -> Int? {
        counting.lock()
        defer { counting.unlock() }
        return try trimLocked(to: limit, for: 0, removesExpired: removesExpired, removed: removed)
    }

    /// `wanted` are the bytes of a value that needs room; makes more than half the limit free if it has to.
    private func trimLocked(
        to limit: Int, for wanted: Int, removesExpired: Bool,
        removed: (UnsafePointer<CChar>) -> Void = { _ in }
    ) throws(DiskFolder.SweepError) -> Int? {
        var (entries, total) = try count(removesExpired: removesExpired)
        guard total >= limit || wanted > DiskQuota.ceiling(of: limit) - total else { return nil }
        let target = min(limit / 2, max(0, limit - limit / 50 - wanted))
        guard let cutoff = entries.cutoff(downTo: target, keepingNewestBelow: wanted > 0 ? 0 : limit) else {
            return 0
        }
        var (freed, files, listings) = (0, 0, quota.listings)
        defer { trims.withLock { $0.countEvicted(files: files, bytes: freed) } }
        // A second listing: the first one keeps no names, as a folder may have a million entries.
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
    ///   - body: called after the listing has begun, and before it ends.
    /// - Returns: the entries, and the bytes of all entries and reservations.
    /// - Throws: `SweepError` if the folder can't be listed.
    @discardableResult
    func count(
        removesExpired: Bool = false, during body: (ListingMoment) -> Void = { _ in }
    ) throws(DiskFolder.SweepError) -> (entries: EvictionOrder, total: Int) {
        let now = now()
        var listing = FolderCount(since: .coarse)
        let count = quota.startCount()
        body(.starts)
        var entries = EvictionOrder(now: now)
        do throws(DiskFolder.SweepError) {
            try folder.sweep(
                at: now,
                removing: { removesExpired && $0.isExpired(at: now, sparingOverdue: true) },
                kept: {
                    entries.append($0)
                    listing.add($0)
                },
                staging: { listing.addStaging($0, bytes: $1) }
            )
        } catch {
            quota.cancelCount()
            throw error
        }
        body(.ends)
        return (entries, quota.endCount(count, total: listing.total, recent: listing.recent))
    }
}
