/// The bytes in a folder and those reserved for stores: plain arithmetic, no I/O.
struct DiskUsage: Equatable {
    /// Whether a listing has set ``total``; nothing can be reserved before.
    var isCounted = false

    /// Bytes of all entries and of all reservations.
    private(set) var total = 0

    /// Bytes ever reserved, less those released.
    private(set) var balance = 0

    mutating func reserve(_ bytes: Int) {
        total += bytes
        balance += bytes
    }

    /// Returns bytes that were not needed, or whose file was replaced or removed by a caller.
    mutating func release(_ bytes: Int) {
        total = max(0, total - bytes)
        balance -= bytes
    }

    /// Subtracts files that a trim or a sweep removed.
    ///
    /// They don't change the balance: a listing that runs meanwhile does not see them, and would subtract them again.
    mutating func evict(_ bytes: Int) { total = max(0, total - bytes) }

    /// Replaces the total by a listing's; `start` is ``balance`` when the listing began.
    mutating func setCount(_ bytes: Int, since start: Int) {
        total = max(0, bytes + balance - start)
        isCounted = true
    }
}

// MARK: - File format

extension DiskUsage {
    /// How many numbers ``fields`` has.
    static let fieldCount = 5

    /// All values, as the file has them; the last one is a checksum.
    var fields: [Int] {
        let values = [signature, isCounted ? 1 : 0, total, balance]
        return values + [values.reduce(0) { ($0 &* 31) ^ $1 }]
    }

    /// Nil unless `fields` come from ``fields``.
    init?(fields: [Int]) {
        guard fields.count == Self.fieldCount, fields[0] == signature, 0...1 ~= fields[1],
            0...largestNumber ~= fields[2], -largestNumber...largestNumber ~= fields[3]
        else { return nil }
        (isCounted, total, balance) = (fields[1] == 1, fields[2], fields[3])
        guard self.fields == fields else { return nil }
    }
}

/// No number in the file is larger, so sums don't overflow.
private let largestNumber = 1 << 56

/// "alcedo-3" as a number.
private let signature = 0x616c_6365_646f_2d33
