import AlcedoLocks
import AlcedoTransport
import Foundation
import FoundationNetworking

/// Keeps a configuration's cookie storage and the transport's jar in step.
///
/// The jar does the sending and receiving. What the program changes in the storage is carried over before a request,
/// and what servers set is carried back after a response. Safe because the storage locks itself, and the rest is
/// behind a lock.
final class CookieBridge: @unchecked Sendable {
    let jar = CookieJar()
    private let storage: HTTPCookieStorage

    /// What both had when they were last compared.
    private let common = Lock<[JarCookie]>([])

    /// Nil where the configuration wants no cookies.
    init?(_ configuration: URLSessionConfiguration) {
        guard configuration.httpShouldSetCookies, configuration.httpCookieAcceptPolicy != .never,
            let storage = configuration.httpCookieStorage
        else { return nil }
        self.storage = storage
    }

    /// Carries over what the program has changed.
    func beforeRequest() {
        let stored = storage.cookies ?? []
        common.withLock { common in
            guard !(stored.isEmpty && common.isEmpty) else { return }
            let new = stored.map(JarCookie.init)
            for cookie in common where !new.contains(where: { $0.isSame(as: cookie) }) { jar.remove(cookie) }
            for cookie in new where !common.contains(cookie) { jar.store(cookie) }
            common = new
        }
    }

    /// Carries back what a server has changed.
    func afterResponse(_ response: TransportResponse) {
        guard response.value(forHeader: "Set-Cookie") != nil else { return }
        let kept = jar.cookies
        common.withLock { common in
            let gone = common.filter { cookie in !kept.contains { $0.isSame(as: cookie) } }
            for cookie in storage.cookies ?? [] {
                if gone.contains(where: { $0.isSame(as: JarCookie(cookie)) }) { storage.deleteCookie(cookie) }
            }
            for cookie in kept where !common.contains(cookie) {
                if let cookie = HTTPCookie(cookie) { storage.setCookie(cookie) }
            }
            common = (storage.cookies ?? []).map(JarCookie.init)
        }
    }
}

extension JarCookie {
    /// Whether this is the other one with another value, or the very same.
    fileprivate func isSame(as other: JarCookie) -> Bool {
        name == other.name && path == other.path
            && domain.caseInsensitiveCompare(other.domain) == .orderedSame
    }

    fileprivate init(_ cookie: HTTPCookie) {
        let host = cookie.domain.hasPrefix(".") ? String(cookie.domain.dropFirst()) : cookie.domain
        self.init(name: cookie.name, value: cookie.value, domain: host) {
            $0.includesSubdomains = cookie.domain.hasPrefix(".")
            $0.path = cookie.path
            $0.isSecure = cookie.isSecure
            $0.isHTTPOnly = cookie.isHTTPOnly
            // A jar counts whole seconds.
            $0.expires = cookie.expiresDate.map {
                Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded(.down))
            }
        }
    }
}

extension HTTPCookie {
    fileprivate convenience init?(_ cookie: JarCookie) {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: cookie.name,
            .value: cookie.value,
            .domain: (cookie.includesSubdomains ? "." : "") + cookie.domain,
            .path: cookie.path,
        ]
        if cookie.isSecure { properties[.secure] = "TRUE" }
        if cookie.isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
        properties[.expires] = cookie.expires
        self.init(properties: properties)
    }
}
