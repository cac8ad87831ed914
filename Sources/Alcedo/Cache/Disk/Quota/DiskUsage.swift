/// The bytes in a folder and those reserved for stores: plain arithmetic, no I/O.
struct DiskUsage: Equatable {
    /// Whether a listing has set ``total``; nothing can be reserved before.
    var isCounted = false

    /// Bytes of all entries and of all reservations.
    private(set) var total = 0

    /// Bytes ever reserved.
    private(set) var reserved = 0

    /// ``reserved`` at the last listing.
    private var reservedAtCount = 0

    /// Bytes reserved since the last listing.
    ///
    /// Two processes that replace a file at once may both release it, so ``total`` drifts by a small share of these.
    var reservedSinceCount: Int { (reserved - reservedAtCount) & mask }

    mutating func reserve(_ bytes: Int) {
        total += bytes
        reserved = (reserved + bytes) & mask
    }

    /// Returns bytes that were not needed, or whose file was removed.
    mutating func release(_ bytes: Int) { total = max(0, total - bytes) }

    /// Replaces the total by a listing's; `start` is ``reserved`` when the listing began.
    ///
    /// Counts a file that was stored during the listing twice, until the next one.
    mutating func setCount(_ bytes: Int, since start: Int) {
        total = bytes + ((reserved - start) & mask)
        reservedAtCount = reserved
        isCounted = true
    }
}

// MARK: - File format

extension DiskUsage {
    /// How many numbers ``fields`` has.
    static let fieldCount = 6

    /// All values, as the file has them; the last one is a checksum.
    var fields: [Int] {
        let values = [signature, isCounted ? 1 : 0, total, reserved, reservedAtCount]
        return values + [values.reduce(0) { ($0 &* 31) ^ $1 }]
    }

    /// Nil unless `fields` come from ``fields``.
    init?(fields: [Int]) {
        guard fields.count == Self.fieldCount, fields[0] == signature,
            fields[1...4].allSatisfy((0...mask).contains)
        else { return nil }
        (isCounted, total, reserved, reservedAtCount) = (fields[1] == 1, fields[2], fields[3], fields[4])
        guard self.fields == fields else { return nil }
    }
}

/// No number in the file is larger, so sums don't overflow.
private let mask = (1 << 56) - 1

/// "alcedo-3" as a number.
private let signature = 0x616c_6365_646f_2d33
