/// What the files of a folder take together, as far as this process knows.
///
/// Another process's files are counted at the next listing.
struct DiskSizeAccount {
    private var total: Int?
    private var sinceListing = 0
    private var isTrimDue = false

    /// Counts `bytes`, which may be negative.
    mutating func add(_ bytes: Int) {
        sinceListing += bytes
        total = total.map { $0 + bytes }
    }

    /// Whether the caller has to start a trim: the limit is reached or the total unknown, and none is due yet.
    mutating func claimTrim(limit: UInt) -> Bool {
        guard !isTrimDue, limit > 0, total.map({ $0 >= limit }) ?? true else { return false }
        isTrimDue = true
        return true
    }

    /// The trim that was claimed starts: a store from now on may need another.
    mutating func beginTrim() { isTrimDue = false }

    mutating func beginListing() { sinceListing = 0 }

    /// Takes over a listing's total; what came since it began may be counted twice, until the next one.
    mutating func endListing(total listed: Int) { total = listed + max(0, sinceListing) }
}
