/// What the files of a folder take together, those that are still being written included: rules without any I/O.
///
/// A store reserves its bytes before it creates a file, and settles when the file has its name or has failed. So the
/// total is never less than what lies in the folder, whoever looks.
struct DiskAccount: Equatable {
    /// Where the account was when a listing began.
    struct Mark {
        fileprivate let reservedEver: Int
        fileprivate let inFlight: Int
    }

    /// How many storages' writing can be told apart; what others write a listing does not see until it is written.
    static let places = 64

    /// Whether a listing has said what there is; until then nothing can be reserved.
    private(set) var isKnown = false

    /// Bytes of all entries, and of those being written.
    private(set) var total = 0

    /// How many listings have ended.
    private(set) var listings = 0

    private var reservedEver = 0
    // Who is killed never says that it has done, so each has a place of its own.
    private var flight = SIMD64<Int>.zero

    /// Bytes that are being written.
    var inFlight: Int { flight.wrappedSum() }

    /// Takes `bytes` of the room below `ceiling`.
    ///
    /// - Returns: whether there is so much; no if the total is not known.
    mutating func reserve(_ bytes: Int, below ceiling: Int) -> Bool {
        guard isKnown, bytes <= ceiling - total else { return false }
        total += bytes
        reservedEver &+= bytes
        return true
    }

    /// So many bytes are being written by the storage at a place, and no others.
    mutating func setFlight(_ bytes: Int, at place: Int) { flight[place] = bytes }

    /// So many bytes have gone, or were reserved and not needed.
    mutating func remove(_ bytes: Int) { total = max(0, total - bytes) }

    /// Files were stored that nobody counted.
    mutating func forget() { isKnown = false }

    /// A listing begins.
    ///
    /// - Parameter isFree: whether the one at a place is gone, so that nothing more comes of what it was writing.
    /// - Returns: where the account is now.
    mutating func beginListing(isFree: (_ place: Int) -> Bool) -> Mark {
        for place in flight.indices where flight[place] > 0 && isFree(place) { flight[place] = 0 }
        return Mark(reservedEver: reservedEver, inFlight: inFlight)
    }

    /// Takes over a listing's total.
    ///
    /// What was written meanwhile may count twice, until the next one.
    mutating func endListing(_ mark: Mark, total listed: Int) {
        total = listed + mark.inFlight + max(0, reservedEver &- mark.reservedEver)
        listings &+= 1
        isKnown = true
    }
}

// MARK: - In a file

extension DiskAccount {
    /// How many numbers ``fields`` has.
    static let fieldCount = 5 + places

    /// Everything, to be kept in a file; the last is a check.
    var fields: [Int] {
        let figures = [mark, isKnown ? 1 : 0, total, listings, reservedEver]
        let values = figures + flight.indices.map { flight[$0] }
        return values + [values.reduce(0) { ($0 &* 31) ^ $1 }]
    }

    /// What a file says; nil if that is not what ``fields`` gave.
    init?(fields: [Int]) {
        guard fields.count == Self.fieldCount + 1, fields[0] == mark,
            fields[1..<Self.fieldCount].allSatisfy((0...most).contains)
        else { return nil }
        (isKnown, total, listings, reservedEver) = (fields[1] == 1, fields[2], fields[3], fields[4])
        flight = SIMD64(fields[5..<Self.fieldCount])
        guard self.fields == fields else { return nil }
    }
}

/// No number in a file is larger, so that none of their sums overflows.
private let most = 1 << 56

/// "alcedo-2" as a number.
private let mark = 0x616c_6365_646f_2d32
