/// How a transport with a cache uses its cache for a request.
public enum CachePolicy: Sendable {
    /// By RFC 9111: a fresh response at once, a stale one after revalidation.
    case byProtocol

    /// Loads from the server, or revalidates; stores the response.
    case reload

    /// A stored response of any age; loads from the server if there is none.
    case cachedElseLoad

    /// A stored response of any age; ``TransportError/notCached(url:)`` if there is none, or no cache.
    case cachedOnly
}
