/// The storage of a ``CachingTransport``; every method may be called on any thread.
package protocol ResponseStore: Sendable {
    /// Grows with ``invalidate(_:)`` and when the store is cleared: responses requested before must not be stored then.
    var generation: Int { get }

    /// Looks up `key`, and calls `found` once, on this thread or another.
    ///
    /// Does not block on a disk; one that is slow counts as empty.
    func find(_ key: String, _ found: @escaping @Sendable (StoredResponse?) -> Void)

    /// Stores or replaces a response if ``generation`` has not changed since its request; returns at once.
    func store(_ response: StoredResponse, forKey key: String, generation: Int)

    /// Removes the response of a key; returns at once.
    func remove(forKey key: String)

    /// Removes the responses, and prevents storing those requested before; returns at once.
    func invalidate(_ keys: [String])
}
