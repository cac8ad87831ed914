/// What the files of a folder take together, those that are still being written included: rules without any I/O.
///
/// A store reserves its bytes before it creates a file, and settles when the file has its name or has failed. So the
/// total is never less than what lies in the folder, whoever looks.
struct DiskAccount: Equatable {
    /// Bytes that a store may write.
    struct Reservation: Equatable {
        var bytes: Int
        let generation: Int
    }

    /// Where the account was when a listing began.
    struct Mark {
        fileprivate let reservedEver: Int
        fileprivate let inFlight: Int
    }

    /// Whether a listing has said what there is; until then nothing can be reserved.
    private(set) var isKnown = false

    /// Bytes of all entries, and of those being written.
    private(set) var total = 0

    private var reservedEver = 0
    // A process that is killed never settles. What is in flight is therefore counted in two generations, and what
    // is left of the one before the last is forgotten.
    private var flight = (0, 0)
    private var generation = 0
    private var turned = 0

    static func == (left: Self, right: Self) -> Bool { left.fields == right.fields }

    /// Bytes that are being written.
    var inFlight: Int { flight.0 + flight.1 }

    /// Takes `bytes` of the room below `ceiling`; nil if there is not so much, or the total is not known.
    mutating func reserve(_ bytes: Int, below ceiling: Int) -> Reservation? {
        guard isKnown, bytes <= ceiling - total else { return nil }
        total += bytes
        reservedEver &+= bytes
        if generation == 0 { flight.0 += bytes } else { flight.1 += bytes }
        return Reservation(bytes: bytes, generation: generation)
    }

    /// A store is over: its bytes are an entry's now, or were given up and are to be removed.
    mutating func settle(_ reservation: Reservation) {
        if reservation.generation == 0 {
            flight.0 = max(0, flight.0 - reservation.bytes)
        } else {
            flight.1 = max(0, flight.1 - reservation.bytes)
        }
    }

    /// So many bytes have gone, or were reserved and not needed.
    mutating func remove(_ bytes: Int) { total = max(0, total - bytes) }

    /// Files were stored that nobody counted.
    mutating func forget() { isKnown = false }

    /// A listing begins at `now`, in seconds.
    mutating func beginListing(at now: Int) -> Mark {
        if abs(now - turned) >= longestWrite {
            turned = now
            generation = 1 - generation
            if generation == 0 { flight.0 = 0 } else { flight.1 = 0 }
        }
        return Mark(reservedEver: reservedEver, inFlight: inFlight)
    }

    /// Takes over a listing's total.
    ///
    /// What was written meanwhile may count twice, until the next one.
    mutating func endListing(_ mark: Mark, total listed: Int) {
        total = listed + mark.inFlight + max(0, reservedEver &- mark.reservedEver)
        isKnown = true
    }
}

/// Seconds after which a store that has not settled counts as that of a killed process, at the latest twice as many.
private let longestWrite = 60

// MARK: - In a file

extension DiskAccount {
    /// How many numbers ``fields`` has.
    static let fieldCount = 8

    /// Everything, to be kept in a file; the last is a check.
    var fields: [Int] {
        let values = [mark, isKnown ? 1 : 0, total, reservedEver, flight.0, flight.1, generation, turned]
        return values + [values.reduce(0) { ($0 &* 31) ^ $1 }]
    }

    /// What a file says; nil if that is not what ``fields`` gave.
    init?(fields: [Int]) {
        guard fields.count == Self.fieldCount + 1, fields[0] == mark,
            fields[1..<Self.fieldCount].allSatisfy((0...most).contains)
        else { return nil }
        (isKnown, total, reservedEver) = (fields[1] == 1, fields[2], fields[3])
        (flight, generation, turned) = ((fields[4], fields[5]), fields[6] & 1, fields[7])
        guard self.fields == fields else { return nil }
    }
}

/// No number in a file is larger, so that none of their sums overflows.
private let most = 1 << 60

/// "alcedo-1" as a number.
private let mark = 0x616c_6365_646f_2d31
