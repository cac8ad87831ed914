import AlcedoLocks
import Dispatch
import Foundation
import Glibc

/// What one storage remembers of its size limit; the account itself is its folder's.
struct SizeLimitState {
    /// Whether this storage has listed the folder.
    var hasCounted = false

    /// Whether it has stored without a limit since.
    var hasMissedStores = false

    /// How many trims have ended.
    private(set) var trims = 0

    /// Whether the last one found nothing to remove though room was needed.
    private(set) var isHopeless = false

    private var isTrimDue = false

    /// What each store that waits for room is to write, in bytes.
    private var waiting: [Int] = []

    /// Whether the caller has to start a trim: none is waiting, and it has never counted or the folder is full.
    ///
    /// - Parameter isFull: whether the limit is reached, or what a store waits to write does not fit.
    /// - Returns: whether it is the caller's turn.
    mutating func claimTrim(isFull: Bool) -> Bool {
        guard !isTrimDue, isFull || !hasCounted else { return false }
        isTrimDue = true
        return true
    }

    /// The trim that was claimed begins: what happens from now on may need another.
    mutating func beginTrim() { isTrimDue = false }

    /// The most bytes that a store waits to write; 0 if none waits.
    var mostWaiting: Int { waiting.max() ?? 0 }

    mutating func beginWaiting(for bytes: Int) { waiting.append(bytes) }

    mutating func endWaiting(for bytes: Int) {
        if let index = waiting.firstIndex(of: bytes) { waiting.remove(at: index) }
    }

    mutating func endTrim(isHopeless: Bool) {
        self.isHopeless = isHopeless
        trims += 1
    }
}

extension DiskStorage.Backend {
    /// Writes a file; with a limit, waits until there is room for it.
    ///
    /// From the limit on, a trim runs behind; from a fiftieth beyond it on, stores wait for that. A file that reaches
    /// the limit by itself is refused.
    func write(_ file: NewFile, limit: Int) throws(DiskFolder.WriteError) {
        guard limit > 0 else {
            limitState.withLock { $0.hasMissedStores = true }
            try writeMakingFolder { () throws(DiskFolder.WriteError) in try folder.write(file) }
            return
        }
        let spare = limit / 64
        let bytes = file.data.count
        do throws(POSIXError) { try reserve(bytes, spare: spare, limit: limit) } catch {
            throw .content(error)
        }
        let total: Int
        do throws(DiskFolder.WriteError) {
            try writeMakingFolder { () throws(DiskFolder.WriteError) in
                try folder.write(file, ledger: ledger)
            }
            total = ledger.settle(bytes, isStored: true, spare: spare)
        } catch {
            ledger.settle(bytes, isStored: false, spare: spare)
            throw error
        }
        if limitState.withLock({ $0.claimTrim(isFull: total >= limit) }) { trimLater() }
    }

    /// Writes; if the folder has gone, makes it again and writes again.
    ///
    /// The file may be what has gone: a sweep by a clock far ahead takes one that has just been made for an old one.
    private func writeMakingFolder(
        _ write: () throws(DiskFolder.WriteError) -> Void
    ) throws(DiskFolder.WriteError) {
        var attemptsLeft = 10
        while true {
            do throws(DiskFolder.WriteError) {
                return try write()
            } catch {
                attemptsLeft -= 1
                guard attemptsLeft > 0, case .content(let cause) = error, cause.code == .ENOENT else {
                    throw error
                }
                do throws(POSIXError) { try makeFolder(folder.path) } catch { throw .content(error) }
            }
        }
    }

    private func reserve(_ bytes: Int, spare: Int, limit: Int) throws(POSIXError) {
        guard bytes < limit else { throw POSIXError(.EFBIG) }
        if limitState.withLock({ exchange(&$0.hasMissedStores, with: false) }) {
            ledger.withAccount(emptyingPurse: true) { $0.forget() }
        }
        if ledger.reserve(bytes, below: ceiling(limit), spare: spare) { return }
        let waits = config.waitsForRoom
        if !waits, !ledger.withAccount({ $0.isKnown }) {
            // There may be room, but nobody has counted yet.
            _ = try? count()
            if ledger.reserve(bytes, below: ceiling(limit), spare: spare) { return }
        }
        limitState.withLock { $0.beginWaiting(for: bytes) }
        guard waits else {
            if limitState.withLock({ $0.claimTrim(isFull: true) }) { trimLater() }
            // The trim that comes first makes room for as much; the next one that is stored gets it.
            housekeeping.async { [weak self] in self?.limitState.withLock { $0.endWaiting(for: bytes) } }
            throw POSIXError(.EDQUOT)
        }
        defer { limitState.withLock { $0.endWaiting(for: bytes) } }
        let deadline = DispatchTime.now() + 60
        let trimsBefore = limitState.withLock { $0.trims }
        var pause: UInt32 = 100
        while !ledger.reserve(bytes, below: ceiling(limit), spare: spare) {
            // All the room is taken by files that can't be removed, or by stores that do not end.
            let isHopeless = limitState.withLock { $0.isHopeless && $0.trims > trimsBefore }
            if isHopeless || DispatchTime.now() > deadline { throw POSIXError(.EDQUOT) }
            if limitState.withLock({ $0.claimTrim(isFull: true) }) { trimLater() }
            usleep(pause)
            pause = min(pause * 2, 10_000)
        }
    }

    /// Up to where stores need not wait.
    private func ceiling(_ limit: Int) -> Int {
        let (sum, overflow) = limit.addingReportingOverflow(limit / 50)
        return overflow ? .max : sum
    }
}

// MARK: - Trimming

extension DiskStorage.Backend {
    private func trimLater() {
        housekeeping.async { [weak self] in self?.trimIfFull() }
    }

    /// Makes room if need be; what has expired goes first.
    ///
    /// That the folder can't be listed is reported by the methods that do so for a caller.
    private func trimIfFull() {
        let turn = TrimTurn.wait(for: folder)
        let (bytes, hasCounted) = limitState.withLock { state in
            state.beginTrim()
            return (state.mostWaiting, state.hasCounted)
        }
        let limit = Int(clamping: config.sizeLimit)
        var isHopeless = false
        let room = limit > 0 ? ceiling(limit) - bytes : .max
        if limit > 0,
            !hasCounted || ledger.withAccount({ !$0.isKnown || $0.total >= limit || $0.total > room })
        {
            do throws(DiskFolder.SweepError) {
                let freed = try trim(to: limit, removesExpired: true)
                isHopeless = freed == 0 && ledger.withAccount { $0.inFlight == 0 && $0.total > room }
            } catch {
                isHopeless = true
            }
        }
        _ = consume turn
        limitState.withLock { $0.endTrim(isHopeless: isHopeless) }
    }

    /// Lists the folder and, if it is full, removes what was read least recently, down to half the limit.
    ///
    /// - Parameters:
    ///   - limit: the limit, in bytes.
    ///   - removesExpired: whether entries that have expired go in any case.
    ///   - removed: called with the name of each entry removed because of the limit.
    /// - Returns: the bytes of these; nil if it is not full, or only of what is being written.
    /// - Throws: `SweepError` if the folder can't be listed.
    func trim(
        to limit: Int,
        removesExpired: Bool = false,
        removed: (UnsafePointer<CChar>) -> Void = { _ in }
    ) throws(DiskFolder.SweepError) -> Int? {
        var (ages, inFlight) = try count(removesExpired: removesExpired)
        // Who waited when this began may have stored by now; that must not be what room is made in.
        let bytes = limitState.withLock { $0.mostWaiting }
        let total = ages.totalSize + inFlight
        guard total >= limit || bytes > ceiling(limit) - total else { return nil }
        // A large value needs more than half, and should not be the reason for the next trim. What is being written
        // will be listed soon: it is waited for, not made room for.
        let rest = min(limit / 2, max(0, limit - limit / 50 - bytes))
        guard let cutoff = ages.cutoff(downTo: rest, keepingNewestBelow: bytes > 0 ? 0 : limit) else {
            return nil
        }
        return try folder.removeOldest(cutoff, ledger: ledger, removed: removed)
    }

    /// Lists the folder and puts the account right.
    ///
    /// - Parameter removesExpired: whether entries that have expired are removed, not counted.
    /// - Returns: the entries, and the bytes that were being written meanwhile.
    /// - Throws: `SweepError` if the folder can't be listed.
    @discardableResult
    func count(
        removesExpired: Bool = false
    ) throws(DiskFolder.SweepError) -> (ages: DiskAges, inFlight: Int) {
        let now = now()
        limitState.withLock { $0.hasCounted = true }
        let mark = ledger.beginListing()
        var ages = DiskAges(now: now)
        if removesExpired {
            try folder.removeExpired(
                at: now, sparingOverdue: true, ledger: ledger, kept: { ages.append($0) })
        } else {
            try folder.forEachEntry(removingAbandonedAt: now) { ages.append($1) }
        }
        let listed = ages.totalSize
        let total = ledger.withAccount { account in
            account.endListing(mark, total: listed)
            return account.total
        }
        return (ages, total - listed)
    }
}
