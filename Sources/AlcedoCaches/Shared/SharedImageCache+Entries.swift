import AlcedoLocks
package import AlcedoTransport
package import Foundation

// Values that a program encodes itself, by keys of its own: with the leases, signatures and limits of images.

/// What a lookup of an entry has found.
package enum SharedEntry: Sendable {
    /// Bytes; those that are aging should be created again in the background.
    case found(Data, isAging: Bool)

    /// The source has failed a moment ago.
    case failedBefore(RememberedFailure)

    /// Nothing, with the right to store it.
    case missed(SharedEntryRight?)
}

/// What to do about an entry that is out of date.
package enum SharedEntryReplacing: Sendable {
    /// Nothing: another machine has replaced it by these bytes.
    case found(Data)

    /// The source has failed a moment ago.
    case failedBefore(RememberedFailure)

    /// Replace it, with the right to store the new one.
    case leads(SharedEntryRight)

    /// Nothing: another machine replaces it.
    case left
}

/// The right to create an entry that no machine has.
///
/// Other machines wait until it is used or its last copy is gone.
package struct SharedEntryRight: Sendable {
    fileprivate let fetch: SharedFetch
    fileprivate let key: SharedKey

    /// Whether the fleet has an entry, which is to be replaced before it expires.
    package var isRenewal: Bool { fetch.isRenewal }

    /// Stores the bytes for at most `lifetime` seconds, in the background; once.
    package func store(_ bytes: Data, lifetime: TimeInterval) {
        fetch.announceEnd()
        // Lifetimes vary by 10 %, but none exceeds the given one.
        let lifetime = min(lifetime / 1.1, fetch.cache.settings.timeToLive.seconds)
        guard lifetime >= 1, fetch.claim() else { return }
        SharedWrite(of: key, for: fetch, lifetime: lifetime, isCurrent: { true })
            .store(bytes, type: "")
    }

    /// Has the fleet remember that the source does not exist or is no image, or else that it fails for the moment.
    package func fail(status: Int, reason: String, isMissing: Bool) {
        fetch.announceEnd()
        let settings = fetch.cache.settings
        // The old entry is better than an error.
        if fetch.isRenewal, !isMissing { return fetch.keepLease() }
        let lifetime = isMissing ? settings.missingTimeToLive : settings.failureTimeToLive
        guard lifetime > .zero, fetch.claim() else { return }
        let now = fetch.cache.now()
        fetch.cache.write(
            RememberedFailure(
                status: status, reason: reason, date: now,
                expiration: now.addingTimeInterval(lifetime.seconds)),
            for: fetch)
    }
}

extension SharedImageCache {
    /// Looks up an entry; on a miss, waits up to `wait` seconds for the machine that creates it, and not beyond
    /// ``SharedCacheSettings/leaseWait``.
    package func entry(forKey key: String, wait: TimeInterval) async -> SharedEntry {
        let key = SharedKey(entry: key)
        let request = Request(
            keys: [key], mayFetch: true, wait: max(0, min(wait, settings.leaseWait.seconds)))
        let lookup = OneShot<SharedLookup, Never>()
        find(request) { lookup.finish(.success($0)) }
        switch await lookup.value() {
        case .found(let value, _): return .found(value.body, isAging: value.softExpiry <= now())
        case .failedBefore(let failure): return .failedBefore(failure)
        case .missed(let fetch): return .missed(fetch.map { SharedEntryRight(fetch: $0, key: key) })
        }
    }

    /// Reads an entry that machines exchange among themselves; not counted, so that counts are of results only.
    package func note(forKey key: String) async -> (bytes: Data, isAging: Bool)? {
        await note(forKey: SharedKey(entry: key)).map { ($0.body, $0.softExpiry <= now()) }
    }

    /// Finds out which machine replaces an entry that is out of date.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - wait: seconds to wait for another machine that does, but not beyond ``SharedCacheSettings/leaseWait``; nil leaves it
    ///     to that machine.
    ///   - isCurrent: whether bytes may be used.
    /// - Returns: what this machine does.
    package func replacing(
        entryForKey key: String, wait: TimeInterval?, unless isCurrent: @Sendable (Data) async -> Bool
    ) async -> SharedEntryReplacing {
        let key = SharedKey(entry: key)
        let wait = wait.map { max(0, min($0, settings.leaseWait.seconds)) }
        switch await replacing(key, wait: wait, unless: { await isCurrent($0.body) }) {
        case .found(let value): return .found(value.body)
        case .failedBefore(let failure): return .failedBefore(failure)
        case .leads(let fetch): return .leads(SharedEntryRight(fetch: fetch, key: key))
        case .left: return .left
        }
    }

    /// The right to replace an entry, without the lease that others may have.
    package func rightToReplaceEntry(forKey key: String) -> SharedEntryRight {
        let key = SharedKey(entry: key)
        return SharedEntryRight(fetch: SharedFetch(of: [key], in: self, right: .set), key: key)
    }

    /// Deletes an entry; repeated in the background until the store has confirmed it.
    package func removeEntry(forKey key: String) { remove([SharedKey(entry: key)]) { _ in } }

    /// Calls `then` with the right to replace an entry, unless another machine has it.
    package func renewEntry(forKey key: String, then: @escaping @Sendable (SharedEntryRight) -> Void) {
        let key = SharedKey(entry: key)
        renew([key]) { then(SharedEntryRight(fetch: $0, key: key)) }
    }
}

extension SharedKey {
    /// The key of an entry, which no image has.
    init(entry key: String) { self.init(.image, of: key, identifier: "entry") }
}
