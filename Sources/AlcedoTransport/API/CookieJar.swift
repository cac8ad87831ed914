import AlcedoLocks
import CCurl
import Dispatch
import Foundation
import Synchronization

/// Cookies in memory, stored and sent by the rules of RFC 6265.
///
/// Requests with the same jar share its cookies, on any transport. May be read and changed on any thread while transfers
/// use it. Rejects cookies for public suffixes such as `co.uk`. Keeps the newest 3,000 cookies, and the newest 180 of each
/// domain; libcurl accepts at most 50 from one response and 4 KiB for each.
public final class CookieJar: Sendable {
    /// RFC 6265, 6.1, asks for at least 3,000 cookies, and 50 for each domain.
    private static let limit = 3_000
    package static let domainLimit = 180

    /// Cookies that may be set between two evictions.
    private static let inspectionInterval = 500

    private static let evictions = DispatchQueue(label: "alcedo.cookies.evictions")

    let share = CookieShare()
    private let evictsAutomatically: Bool
    /// Locked before ``CookieShare/lock``, which libcurl takes in each call.
    private let access: Lock<CookieAccess>
    private let arrivals = Atomic(0)

    public convenience init() { self.init(evictsAutomatically: true) }

    /// An empty jar; without automatic eviction its owner calls ``evictExcess(except:)``.
    package init(evictsAutomatically: Bool) {
        self.evictsAutomatically = evictsAutomatically
        access = Lock(CookieAccess(share))
    }

    /// The cookies that have not expired.
    public var cookies: [JarCookie] {
        let now = Date()
        let all = lines
        // Until the next eviction the jar may have more than its limits.
        let excess = Set(Self.excess(of: all))
        return all.filter { !excess.contains($0) }.compactMap(JarCookie.init(line:))
            .filter { $0.expires.map { $0 > now } ?? true }
    }

    /// The cookies as lines of Netscape's format; older ones of a domain first.
    package var lines: [String] { access.withLock { $0.lines() } }

    /// Adds a cookie, or replaces the one of the same name, domain and path; false if it is invalid.
    ///
    /// An empty name, and any part with a control character, is invalid. The domain is not checked.
    @discardableResult
    public func store(_ cookie: JarCookie) -> Bool {
        guard let line = cookie.line else { return false }
        access.withLock { $0.apply(line) }
        countArrivals(1)
        return true
    }

    /// Removes the cookie with the same name, domain and path.
    public func remove(_ cookie: JarCookie) {
        guard let line = cookie.line.flatMap(JarCookie.expired) else { return }
        access.withLock { $0.apply(line) }
    }

    /// Removes all cookies, for all transfers that share the jar.
    public func removeAll() { access.withLock { $0.apply("ALL") } }

    /// Counts cookies that were set, and evicts the excess after each 500 of them, on another thread.
    func countArrivals(_ count: Int) {
        guard evictsAutomatically, count > 0 else { return }
        guard arrivals.add(count, ordering: .relaxed).newValue >= Self.inspectionInterval else { return }
        // Two threads may both get here; the second eviction then finds nothing.
        arrivals.store(0, ordering: .relaxed)
        Self.evictions.async { [self] in evictExcess() }
    }

    /// Evicts cookies beyond the limits, and returns their lines; lines of `spared` stay and do not count.
    @discardableResult
    package func evictExcess(except spared: Set<String> = []) -> [String] {
        access.withLock { $0.evict { Self.excess(of: $0.filter { !spared.contains($0) }) } }
    }

    /// The oldest cookies of each domain beyond its limit; that limit is halved while there are too many in total.
    private static func excess(of lines: [String]) -> [String] {
        var (most, kept, excess) = (domainLimit, lines, [String]())
        guard lines.count > most else { return [] }
        repeat {
            var counts: [Substring: Int] = [:]
            var staying: [String] = []
            for line in kept.reversed() {
                let count = counts[line.prefix { $0 != "\t" }, default: 0] + 1
                counts[line.prefix { $0 != "\t" }] = count
                if count <= most {
                    staying.append(line)
                } else {
                    excess.append(line)
                }
            }
            kept = staying.reversed()
            most /= 2
        } while kept.count > limit && most > 0
        return excess + kept.dropLast(limit)
    }
}

/// A libcurl handle that gives access to a share's cookies, and transfers nothing.
private struct CookieAccess: ~Copyable {
    private let easy: UnsafeMutableRawPointer?
    /// Kept alive while libcurl refers to it.
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

    /// Removes and returns the lines that `choose` returns; no transfer changes cookies meanwhile.
    func evict(_ choose: ([String]) -> [String]) -> [String] {
        var evicted: [String] = []
        // Recursive: libcurl takes it again, in `lines` and `apply`.
        CookieShare.lock.withLock {
            evicted = choose(lines())
            for line in evicted.compactMap(JarCookie.expired) { apply(line) }
        }
        return evicted
    }
}
