import AlcedoLocks

/// What the nodes have confirmed of a removal.
final class SharedConfirmations: Sendable {
    /// What is deleted from each node.
    ///
    /// While a node may still have the lease, a load that began before the removal may store its value on any other. So
    /// a value has to be deleted once more when all servers have dropped the lease.
    enum Deletion: Hashable {
        case lease(_ name: String)
        case value(_ name: String)
        case valueAfterLease(_ name: String)

        var name: String {
            switch self {
            case .lease(let name), .value(let name), .valueAfterLease(let name): name
            }
        }
    }

    private let nodes = Lock<[Deletion: Set<Int>]>([:])

    func add(_ node: Int, _ deletion: Deletion) {
        nodes.withLock { _ = $0[deletion, default: []].insert(node) }
    }

    /// Those of `count` nodes that have not.
    func missing(_ deletion: Deletion, of count: Int) -> [Int] {
        let confirmed = nodes.withLock { $0[deletion] ?? [] }
        return (0..<count).filter { !confirmed.contains($0) }
    }
}

/// The removals that a shared store has not confirmed: plain bookkeeping, no I/O.
///
/// There is one a key. Beyond a limit they are replaced by a new epoch, which removes everything.
struct SharedRemovals {
    /// Learns whether the store has confirmed a removal.
    typealias Waiter = @Sendable (_ isDelivered: Bool) -> Void

    /// What is to be done for a removal.
    enum Step {
        case delete

        /// Does those that wait, too.
        case raiseEpoch
    }

    /// A removal that is being delivered.
    struct Delivery {
        let key: SharedKey

        /// When it was called for the last time.
        let calledAt: ContinuousClock.Instant

        /// Those since then.
        let confirmations: SharedConfirmations
        let waiters: [Waiter]
    }

    /// The removals that a new epoch does.
    struct Raise {
        fileprivate let last: Int
        fileprivate let waiters: [Waiter]
    }

    private struct Entry {
        let key: SharedKey
        var number: Int
        var calledAt: ContinuousClock.Instant
        var confirmations = SharedConfirmations()
        var waiters: [Waiter] = []
    }

    private let limit: Int
    private var entries: [String: Entry] = [:]

    /// Those of ``entries`` whose last attempt has failed.
    private var failed: Set<String> = []
    private var lastNumber = 0

    /// The last removal that needs a new epoch; nil if none does.
    private var dueNumber: Int?
    private var epochWaiters: [Waiter] = []

    init(limit: Int) { self.limit = limit }

    /// Whether a new epoch is needed, so that no value may be used until then.
    var needsEpoch: Bool { dueNumber != nil }

    /// Whether the store may still have the value of a key that was removed.
    func isRemoving(_ key: SharedKey) -> Bool { needsEpoch || entries[key.digest] != nil }

    /// The last removal so far.
    var last: Int { lastNumber }

    /// How many of the removals up to this one are not confirmed; a needed epoch counts 1.
    func undelivered(upTo last: Int) -> Int {
        entries.values.count { $0.number <= last } + (needsEpoch ? 1 : 0)
    }

    /// What the nodes have confirmed of a removal that is not done.
    func confirmations(of key: SharedKey) -> SharedConfirmations? { entries[key.digest]?.confirmations }

    /// The keys whose last attempt has failed.
    var failedKeys: [SharedKey] { failed.compactMap { entries[$0]?.key } }

    var hasFailures: Bool { !failed.isEmpty }

    mutating func add(_ key: SharedKey, then: @escaping Waiter) -> Step {
        lastNumber += 1
        if !needsEpoch, entries[key.digest] != nil || entries.count < limit {
            var entry =
                entries[key.digest] ?? Entry(key: key, number: lastNumber, calledAt: .now)
            (entry.number, entry.calledAt) = (lastNumber, .now)
            // What the nodes have confirmed before may have been stored again.
            entry.confirmations = SharedConfirmations()
            entry.waiters.append(then)
            entries[key.digest] = entry
            return .delete
        }
        dueNumber = lastNumber
        epochWaiters += entries.values.flatMap(\.waiters) + [then]
        (entries, failed) = ([:], [])
        return .raiseEpoch
    }

    /// Starts an attempt; nil if the removal is done by now.
    mutating func start(_ key: SharedKey) -> Delivery? {
        guard let entry = entries[key.digest] else { return nil }
        entries[key.digest]?.waiters = []
        return Delivery(
            key: key, calledAt: entry.calledAt, confirmations: entry.confirmations, waiters: entry.waiters)
    }

    /// Ends an attempt; a removal that was called meanwhile needs another.
    ///
    /// - Returns: whether the removal is done; nil if that is left to a new epoch, which has to be raised.
    mutating func end(_ delivery: Delivery, isDelivered: Bool) -> Bool? {
        let digest = delivery.key.digest
        guard let entry = entries[digest] else {
            // Too many waited meanwhile, or the epoch was raised.
            guard !isDelivered, needsEpoch else { return true }
            lastNumber += 1
            dueNumber = lastNumber
            epochWaiters += delivery.waiters
            return nil
        }
        if isDelivered, entry.calledAt == delivery.calledAt, entry.waiters.isEmpty {
            entries[digest] = nil
            failed.remove(digest)
        } else if !isDelivered {
            failed.insert(digest)
        }
        return isDelivered
    }

    /// Starts to raise the epoch.
    mutating func startRaise() -> Raise {
        defer { epochWaiters = [] }
        return Raise(last: lastNumber, waiters: epochWaiters)
    }

    /// Ends that; returns who learns of it.
    mutating func end(_ raise: Raise, isRaised: Bool) -> [Waiter] {
        guard isRaised else { return raise.waiters }
        let done = entries.filter { $0.value.number <= raise.last }
        for digest in done.keys { entries[digest] = nil }
        failed.subtract(done.keys)
        if let due = dueNumber, due <= raise.last { dueNumber = nil }
        return raise.waiters + done.values.flatMap(\.waiters)
    }
}
