import Glibc

/// Entries that are to be removed and counted out: in one step, so that neither happens twice.
///
/// Nobody replaces an entry while that happens. It happens for sixteen of them at a time, so that stores that wait get room
/// soon; without an account, at once.
struct DiskRemovals {
    private let ledger: DiskLedger?
    private var entries: [(name: String, attributes: stat)] = []

    init(ledger: DiskLedger?) { self.ledger = ledger }

    /// Whether they should be removed now.
    var areDue: Bool { entries.count == 16 || ledger == nil && !entries.isEmpty }

    mutating func append(_ name: UnsafePointer<CChar>, _ attributes: stat) {
        entries.append((String(cString: name), attributes))
    }

    /// Removes all.
    ///
    /// - Parameters:
    ///   - removeOne: removes the entry of that name if it still is to go; returns its bytes, or nil.
    ///   - told: is called for each afterwards, with its name, what its attributes were, and its bytes if it was removed.
    mutating func remove(
        _ removeOne: (String) -> Int?,
        told: (String, stat, Int?) -> Void
    ) {
        guard !entries.isEmpty else { return }
        let due = entries
        entries.removeAll(keepingCapacity: true)
        let bytes =
            ledger.map { ledger in
                ledger.withAccount { account in
                    let bytes = due.map { removeOne($0.name) }
                    account.remove(bytes.reduce(0) { $0 + ($1 ?? 0) })
                    return bytes
                }
            } ?? due.map { removeOne($0.name) }
        for (entry, bytes) in zip(due, bytes) { told(entry.name, entry.attributes, bytes) }
    }
}
