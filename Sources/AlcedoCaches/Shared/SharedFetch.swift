import AlcedoLocks
package import Foundation
import Synchronization

/// The right to load an image that the shared cache does not have, and to store it there.
///
/// Loads of one process that miss the same image at the same time have the same one. When the last of them has ended and the
/// value is stored, the lease is given back, which a flush waits for once one of them has ended.
package final class SharedFetch: Sendable {
    /// How a value may be stored.
    package enum Right: Sendable, Equatable {
        /// While the lease has this token.
        case lease(Data)

        /// If there is no value.
        case add

        /// In any case.
        case set
    }

    package let cache: SharedImageCache

    /// The keys that were looked up; the first is that of the lease.
    package let keys: [SharedKey]

    /// Nil: that of the moment at which the value is stored.
    let prefix: SharedPrefix?
    let right: Right

    /// Whether the fleet has a value, which is to be replaced.
    package let isRenewal: Bool
    let start = ContinuousClock.now
    private let isClaimed = Atomic(false)
    private let keepsLease = Atomic(false)

    /// What flushes wait for until the lease is given back; nil while no load has ended.
    private let ticket = Lock<Int?>(nil)

    package init(
        of keys: [SharedKey], in cache: SharedImageCache, prefix: SharedPrefix? = nil, right: Right,
        isRenewal: Bool = false
    ) {
        (self.keys, self.cache, self.prefix) = (keys, cache, prefix)
        (self.right, self.isRenewal) = (right, isRenewal)
    }

    /// Whether the caller is the first of those who could store the value.
    package func claim() -> Bool { !isClaimed.exchange(true, ordering: .acquiringAndReleasing) }

    /// Has flushes wait for the lease from now on: a load has ended, although threads may still refer to this.
    package func announceEnd() {
        guard case .lease = right else { return }
        ticket.withLock { $0 = $0 ?? cache.writes.announce() }
    }

    /// Whether no load stores its value yet, so that others may join.
    package var isOpen: Bool { !isClaimed.load(ordering: .acquiring) }

    /// Leaves the lease to its expiry, so that no machine tries again before.
    package func keepLease() { keepsLease.store(true, ordering: .relaxed) }

    deinit {
        cache.forget(self)
        let ticket = ticket.withLock { $0 }
        guard case .lease(let token) = right, let prefix, !keepsLease.load(ordering: .relaxed) else {
            if let ticket { cache.writes.cancel(ticket) }
            return
        }
        cache.giveBack(prefix.leaseName(of: keys[0]), token: token, ticket: ticket)
    }
}

/// Refers to a fetch without keeping it alive; used under the lock of a shared cache only.
final class WeakFetch {
    private(set) weak var fetch: SharedFetch?
    let identity: ObjectIdentifier

    init(_ fetch: SharedFetch) { (self.fetch, identity) = (fetch, ObjectIdentifier(fetch)) }
}

extension SharedImageCache {
    /// The fetch of these keys that loads of this process may join; nil if there is none.
    package func fetch(of keys: [SharedKey]) -> SharedFetch? {
        let fetch = state.withLock { $0.fetches[keys[0].digest]?.fetch }
        return fetch?.isOpen == true ? fetch : nil
    }

    /// Lets other loads join a fetch, or joins the one there is.
    package func join(_ fetch: SharedFetch) -> SharedFetch {
        let (joined, ended) = state.withLock { state -> (SharedFetch?, SharedFetch?) in
            let present = state.fetches[fetch.keys[0].digest]?.fetch
            // Returned if it is not open either: its last reference must not end here under the lock.
            guard present?.isOpen != true else { return (present, nil) }
            state.fetches[fetch.keys[0].digest] = WeakFetch(fetch)
            return (fetch, present)
        }
        withExtendedLifetime(ended) {}
        return joined ?? fetch
    }

    /// Forgets a fetch that is being deallocated.
    fileprivate func forget(_ fetch: SharedFetch) {
        let (digest, identity) = (fetch.keys[0].digest, ObjectIdentifier(fetch))
        state.withLock { state in
            // Without a strong reference, which could be the last one and end here under the lock.
            if state.fetches[digest]?.identity == identity { state.fetches[digest] = nil }
        }
    }

    /// Deletes a lease if it is still that of the token.
    fileprivate func giveBack(_ lease: String, token: Data, ticket: Int?) {
        writes.append(lease, ticket: ticket, isLease: true) { [self] in
            let seconds = settings.writeTimeout.seconds
            guard await call(within: seconds, { try await $0.value(forKey: lease) }) == token else { return }
            await call(within: seconds) { try await $0.delete(lease) }
        }
    }
}
