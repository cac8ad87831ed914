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
        guard LocalScheme(of: request.url) == nil else { return base.start(request, handler: handler) }
        let transfer = CachingTransportTask(request, cache: self)
        transfer.start(handler)
        return transfer
    }

    /// The key of the response to a request: its URL without the fragment.
    ///
    /// Requests with each ``AddressPolicy``, and those that accept invalid certificates, have separate responses.
    static func key(of request: TransportRequest) -> String {
        let isVerified = request.verifiesServer && request.trustScope == nil
        return mark(of: request.addressPolicy) + (isVerified ? "" : "unverified ") + place(request.url)
    }

    /// All keys of a URL's responses.
    package static func keys(of url: String) -> [String] {
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
