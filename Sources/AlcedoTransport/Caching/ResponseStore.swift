/// Where a ``CachingTransport`` keeps responses; every method may be called on any thread.
package protocol ResponseStore: Sendable {
    /// Grows when responses that are on their way become too old to be kept: with ``invalidate(_:)``, and when the store
    /// is emptied.
    var generation: Int { get }

    /// Looks for what is kept under `key`, and calls `found` with it once, on this thread or another.
    ///
    /// The thread does not wait for a disk. A disk that does not answer soon has nothing.
    func find(_ key: String, _ found: @escaping @Sendable (StoredResponse?) -> Void)

    /// Keeps a response, in place of what was there, if ``generation`` is what it was when that was asked for; returns
    /// at once.
    func store(_ response: StoredResponse, forKey key: String, generation: Int)

    /// Removes what is there; returns at once.
    func remove(forKey key: String)

    /// Removes what is there, and has no response be stored that was asked for before; returns at once.
    func invalidate(_ keys: [String])
}
