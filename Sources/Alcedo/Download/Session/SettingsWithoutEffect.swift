import AlcedoLocks
import Foundation
package import FoundationNetworking

extension URLSessionConfiguration {
    /// The program's own classes among `protocolClasses`; Foundation's load what the transport loads.
    var ownProtocols: [URLProtocol.Type] {
        (protocolClasses ?? []).compactMap { $0 as? URLProtocol.Type }
            .filter { !String(reflecting: $0).hasPrefix("FoundationNetworking.") }
    }

    /// Whether its cache is the program's own and can't be used: neither an ``HTTPCache`` nor one that Foundation creates.
    ///
    /// Foundation's cache on Linux ignores a URL's query, and traps when it evicts a response that was stored twice.
    package var hasUnusableCache: Bool {
        guard let urlCache, !(urlCache is HTTPCache), !SharedURLCache.isShared(urlCache) else { return false }
        // An ephemeral configuration makes one of 4 MiB.
        return type(of: urlCache) != URLCache.self || urlCache.memoryCapacity != 4 << 20
            || urlCache.diskCapacity > 0
    }

    /// The settings that differ from Foundation's default and have no effect.
    package var ignoredSettings: [Diagnostic] { ignoredSettings(cachingIn: urlCache) }

    /// The settings that differ from Foundation's default and have no effect, where `cache` is used in place of `urlCache`.
    package func ignoredSettings(cachingIn cache: URLCache?) -> [Diagnostic] {
        var ignored: [(name: String, reason: String)] = []
        if hasUnusableCache {
            ignored.append(
                (
                    "urlCache",
                    "Foundation's cache on Linux mixes up URLs that differ in their query. Use Alcedo's HTTPCache; "
                        + "without one no response is cached."
                ))
        }
        if identifier != nil { ignored.append(("identifier", "there are no background sessions.")) }
        if networkServiceType != .default {
            ignored.append(("networkServiceType", "Linux has no service types."))
        }
        if !allowsCellularAccess { ignored.append(("allowsCellularAccess", cellularReason)) }
        if isDiscretionary { ignored.append(("isDiscretionary", "transfers start at once.")) }
        if !(cache is HTTPCache), requestCachePolicy.usesCache {
            ignored.append(("requestCachePolicy", "no response is cached without an HTTPCache as urlCache."))
        }
        for name in ["ProxyAutoConfigEnable", "ProxyAutoDiscoveryEnable"]
        where ProxySettings.isOn(connectionProxyDictionary?[name]) {
            ignored.append(("connectionProxyDictionary.\(name)", "name the proxy itself."))
        }
        return ignored.map { .ignoredSetting(name: "URLSessionConfiguration.\($0.name)", reason: $0.reason) }
    }
}

extension URLRequest {
    /// The settings of a request that a modifier has changed, or that is AlcedoAF's, which have no effect.
    package var ignoredSettings: [Diagnostic] {
        var ignored: [(name: String, reason: String)] = []
        if httpBody == nil, httpBodyStream != nil { ignored.append(("httpBodyStream", "use httpBody.")) }
        if networkServiceType != .default {
            ignored.append(("networkServiceType", "Linux has no service types."))
        }
        if !allowsCellularAccess { ignored.append(("allowsCellularAccess", cellularReason)) }
        if mainDocumentURL != nil {
            ignored.append(("mainDocumentURL", "cookies belong to the host of the request's own URL."))
        }
        return ignored.map { .ignoredSetting(name: "URLRequest.\($0.name)", reason: $0.reason) }
    }
}

private let cellularReason =
    "Linux does not report cellular networks. Set ImageDownloader.isNetworkConstrained."

extension URLRequest.CachePolicy {
    /// Whether it allows or demands what only a cache has.
    fileprivate var usesCache: Bool {
        switch self {
        case .returnCacheDataElseLoad, .returnCacheDataDontLoad, .reloadRevalidatingCacheData: true
        default: false
        }
    }
}

/// `URLCache.shared`, which AlcedoAF replaces as long as it is Foundation's: apps empty it by that name at log-out.
package enum SharedURLCache {
    private static let replaced = Lock<ObjectIdentifier?>(nil)

    /// Whether `cache` is `URLCache.shared`, or was until ``replacing()``.
    package static func isShared(_ cache: URLCache) -> Bool {
        replaced.withLock { ObjectIdentifier(cache) == $0 } || cache === URLCache.shared
    }

    /// Replaces `URLCache.shared` by an ``HTTPCache`` with the same capacities, unless it is one, and returns that.
    package static func replacing() -> HTTPCache {
        replaced.withLock { replaced in
            let cache = URLCache.shared
            if let cache = cache as? HTTPCache { return cache }
            let new = HTTPCache(memoryCapacity: cache.memoryCapacity, diskCapacity: cache.diskCapacity)
            URLCache.shared = new
            // For ever, so that no other object gets its identifier.
            replaced = ObjectIdentifier(Unmanaged.passRetained(cache).takeUnretainedValue())
            return new
        }
    }
}
