public import Foundation

/// A store of bytes that several machines use, such as memcached, Redis or an object store.
///
/// A ``SharedImageCache`` makes it a tier of an ``ImageCache``. Keys are opaque: at most 250 bytes of ASCII without spaces.
/// Values are opaque too, at most ``SharedCacheSettings/sizeLimit`` and some 64 KiB of headers. The store may lose a value at
/// any time.
///
/// Methods are called on threads for stores, which they may block, many at a time; see <doc:YourCode>. Each call has a time
/// limit, after which its task is cancelled and its result ignored. What a method throws counts as a failure of the store, and
/// the load goes on without it.
public protocol SharedImageStore: Sendable {
    /// The value of a key; nil if there is none.
    func value(forKey key: String) async throws -> Data?

    /// The values of several keys, without those that are missing; by default one call of ``value(forKey:)`` after another.
    func values(forKeys keys: [String]) async throws -> [String: Data]

    /// Sets a value, which expires after `seconds`, or never for 0.
    func set(_ value: Data, forKey key: String, expiringAfter seconds: Int) async throws

    /// Sets a value if the key has none; false if it has one.
    ///
    /// Must be atomic: of several machines that add at the same time, one gets true.
    func add(_ value: Data, forKey key: String, expiringAfter seconds: Int) async throws -> Bool

    /// Deletes a value; a missing one is no error.
    func delete(_ key: String) async throws

    /// The copies of a value that each node has of its own, nil for a node that has none, without the nodes that don't respond.
    ///
    /// Of use to a store whose nodes lose their values independently. By default ``value(forKey:)``.
    func copies(ofKey key: String) async throws -> [Data?]

    /// Sets a value on every node, which never expires; by default ``set(_:forKey:expiringAfter:)``.
    func setCopies(_ value: Data, forKey key: String) async throws
}

extension SharedImageStore {
    /// One call of ``value(forKey:)`` after another.
    public func values(forKeys keys: [String]) async throws -> [String: Data] {
        var values: [String: Data] = [:]
        for key in keys { values[key] = try await value(forKey: key) }
        return values
    }

    /// The value as the only copy.
    public func copies(ofKey key: String) async throws -> [Data?] { [try await value(forKey: key)] }

    /// Sets the value once.
    public func setCopies(_ value: Data, forKey key: String) async throws {
        try await set(value, forKey: key, expiringAfter: 0)
    }
}

/// A store of several nodes, of which it leaves alone those that fail.
///
/// The task of a call is cancelled after nine tenths of the time limit: what it returns at once then still counts.
package protocol SharedNodeStore: SharedImageStore {
    /// Whether a node works that is not the only one, so that a failed call may concern another.
    var hasUsableNode: Bool { get }

    var nodeCount: Int { get }

    /// Deletes a value from these nodes, whether they have the key or not.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - nodes: numbers from 0.
    ///   - confirm: called for each node that has confirmed, perhaps after the call was given up.
    /// - Throws: an error of a node that has not.
    func deleteCopies(
        ofKey key: String, from nodes: [Int], confirm: @escaping @Sendable (_ node: Int) -> Void
    ) async throws
}

/// An error of a store that knows whether it has tried.
package protocol SharedStoreError: Error {
    /// Whether the call was left out, because its node is left alone or too many calls were waiting.
    var isSkipped: Bool { get }
}
