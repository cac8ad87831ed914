import AlcedoTransport

/// Changes that have been asked for and are not on disk yet: the last one for each key.
struct StagedResponses {
    private struct Change {
        /// What to store; nil to remove.
        var response: StoredResponse?

        /// Tells the change from others of its key.
        var version: Int

        /// Names the write that will take it; 0 once that has begun.
        var ticket: Int
    }

    /// Beyond so many bytes of responses none is stored; what was there before is removed instead.
    private let byteLimit: Int
    private var changes: [String: Change] = [:]
    private var byteCount = 0
    private var lastNumber = 0

    init(byteLimit: Int) { self.byteLimit = byteLimit }

    /// What will be under `key`; nil if no change is staged for it.
    subscript(key: String) -> StoredResponse?? { changes[key].map(\.response) }

    /// Adds a change, in place of an earlier one.
    ///
    /// - Returns: the ticket of the write that is to be started for it, nil if one is about to begin anyway; and what it
    ///   has replaced.
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

    /// What the write with this ticket has to do; nil if there is nothing left to do.
    mutating func begin(_ ticket: Int, forKey key: String) -> (response: StoredResponse?, version: Int)? {
        guard let change = changes[key], change.ticket == ticket else { return nil }
        changes[key]?.ticket = 0
        return (change.response, change.version)
    }

    /// A write is over: the change is on disk, unless a later one has taken its place.
    mutating func end(_ version: Int, forKey key: String) {
        if changes[key]?.version == version { _ = remove(key) }
    }

    /// Forgets all changes.
    mutating func removeAll() {
        changes = [:]
        byteCount = 0
    }

    private mutating func remove(_ key: String) -> Change? {
        let old = changes.removeValue(forKey: key)
        byteCount -= old?.response?.byteCount ?? 0
        return old
    }
}
