package import Foundation

/// Keeps responses by the rules of RFC 9111, as the cache of one user, before another transport.
///
/// Of HTTP's responses to GET those of a whole image are kept where that is allowed, once the consumer has committed the
/// result's ``TransferResult/pendingEntry``. A fresh one is the answer to a later request; an older one is,
/// once the server has confirmed it by its entity tag or its date. Requests decide with
/// ``TransportRequest/cachePolicy``. A URL has one response: one that depends on other header fields than those of the
/// request takes its place.
package final class CachingTransport: Transport {
    let base: any Transport
    let store: any ResponseStore
    let now: @Sendable () -> Date
    static let workers = BoundedQueue(label: "alcedo.transport.cache", width: 4)

    /// A cache before `base`; tells the time by `now`.
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

    /// What the response to a request is kept under: its URL without the fragment.
    ///
    /// Who keeps to the public internet, or trusts a server without a valid certificate, has responses apart from others.
    static func key(of request: TransportRequest) -> String {
        let isPublic = request.addressPolicy == .publicOnly
        let isVerified = request.verifiesServer && request.trustScope == nil
        return (isPublic ? "public " : "") + (isVerified ? "" : "unverified ") + place(request.url)
    }

    /// All that responses of a URL may be kept under.
    static func keys(of url: String) -> [String] {
        ["", "public ", "unverified ", "public unverified "].map { $0 + place(url) }
    }

    private static func place(_ url: String) -> String { String(url.prefix { $0 != "#" }) }
}
