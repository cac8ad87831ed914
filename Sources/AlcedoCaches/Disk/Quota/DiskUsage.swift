/// The bytes in a folder and those reserved for stores: plain arithmetic, no I/O.
struct DiskUsage: Equatable {
    /// Whether a listing has set ``total``; nothing can be reserved before.
    var isCounted = false

    /// Bytes of all entries and of all reservations.
    private(set) var total = 0

    /// Bytes ever reserved, less those that no file was written with.
    private(set) var balance = 0

    /// How many listings have set ``total``.
    private(set) var listings = 0

    mutating func reserve(_ bytes: Int) {
        total += bytes
        balance += bytes
    }

    /// Returns bytes that no file was written with.
    mutating func release(_ bytes: Int) {
        total = max(0, total - bytes)
        balance -= bytes
    }

    /// Subtracts files that were removed or replaced.
    ///
    /// They don't change the balance: a listing that runs meanwhile may not see them, and would subtract them again.
    mutating func subtract(_ bytes: Int) { total = max(0, total - bytes) }

    /// Replaces the total by a listing's; `start` is ``balance`` when the listing began.
    mutating func setCount(_ bytes: Int, since start: Int) {
        total = max(0, bytes + balance - start)
        isCounted = true
        listings = (listings + 1) % largestNumber
    }
}

// MARK: - File format

extension DiskUsage {
    /// How many numbers ``fields`` has.
    static let fieldCount = 6

    /// All values, as the file has them; the last one is a checksum.
    var fields: [Int] {
        let values = [signature, isCounted ? 1 : 0, total, balance, listings]
        return values + [values.reduce(0) { ($0 &* 31) ^ $1 }]
    }

    /// Nil unless `fields` come from ``fields``.
    init?(fields: [Int]) {
        guard fields.count == Self.fieldCount, fields[0] == signature, 0...1 ~= fields[1],
            0...largestNumber ~= fields[2], -largestNumber...largestNumber ~= fields[3],
            0...largestNumber ~= fields[4]
        else { return nil }
        (isCounted, total, balance, listings) = (fields[1] == 1, fields[2], fields[3], fields[4])
        guard self.fields == fields else { return nil }
    }
}

/// No number in the file is larger, so sums don't overflow.
private let largestNumber = 1 << 56

/// "alcedo-4" as a number.
private let signature = 0x616c_6365_646f_2d34
