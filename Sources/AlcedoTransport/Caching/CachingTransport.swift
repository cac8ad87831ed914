package import Foundation

/// A private HTTP cache (RFC 9111) in front of another transport.
///
/// Stores responses of whole images to GET if that is allowed, once the consumer has committed the result's
/// ``TransferResult/pendingEntry``. A later request gets a fresh response at once, and a stale one after revalidation by its
/// entity tag or its date; ``TransportRequest/cachePolicy`` can change that. A URL has one stored response: one for other
/// values of the `Vary` fields replaces it.
package final class CachingTransport: Transport {
    let base: any Transport
    let store: any ResponseStore
    let now: @Sendable () -> Date

    /// A cache in front of `base`, with `now` as its clock.
    package init(
        _ base: any Transport, store: any ResponseStore, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.base = base
        self.store = store
        self.now = now
    }

    @discardableResult
    package func start(
        _ request: TransportRequest, handler: any TransportHandler
    ) -> any TransportTask {
        guard LocalScheme(of: request.address) == nil else { return base.start(request, handler: handler) }
        let transfer = CachingTransportTask(request, cache: self)
        transfer.start(handler)
        return transfer
    }

    /// The key of the response to a request: its URL without the fragment.
    ///
    /// Requests with each ``AddressPolicy``, and those that accept invalid certificates, have separate responses: none
    /// gets from the cache what it must not load.
    package static func key(of request: TransportRequest) -> String {
        let isVerified = request.verifiesServer && request.trustScope == nil
        return mark(of: request.addressPolicy) + (isVerified ? "" : "unverified ") + place(request.address)
    }

    /// All keys of a URL's responses.
    package static func keys(of url: String) -> [String] {
        // `publicOnly` shares the keys of `publicAnd` without ranges.
        let restricted = (0...AddressRanges.all.rawValue).map {
            AddressPolicy.publicAnd(AddressRanges(rawValue: $0))
        }
        return ([.any] + restricted).flatMap { policy in
            ["", "unverified "].map { mark(of: policy) + $0 + place(url) }
        }
    }

    private static func mark(of policy: AddressPolicy) -> String {
        switch policy {
        case .any: ""
        case .publicOnly: "public "
        case .publicAnd(let ranges): ranges.isEmpty ? "public " : "public+\(ranges.rawValue) "
        }
    }

    private static func place(_ url: String) -> String { String(url.prefix { $0 != "#" }) }
}

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
