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
        guard let directory = try openDirectory() else { return }
        try forEach(in: directory) { name, attributes in
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
        guard let directory = try openDirectory() else { return }
        let isDoomed: (stat) -> Bool = {
            $0.stamp.isPast(at: now) && !(sparingOverdue && $0.isOverdue(at: now))
        }
        var removals = DiskRemovals(ledger: ledger)
        func remove(_ removals: inout DiskRemovals) {
            removals.remove { name in
                naming { directory.remove(name, if: isDoomed) }
            } told: { name, attributes, bytes in
                if bytes != nil { removed(name) } else { kept(attributes) }
            }
        }
        try forEach(in: directory) { name, attributes in
            guard let attributes, !isTemporary(name, in: directory, attributes, abandonedAt: now) else {
                directory.remove(name)
                return
            }
            guard isEntry(name, attributes) else { return }
            guard isDoomed(attributes) else { return kept(attributes) }
            removals.append(name, attributes)
            if removals.areDue { remove(&removals) }
        }
        remove(&removals)
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
        guard let directory = try openDirectory() else { return 0 }
        let age = cutoff
        var (cutoff, freed) = (cutoff, 0)
        var removals = DiskRemovals(ledger: ledger)
        func remove(_ removals: inout DiskRemovals) {
            removals.remove { name in
                naming { directory.remove(name, if: age.isReached) }
            } told: { name, _, bytes in
                guard let bytes else { return }
                freed += bytes
                removed(name)
            }
        }
        try forEach(in: directory) { name, attributes in
            guard let attributes, isEntry(name, attributes), cutoff.isOld(attributes) else { return }
            cutoff.count(attributes)
            removals.append(name, attributes)
            if removals.areDue { remove(&removals) }
        }
        remove(&removals)
        return freed
    }

    /// Removes all files and links but those that begin with a dot and are not abandoned temporaries.
    ///
    /// - Returns: how many went, and how many could not be removed.
    @discardableResult
    func removeAll(at now: Date) throws(SweepError) -> (removed: Int, left: Int) {
        guard let directory = try openDirectory() else { return (0, 0) }
        var (removed, left) = (0, 0)
        try forEach(in: directory) { name, attributes in
            guard name.pointee == CChar(bitPattern: UInt8(ascii: ".")) else {
                if directory.remove(name) { removed += 1 } else { left += 1 }
                return
            }
            if let attributes, isTemporary(name, in: directory, attributes, abandonedAt: now) {
                directory.remove(name)
            }
        }
        return (removed, left)
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

    private func openDirectory() throws(SweepError) -> DiskDirectory? {
        do throws(DiskDirectory.OpeningFailed) { return try DiskDirectory(path: path) } catch {
            throw .opening(error.cause)
        }
    }

    private func forEach(
        in directory: borrowing DiskDirectory,
        _ body: (UnsafePointer<CChar>, stat?) -> Void
    ) throws(SweepError) {
        do throws(DiskDirectory.ReadingFailed) { try directory.forEach(body) } catch {
            throw .reading(error.cause)
        }
    }
}
