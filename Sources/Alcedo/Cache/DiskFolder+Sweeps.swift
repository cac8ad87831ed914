import Foundation
import Glibc

extension DiskFolder {
    enum SweepError: Error {
        case opening(POSIXError)
        case reading(POSIXError)

        var cause: POSIXError {
            switch self {
            case .opening(let cause), .reading(let cause): cause
            }
        }
    }

    /// Calls `body` for each entry, that is each regular file but those with a leading dot.
    ///
    /// - Parameters:
    ///   - now: the time, if abandoned temporaries are to be removed.
    ///   - body: gets the name and the attributes.
    /// - Throws: ``SweepError`` if the folder can't be listed.
    func forEachEntry(
        removingAbandonedAt now: Date? = nil,
        _ body: (UnsafePointer<CChar>, stat) -> Void
    ) throws(SweepError) {
        try forEach { directory, name, attributes in
            guard let attributes else { return }
            if isEntry(name, attributes) {
                body(name, attributes)
            } else if let now, isTemporary(name, in: directory, attributes, abandonedAt: now) {
                directory.remove(name)
            }
        }
    }

    /// Removes the entries that have expired at `now` or whose attributes can't be read, and abandoned temporaries.
    ///
    /// - Parameters:
    ///   - now: the time.
    ///   - sparingOverdue: whether entries stay that expired so long ago that the clock may be wrong.
    ///   - ledger: where the entries are counted, if they are.
    ///   - removed: called with the name of each entry removed.
    ///   - kept: called with the attributes of each entry that stays.
    /// - Throws: ``SweepError`` if the folder can't be listed.
    func removeExpired(
        at now: Date,
        sparingOverdue: Bool,
        ledger: DiskLedger?,
        removed: (UnsafePointer<CChar>) -> Void = { _ in },
        kept: (stat) -> Void = { _ in }
    ) throws(SweepError) {
        var debit = Debit(ledger: ledger)
        defer { debit.tell() }
        try forEach { directory, name, attributes in
            guard let attributes, !isTemporary(name, in: directory, attributes, abandonedAt: now) else {
                directory.remove(name)
                return
            }
            guard isEntry(name, attributes) else { return }
            let isDoomed: (stat) -> Bool = {
                $0.stamp.isPast(at: now) && !(sparingOverdue && $0.isOverdue(at: now))
            }
            if isDoomed(attributes), let bytes = directory.remove(name, if: isDoomed) {
                debit.add(bytes)
                removed(name)
            } else {
                kept(attributes)
            }
        }
    }

    /// Removes the entries that were last read before the cutoff, and at it as many as it says.
    ///
    /// What was stored, read or removed since the cutoff was chosen is not touched, so two processes may do this at once.
    ///
    /// - Parameters:
    ///   - cutoff: how old is too old.
    ///   - ledger: where the entries are counted.
    ///   - removed: called with the name of each entry removed.
    /// - Returns: the bytes removed.
    /// - Throws: ``SweepError`` if the folder can't be listed.
    func removeOldest(
        _ cutoff: DiskAges.Cutoff,
        ledger: DiskLedger?,
        removed: (UnsafePointer<CChar>) -> Void = { _ in }
    ) throws(SweepError) -> Int {
        var (cutoff, freed) = (cutoff, 0)
        var debit = Debit(ledger: ledger)
        defer { debit.tell() }
        try forEach { directory, name, attributes in
            guard let attributes, isEntry(name, attributes), cutoff.isOld(attributes) else { return }
            guard let bytes = directory.remove(name, if: { cutoff.isOld($0) }) else { return }
            cutoff.count(attributes)
            freed += bytes
            debit.add(bytes)
            removed(name)
        }
        return freed
    }

    /// Removes all files and links but those that begin with a dot and are not abandoned temporaries.
    func removeAll(at now: Date) throws(SweepError) {
        try forEach { directory, name, attributes in
            let isHidden = name.pointee == CChar(bitPattern: UInt8(ascii: "."))
            guard
                !isHidden
                    || attributes.map({ isTemporary(name, in: directory, $0, abandonedAt: now) }) ?? false
            else { return }
            directory.remove(name)
        }
    }

    private func isEntry(_ name: UnsafePointer<CChar>, _ attributes: stat) -> Bool {
        attributes.isRegularFile && name.pointee != CChar(bitPattern: UInt8(ascii: "."))
    }

    private func isTemporary(
        _ name: UnsafePointer<CChar>,
        in directory: borrowing DiskDirectory,
        _ attributes: stat,
        abandonedAt now: Date
    ) -> Bool {
        guard name.pointee == CChar(bitPattern: UInt8(ascii: ".")) else { return false }
        return TemporaryName.isAbandoned(name, in: directory.descriptor, attributes: attributes, at: now)
    }

    private func forEach(
        _ body: (borrowing DiskDirectory, UnsafePointer<CChar>, stat?) -> Void
    ) throws(SweepError) {
        let directory: DiskDirectory?
        do throws(DiskDirectory.OpeningFailed) {
            directory = try DiskDirectory(path: path)
        } catch {
            throw .opening(error.cause)
        }
        guard let directory else { return }
        do throws(DiskDirectory.ReadingFailed) {
            try directory.forEach { body(directory, $0, $1) }
        } catch {
            throw .reading(error.cause)
        }
    }
}

/// Tells the account of removed files, sixteen at a time, so that stores that wait get room soon.
private struct Debit {
    let ledger: DiskLedger?
    private var bytes = 0
    private var count = 0
    private var listings: Int?

    init(ledger: DiskLedger?) {
        self.ledger = ledger
        listings = ledger?.withAccount { $0.listings }
    }

    mutating func add(_ removed: Int) {
        bytes += removed
        count += 1
        if count == 16 { tell() }
    }

    mutating func tell() {
        let (removed, before) = (bytes, listings)
        listings = ledger?.withAccount { account in
            // A listing that has ended since may not have counted them any more.
            if account.listings == before { account.remove(removed) }
            return account.listings
        }
        (bytes, count) = (0, 0)
    }
}
