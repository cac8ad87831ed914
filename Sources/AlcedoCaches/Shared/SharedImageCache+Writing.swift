import AlcedoLocks
package import AlcedoTransport
package import Foundation
import Synchronization

/// A value that is to be stored once its bytes are encoded; dropped if they never are.
package final class SharedWrite: Sendable {
    private let fetch: SharedFetch
    private let key: SharedKey
    private let lifetime: TimeInterval
    private let etag: String
    private let head: Data
    private let isCurrent: @Sendable () -> Bool
    private let ticket: Int
    private let isEnded = Atomic(false)

    /// A value that lives for `lifetime` seconds, with the record of its response; `isCurrent` is false once it was removed.
    package init(
        of key: SharedKey, for fetch: SharedFetch, lifetime: TimeInterval, etag: String = "",
        head: Data = Data(), isCurrent: @escaping @Sendable () -> Bool
    ) {
        (self.fetch, self.key, self.lifetime) = (fetch, key, lifetime)
        (self.etag, self.head, self.isCurrent) = (etag, head, isCurrent)
        ticket = fetch.cache.writes.announce()
    }

    deinit { if !isEnded.load(ordering: .acquiring) { fetch.cache.writes.cancel(ticket) } }

    /// Stores the bytes in the background; `type` is their format, for people who look into a store.
    package func store(_ body: Data, type: String) {
        guard !isEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let cache = fetch.cache
        guard body.count <= cache.settings.sizeLimit else {
            cache.count { $0.tooLarge += 1 }
            return cache.writes.cancel(ticket)
        }
        let now = cache.now()
        // The hard expiry varies, and the soft one with it.
        let seconds = jittered(lifetime, by: 0.1)
        var value = SharedValue(
            kind: key.kind == .original ? .original : .image, stored: now,
            softExpiry: now.addingTimeInterval(seconds * 0.8), expiry: now.addingTimeInterval(seconds),
            body: body)
        (value.etag, value.head) = (etag, head)
        value.type = type
        cache.write(value, key, for: fetch, ticket: ticket, if: isCurrent)
    }
}

extension SharedImageCache {
    /// Queues the write of a value.
    func write(
        _ value: SharedValue, _ key: SharedKey, for fetch: SharedFetch, ticket: Int? = nil,
        if isCurrent: @escaping @Sendable () -> Bool = { true }
    ) {
        let isQueued = writes.append(key.digest, bytes: value.body.count, ticket: ticket) { [self] in
            guard isCurrent() else { return count { $0.superseded += 1 } }
            var prefix = fetch.prefix
            if prefix == nil { prefix = await self.prefix() }
            guard let prefix, let right = await right(to: key, of: fetch, prefix) else { return }
            let name = prefix.name(of: key)
            let sealed = OneShot<Data, Never>()
            WorkerPool.shared.submit { [self] in
                sealed.finish(.success(value.sealed(name: name, secret: settings.secrets.first ?? Data())))
            }
            let bytes = await sealed.value()
            let seconds = value.expiry.timeIntervalSince(now()).wholeSeconds
            let isStored = await call(within: settings.writeTimeout.seconds) { store in
                if right == .add {
                    return try await store.add(bytes, forKey: name, expiringAfter: seconds)
                }
                try await store.set(bytes, forKey: name, expiringAfter: seconds)
                return true
            }
            count {
                if isStored == true {
                    ($0.writes, $0.sentBytes) = ($0.writes + 1, $0.sentBytes + bytes.count)
                }
                if isStored == false { $0.superseded += 1 }
            }
        }
        if !isQueued { count { $0.droppedWrites += 1 } }
    }

    /// How the value may be stored now; nil if it must not be.
    private func right(
        to key: SharedKey, of fetch: SharedFetch, _ prefix: SharedPrefix
    ) async -> SharedFetch.Right? {
        // A removal deletes the lease, and so stops loads that began before it.
        guard case .lease(let token) = fetch.right else { return fetch.right }
        let name = prefix.leaseName(of: fetch.keys[0])
        let response = await call(within: settings.writeTimeout.seconds) { try await $0.value(forKey: name) }
        guard let present = response else { return nil }
        // A race of one round trip remains: the lease may be deleted before the value is stored (decision 0033).
        if present == token { return .set }
        // Another machine has the lease, or it was deleted with the image.
        let hasExpired = fetch.start.duration(to: .now) >= settings.leaseTime - .seconds(1)
        guard present == nil, hasExpired else {
            count { $0.superseded += 1 }
            return nil
        }
        // The load took longer than its lease: what another machine has stored meanwhile stays.
        return .add
    }

    /// Has the fleet remember that the source has failed.
    package func write(_ failure: RememberedFailure, for fetch: SharedFetch) {
        let body = Data("\(failure.status ?? 0) \(failure.reason.redactingURLs.prefix(500))".utf8)
        let value = SharedValue(
            kind: .failure, stored: failure.date, softExpiry: failure.expiration,
            expiry: failure.expiration, body: body)
        write(value, fetch.keys[0], for: fetch)
        guard let original = fetch.keys.dropFirst().first else { return }
        // Loads with other processors find it there; an original stays.
        let other = SharedFetch(of: [original], in: self, prefix: fetch.prefix, right: .add)
        write(value, original, for: other)
    }

    /// Deletes a value that can't be trusted.
    func discard(_ key: SharedKey, name: String) {
        writes.append(key.digest) { [self] in
            await call(within: settings.writeTimeout.seconds) { try await $0.delete(name) }
        }
    }
}

extension SharedValue {
    /// The failure that it stands for; nil for an image.
    var failure: RememberedFailure? {
        guard kind == .failure else { return nil }
        let parts = String(decoding: body, as: UTF8.self).split(separator: " ", maxSplits: 1)
        let status = parts.first.flatMap { Int($0) } ?? 0
        return RememberedFailure(
            status: status == 0 ? nil : status, reason: parts.count > 1 ? String(parts[1]) : "",
            date: stored, expiration: expiry)
    }
}
