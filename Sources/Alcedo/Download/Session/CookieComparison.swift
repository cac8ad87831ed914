import AlcedoTransport
import Foundation
import FoundationNetworking

/// The cookies of storage and jar at their last comparison, to find later changes.
struct CookieComparison: Sendable {
    /// The identity of a cookie, without its value.
    struct Identity: Hashable, Sendable {
        let name: String
        let path: String
        let domain: String
        let includesSubdomains: Bool

        init(_ cookie: JarCookie) {
            (name, path) = (cookie.name, cookie.path)
            (domain, includesSubdomains) = (cookie.domain.lowercased(), cookie.includesSubdomains)
        }
    }

    private struct Entry: Sendable {
        var cookie: HTTPCookie?
        /// The jar's line; nil if the jar rejects the cookie.
        var line: String?
        var isServers = false
    }

    private var entries: [Identity: Entry] = [:]
    /// The storage's cookies; kept alive, so that a new cookie has a new object identity.
    private var stored: [HTTPCookie] = []
    private var identities: [ObjectIdentifier: Identity] = [:]
    private var identitiesByLine: [String: Identity] = [:]

    /// Whether `cookies` are unchanged since the last comparison.
    func hasSeen(_ cookies: [HTTPCookie]) -> Bool { stored.elementsEqual(cookies, by: ===) }

    /// Copies the program's changes from the storage to the jar, and returns the changed cookies.
    @discardableResult
    mutating func copyChanges(_ cookies: [HTTPCookie], to jar: CookieJar) -> Set<Identity> {
        guard !hasSeen(cookies) else { return [] }
        var changed: Set<Identity> = []
        var present: Set<ObjectIdentifier> = []
        for cookie in cookies {
            let object = ObjectIdentifier(cookie)
            present.insert(object)
            guard identities[object] == nil else { continue }
            let copy = JarCookie(cookie)
            let identity = Identity(copy)
            // With the object that this one replaces: below, that would count as removed, and the new cookie with it.
            forget(entries[identity])
            jar.store(copy)
            remember(Entry(cookie: cookie, line: copy.line), as: identity)
            changed.insert(identity)
        }
        for (object, identity) in identities where !present.contains(object) {
            if let cookie = entries[identity]?.cookie { jar.remove(JarCookie(cookie)) }
            forget(entries.removeValue(forKey: identity))
            changed.insert(identity)
        }
        stored = cookies
        return changed
    }

    /// Copies servers' changes from the jar's lines to the storage, unless the program has changed the cookie too.
    mutating func copyServerChanges(
        _ lines: [String], to storage: HTTPCookieStorage, except own: Set<Identity>
    ) {
        var present: Set<Identity> = []
        for line in lines {
            if let identity = identitiesByLine[line] {
                present.insert(identity)
            } else if let cookie = JarCookie(line: line) {
                let identity = Identity(cookie)
                if own.contains(identity) { continue }
                guard cookie.expires.map({ $0 > Date() }) ?? true else { continue }
                present.insert(identity)
                take(cookie, line: line, as: identity, to: storage)
            }
        }
        for (identity, entry) in entries {
            guard entry.line != nil, !present.contains(identity), !own.contains(identity) else { continue }
            forget(entry)
            entries[identity] = nil
            if let cookie = entry.cookie { storage.deleteCookie(cookie) }
        }
    }

    /// Evicts excess cookies of servers from the jar and the storage; the program's cookies stay.
    mutating func evictExcess(_ jar: CookieJar, holding count: Int, _ storage: HTTPCookieStorage) {
        let ownCount = entries.values.count { !$0.isServers && $0.line != nil }
        guard count - ownCount > CookieJar.domainLimit else { return }
        let own = Set(entries.values.lazy.filter { !$0.isServers }.compactMap(\.line))
        for line in jar.evictExcess(except: own) {
            guard let identity = identitiesByLine[line] else { continue }
            let entry = entries.removeValue(forKey: identity)
            forget(entry)
            if let cookie = entry?.cookie { storage.deleteCookie(cookie) }
        }
    }

    private mutating func take(
        _ cookie: JarCookie, line: String, as identity: Identity, to storage: HTTPCookieStorage
    ) {
        let entry = entries[identity]
        forget(entry)
        if let entry, let old = entry.line, JarCookie(line: old) == cookie {
            // The same cookie in the jar's notation.
            return remember(Entry(cookie: entry.cookie, line: line, isServers: entry.isServers), as: identity)
        }
        guard storage.cookieAcceptPolicy != .never, let stored = HTTPCookie(cookie) else {
            entries[identity] = nil
            return
        }
        storage.setCookie(stored)
        remember(Entry(cookie: stored, line: line, isServers: true), as: identity)
    }

    private mutating func remember(_ entry: Entry, as identity: Identity) {
        entries[identity] = entry
        if let cookie = entry.cookie { identities[ObjectIdentifier(cookie)] = identity }
        if let line = entry.line { identitiesByLine[line] = identity }
    }

    private mutating func forget(_ entry: Entry?) {
        if let cookie = entry?.cookie { identities[ObjectIdentifier(cookie)] = nil }
        if let line = entry?.line { identitiesByLine[line] = nil }
    }
}

extension JarCookie {
    fileprivate init(_ cookie: HTTPCookie) {
        let host = cookie.domain.hasPrefix(".") ? String(cookie.domain.dropFirst()) : cookie.domain
        self.init(name: cookie.name, value: cookie.value, domain: host) {
            $0.includesSubdomains = cookie.domain.hasPrefix(".")
            $0.path = cookie.path
            $0.isSecure = cookie.isSecure
            $0.isHTTPOnly = cookie.isHTTPOnly
            // A jar stores whole seconds.
            $0.expires = cookie.expiresDate.map {
                Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded(.down))
            }
        }
    }
}

extension HTTPCookie {
    convenience init?(_ cookie: JarCookie) {
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
