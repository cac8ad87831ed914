import AlcedoTransport

/// The last change of each key that has not reached the disk.
struct StagedResponses {
    private struct Change {
        /// Nil for a removal.
        var response: StoredResponse?

        /// Identifies the change among those of its key.
        var version: Int

        /// The write job that will apply it; 0 once that has started.
        var ticket: Int
    }

    /// The limit of staged bytes; a response beyond it is dropped, and the stored one is removed.
    private let byteLimit: Int
    private var changes: [String: Change] = [:]
    private(set) var byteCount = 0
    private var lastNumber = 0

    init(byteLimit: Int) { self.byteLimit = byteLimit }

    /// The staged response of `key`; nil if no change is staged.
    subscript(key: String) -> StoredResponse?? { changes[key].map(\.response) }

    /// The keys of the staged responses for which `isWanted` returns true.
    func keys(where isWanted: (StoredResponse) -> Bool) -> [String] {
        changes.filter { $0.value.response.map(isWanted) == true }.map(\.key)
    }

    /// The number of changes.
    var count: Int { changes.count }

    /// Adds or replaces a change.
    ///
    /// - Returns: the ticket of the write job to queue, nil if one is queued already; and the replaced response.
    mutating func stage(
        _ response: StoredResponse?, forKey key: String
    ) -> (ticket: Int?, replaced: StoredResponse?) {
        let old = remove(key)
        lastNumber += 1
        let bytes = response?.byteCount ?? 0
        let fits = byteCount + bytes <= byteLimit
        let queued = old.flatMap { $0.ticket == 0 ? nil : $0.ticket }
        changes[key] = Change(
            response: fits ? response : nil, version: lastNumber, ticket: queued ?? lastNumber)
        if fits { byteCount += bytes }
        return (queued == nil ? lastNumber : nil, old?.response)
    }

    /// The change for a write job that starts; nil if there is none.
    mutating func start(_ ticket: Int, forKey key: String) -> (response: StoredResponse?, version: Int)? {
        guard let change = changes[key], change.ticket == ticket else { return nil }
        changes[key]?.ticket = 0
        return (change.response, change.version)
    }

    /// Removes a change that was written, unless a later one replaced it.
    mutating func finish(_ version: Int, forKey key: String) {
        if changes[key]?.version == version { _ = remove(key) }
    }

    /// Removes all changes, and returns their responses.
    mutating func removeAll() -> [StoredResponse] {
        defer { (changes, byteCount) = ([:], 0) }
        return changes.values.compactMap(\.response)
    }

    private mutating func remove(_ key: String) -> Change? {
        let old = changes.removeValue(forKey: key)
        byteCount -= old?.response?.byteCount ?? 0
        return old
    }
}
