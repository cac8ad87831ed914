import AlcedoLocks
import CCurl
import Foundation
import Synchronization

/// Cookies in memory, which servers set and get back by the rules of RFC 6265.
///
/// Requests that name the same jar share it, on whatever transport. It may be read and changed on any thread, while
/// transfers use it. Public suffixes such as `co.uk` get no cookies. Holds at most 3,000 cookies and 180 for each
/// domain, the newest; libcurl takes at most 50 from one response and 4 KiB for each.
public final class CookieJar: Sendable {
    private static let limit = 3_000
    private static let domainLimit = 180

    /// How many may arrive before they are counted.
    private static let inspectionInterval = 500

    let share = CookieShare()
    private let access: Lock<CookieAccess>
    private let arrivals = Atomic(0)

    /// An empty jar.
    public init() {
        access = Lock(CookieAccess(share))
    }

    /// What is in the jar now, expired cookies apart.
    public var cookies: [JarCookie] {
        let now = Date()
        return access.withLock { $0.lines() }.compactMap(JarCookie.init(line:))
            .filter { $0.expires.map { $0 > now } ?? true }
    }

    /// Adds a cookie, or replaces the one of the same name, domain and path; false if it cannot be one.
    ///
    /// A name that is empty, or any part with a control character, is refused. The domain is believed.
    @discardableResult
    public func store(_ cookie: JarCookie) -> Bool {
        guard let line = cookie.line else { return false }
        access.withLock { $0.apply(line) }
        noteArrivals(1)
        return true
    }

    /// Removes the cookie of this one's name, domain and path, if there is one.
    public func remove(_ cookie: JarCookie) {
        var expired = cookie
        expired.expires = Date(timeIntervalSince1970: 1)
        if let line = expired.line { access.withLock { $0.apply(line) } }
    }

    /// Empties the jar.
    public func removeAll() { access.withLock { $0.apply("ALL") } }

    /// Counts what servers have set, and now and then throws out what is too much.
    func noteArrivals(_ count: Int) {
        guard count > 0 else { return }
        guard arrivals.add(count, ordering: .relaxed).newValue >= Self.inspectionInterval else { return }
        arrivals.store(0, ordering: .relaxed)
        access.withLock { $0.keep(Self.kept) }
    }

    /// The newest of each domain, and fewer of each while they are too many altogether; nil if all may stay.
    private static func kept(of lines: [String]) -> [String]? {
        var most = domainLimit
        var kept = lines
        repeat {
            var counts: [Substring: Int] = [:]
            kept = kept.reversed().filter { line in
                let domain = line.prefix { $0 != "\t" }
                counts[domain, default: 0] += 1
                return counts[domain, default: 0] <= most
            }.reversed()
            most /= 2
        } while kept.count > limit && most > 0
        kept = kept.suffix(limit)
        return kept.count < lines.count ? Array(kept) : nil
    }
}

/// A libcurl handle that never transfers anything: the way to a share's cookies.
private struct CookieAccess: ~Copyable {
    private let easy: UnsafeMutableRawPointer?
    private let share: CookieShare

    init(_ share: CookieShare) {
        self.share = share
        easy = CurlLibrary.isReady ? curl_easy_init() : nil
        guard let easy else { return }
        alcedo_curl_set_pointer(easy, CURLOPT_SHARE, share.pointer)
    }

    deinit { curl_easy_cleanup(easy) }

    /// A line of Netscape's format, or one of libcurl's commands.
    func apply(_ line: String) {
        if let easy { alcedo_curl_set_string(easy, CURLOPT_COOKIELIST, line) }
    }

    /// All cookies, older ones of a domain first.
    func lines() -> [String] {
        var list: UnsafeMutablePointer<curl_slist>?
        guard let easy, alcedo_curl_get_list(easy, CURLINFO_COOKIELIST, &list) == CURLE_OK else { return [] }
        defer { curl_slist_free_all(list) }
        return sequence(first: list) { $0?.pointee.next }.prefix { $0 != nil }
            .compactMap { $0?.pointee.data.map { String(cString: $0) } }
    }

    /// Replaces all cookies by what `choose` says, unless it says nil; no transfer sees the moment between.
    func keep(_ choose: ([String]) -> [String]?) {
        share.withCookiesToOneself {
            guard let lines = choose(lines()) else { return }
            apply("ALL")
            for line in lines { apply(line) }
        }
    }
}
