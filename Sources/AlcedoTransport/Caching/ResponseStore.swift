/// Where a ``CachingTransport`` keeps responses; every method may be called on any thread.
package protocol ResponseStore: Sendable {
    /// Looks for what is kept under `key`, and calls `found` with it once, on this thread or another.
    ///
    /// The thread does not wait for a disk.
    func find(_ key: String, _ found: @escaping @Sendable (StoredResponse?) -> Void)

    /// Keeps a response, in place of what was there; returns at once.
    func store(_ response: StoredResponse, forKey key: String)

    /// Removes what is there; returns at once.
    func remove(forKey key: String)
}
