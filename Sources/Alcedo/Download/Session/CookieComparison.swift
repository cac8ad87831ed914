import AlcedoTransport
import Foundation
import FoundationNetworking

/// What storage and jar had when they were last compared, so that a look tells what has changed since.
struct CookieComparison: Sendable {
    /// What makes two cookies the same one, whatever their values.
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
        /// As the jar has it; nil if it can't have it.
        var line: String?
        var isServers = false
    }

    private var entries: [Identity: Entry] = [:]
    /// What the storage had; kept, so that another cookie is another object.
    private var stored: [HTTPCookie] = []
    private var identities: [ObjectIdentifier: Identity] = [:]
    private var identitiesByLine: [String: Identity] = [:]

    /// Whether `cookies` are those that the storage had.
    func hasSeen(_ cookies: [HTTPCookie]) -> Bool { stored.elementsEqual(cookies, by: ===) }

    /// Carries over what the program has changed in the storage, and returns what that was.
    @discardableResult
    mutating func carryOver(_ cookies: [HTTPCookie], to jar: CookieJar) -> Set<Identity> {
        guard !hasSeen(cookies) else { return [] }
        var changed: Set<Identity> = []
        var present: Set<ObjectIdentifier> = []
        for cookie in cookies {
            let object = ObjectIdentifier(cookie)
            present.insert(object)
            guard identities[object] == nil else { continue }
            let copy = JarCookie(cookie)
            let identity = Identity(copy)
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

    /// Carries back what servers have changed in the jar, but for what the program has changed too.
    mutating func carryBack(_ lines: [String], to storage: HTTPCookieStorage, except own: Set<Identity>) {
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

    /// Has the jar throw out what servers have set too much of, and takes that from the storage as well.
    ///
    /// What the program has put there is its own affair.
    mutating func trim(_ jar: CookieJar, holding count: Int, _ storage: HTTPCookieStorage) {
        let ownCount = entries.values.count { !$0.isServers && $0.line != nil }
        guard count - ownCount > CookieJar.domainLimit else { return }
        let own = Set(entries.values.lazy.filter { !$0.isServers }.compactMap(\.line))
        for line in jar.trim(sparing: own) {
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
            // The same in the jar's own notation.
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
            // A jar counts whole seconds.
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
