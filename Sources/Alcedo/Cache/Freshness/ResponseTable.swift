import AlcedoLocks
import Synchronization

/// The response records of a cache in memory, the least recently used ones of which are evicted.
final class ResponseTable: Sendable {
    /// The number of the setting, for ``freshness``.
    private let setting = Atomic<UInt8>(0)

    /// Whether a load of this process has stored or read a record.
    let isUsed = Atomic(false)

    private let records = Lock(LRUTable<ResponseRecord>())

    /// The limit in bytes: some 2,000 records.
    private static let byteLimit = 4 << 20

    /// How loads respect freshness, unless their options say otherwise.
    var freshness: HTTPFreshness {
        get {
            switch setting.load(ordering: .relaxed) {
            case 0: .ignored
            case 1: .respected
            default: .revalidated
            }
        }
        set {
            let number: UInt8 =
                switch newValue {
                case .ignored: 0
                case .respected: 1
                case .revalidated: 2
                }
            setting.store(number, ordering: .relaxed)
        }
    }

    subscript(key: String) -> ResponseRecord? { records.withLock { $0.touch(key) } }

    /// Sets a key's record, and returns the one before.
    @discardableResult
    func set(_ record: ResponseRecord, forKey key: String) -> ResponseRecord? {
        let (old, evicted) = records.withLock { records in
            let old = records.remove(key)
            return (old, Self.insert(record, key, &records))
        }
        withExtendedLifetime(evicted) {}
        return old
    }

    /// Sets the record that was read from disk, unless there is one or `isCurrent` is false; returns the present one.
    func fill(_ record: ResponseRecord, forKey key: String, if isCurrent: () -> Bool) -> ResponseRecord? {
        let (present, evicted) = records.withLock { records -> (ResponseRecord?, [ResponseRecord]) in
            if let present = records.touch(key) { return (present, []) }
            guard isCurrent() else { return (nil, []) }
            return (record, Self.insert(record, key, &records))
        }
        withExtendedLifetime(evicted) {}
        return present
    }

    func remove(forKey key: String) {
        let removed = records.withLock { $0.remove(key) }
        withExtendedLifetime(removed) {}
    }

    func removeAll() {
        let removed = records.withLock { records in
            defer { records = LRUTable() }
            return records
        }
        withExtendedLifetime(removed) {}
    }

    private static func insert(
        _ record: ResponseRecord, _ key: String, _ records: inout LRUTable<ResponseRecord>
    ) -> [ResponseRecord] {
        let cost = record.response.byteCount + key.utf8.count
        let evicted = records.purge(toCost: max(0, byteLimit - cost))
        records.insert(record, forKey: key, cost: cost)
        return evicted
    }
}
