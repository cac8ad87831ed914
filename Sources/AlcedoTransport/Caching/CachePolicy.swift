/// What a ``CachingTransport`` may answer a request with.
public enum CachePolicy: Sendable {
    /// What RFC 9111 allows: a fresh response at once, an older one if the server says that it is still good.
    case byProtocol

    /// Only what the server sends now; that is kept as ever.
    case reload

    /// What there is, however old; what the server sends if there is nothing.
    case cachedElseLoad

    /// What there is, however old; ``TransportError/notCached(url:)`` if there is nothing, or no cache.
    case cachedOnly
}
