/// Where a ``CachingTransport`` keeps responses; every method may be called on any thread.
package protocol ResponseStore: Sendable {
    /// What is kept under `key`; may wait for a disk.
    func response(forKey key: String) -> StoredResponse?

    /// Keeps a response, in place of what was there; returns at once.
    func store(_ response: StoredResponse, forKey key: String)

    /// Removes what is there; returns at once.
    func remove(forKey key: String)
}
