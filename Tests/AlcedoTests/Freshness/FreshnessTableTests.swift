import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

/// A response, the time until the next load, and what RFC 9111 says about that in a private cache.
struct FreshnessCase: CustomTestStringConvertible, Sendable {
    /// What the next load does.
    enum Next: Equatable, Sendable {
        /// Uses the image without a request.
        case reuses

        /// Sends these conditions: the entity tag, and the date as seconds from now.
        case revalidates(tag: String? = nil, modified: Int? = nil)

        /// Sends a request without conditions, and has the image.
        case reloads

        /// Sends a request without conditions, because nothing was stored.
        case loads
    }

    let name: String
    let status: Int
    /// `@60` in a value stands for the date 60 s from now; `850@60` and `asc@60` for one in an older format.
    let headers: [(String, String)]
    let seconds: TimeInterval
    let next: Next

    init(
        _ name: String, status: Int = 200, _ headers: [(String, String)], after seconds: TimeInterval,
        _ next: Next
    ) {
        (self.name, self.status, self.headers) = (name, status, headers)
        (self.seconds, self.next) = (seconds, next)
    }

    var testDescription: String { name }

    static let tag = ("ETag", "\"1\"")

    static func control(_ text: String) -> (String, String) { ("Cache-Control", text) }

    static let lifetimes: [Self] = [
        Self("max-age, within", [control("max-age=60")], after: 59, .reuses),
        Self("max-age, over", [control("max-age=60")], after: 60, .reloads),
        Self("max-age, with a tag", [control("max-age=60"), tag], after: 61, .revalidates(tag: "\"1\"")),
        Self("max-age of 0", [control("max-age=0"), tag], after: 0, .revalidates(tag: "\"1\"")),
        Self("upper case", [control("MAX-AGE=60")], after: 30, .reuses),
        Self("quoted max-age", [control("max-age=\"60\"")], after: 30, .reuses),
        Self("negative max-age", [control("max-age=-1"), tag], after: 0, .revalidates(tag: "\"1\"")),
        Self("max-age without digits", [control("max-age=x"), tag], after: 0, .revalidates(tag: "\"1\"")),
        Self("a max-age beyond 64 bits", [control("max-age=99999999999999999999")], after: 5e5, .reuses),
        Self("a fraction", [control("max-age=1.5"), tag], after: 0, .revalidates(tag: "\"1\"")),
        Self("two max-ages", [control("max-age=30"), control("max-age=60")], after: 45, .reloads),
        Self("s-maxage alone is ignored", [control("s-maxage=60")], after: 1, .reloads),
        Self("s-maxage beside max-age", [control("s-maxage=1, max-age=60")], after: 30, .reuses),
        Self("private", [control("private, max-age=60")], after: 30, .reuses),
        Self("public alone has no lifetime", [control("public")], after: 1, .reloads),
        Self("immutable, within", [control("max-age=60, immutable")], after: 30, .reuses),
        Self(
            "immutable, over", [control("max-age=60, immutable"), tag], after: 61, .revalidates(tag: "\"1\"")),
        Self("an unknown directive", [control("foo, max-age=60, bar=\"a, no-store\"")], after: 30, .reuses),
        Self("directives in two fields", [control("private"), control("max-age=60")], after: 30, .reuses),
        Self("no header at all", [], after: 0, .reloads),
    ]

    static let expires: [Self] = [
        Self("Expires, within", [("Expires", "@60")], after: 59, .reuses),
        Self("Expires, over", [("Expires", "@60")], after: 61, .reloads),
        Self("Expires counts from Date", [("Date", "@-30"), ("Expires", "@30")], after: 29, .reuses),
        Self("Expires from an old Date", [("Date", "@-30"), ("Expires", "@30")], after: 31, .reloads),
        Self("Expires is over before Date", [("Date", "@0"), ("Expires", "@-1")], after: 0, .reloads),
        Self("Expires of 0", [("Expires", "0"), tag], after: 0, .revalidates(tag: "\"1\"")),
        Self("Expires without a date", [("Expires", "tomorrow"), tag], after: 0, .revalidates(tag: "\"1\"")),
        Self("an empty Expires", [("Expires", ""), tag], after: 0, .revalidates(tag: "\"1\"")),
        Self("max-age over Expires", [control("max-age=60"), ("Expires", "@0")], after: 30, .reuses),
        Self("max-age under Expires", [control("max-age=10"), ("Expires", "@600")], after: 30, .reloads),
        Self("two Expires, the first", [("Expires", "@60"), ("Expires", "@5")], after: 30, .reuses),
        Self("a Date in the future", [control("max-age=60"), ("Date", "@600")], after: 59, .reuses),
        Self("a Date in the future, over", [control("max-age=60"), ("Date", "@600")], after: 61, .reloads),
        Self("a Date in the past", [control("max-age=60"), ("Date", "@-40")], after: 30, .reloads),
        Self("an invalid Date", [control("max-age=60"), ("Date", "now")], after: 59, .reuses),
    ]

    static let ages: [Self] = [
        Self("Age, within", [control("max-age=60"), ("Age", "30")], after: 29, .reuses),
        Self("Age, over", [control("max-age=60"), ("Age", "30")], after: 31, .reloads),
        Self("Age beyond the lifetime", [control("max-age=60"), ("Age", "61")], after: 0, .reloads),
        Self("an invalid Age", [control("max-age=60"), ("Age", "old")], after: 59, .reuses),
        Self("a negative Age", [control("max-age=60"), ("Age", "-30")], after: 59, .reuses),
        Self(
            "two Ages, the first", [control("max-age=60"), ("Age", "10"), ("Age", "50")], after: 30, .reuses),
        Self(
            "Date older than Age", [control("max-age=60"), ("Age", "1"), ("Date", "@-50")], after: 11,
            .reloads),
    ]

    static let heuristics: [Self] = [
        Self("a tenth, within", [("Last-Modified", "@-1000")], after: 99, .reuses),
        Self("a tenth, over", [("Last-Modified", "@-1000")], after: 101, .revalidates(modified: -1000)),
        Self(
            "at most a day", [("Last-Modified", "@-9000000")], after: 86_401,
            .revalidates(modified: -9_000_000)),
        Self("modified in the future", [("Last-Modified", "@1000")], after: 0, .revalidates(modified: 1000)),
        Self(
            "max-age over the heuristic", [control("max-age=1"), ("Last-Modified", "@-1000")], after: 50,
            .revalidates(modified: -1000)),
    ]

    static let directives: [Self] = [
        Self("no-cache", [control("no-cache"), tag], after: 0, .revalidates(tag: "\"1\"")),
        Self(
            "no-cache over max-age", [control("no-cache, max-age=60"), tag], after: 0,
            .revalidates(tag: "\"1\"")),
        Self("no-cache of a field", [control("no-cache=\"foo\", max-age=60")], after: 0, .reloads),
        Self("must-revalidate, within", [control("max-age=60, must-revalidate")], after: 30, .reuses),
        Self("must-revalidate, over", [control("max-age=60, must-revalidate")], after: 61, .reloads),
        Self("no-store", [control("no-store, max-age=60")], after: 0, .loads),
        Self("Pragma alone", [("Pragma", "no-cache"), ("Expires", "@60")], after: 0, .reloads),
        Self("Pragma beside max-age", [("Pragma", "no-cache"), control("max-age=60")], after: 30, .reuses),
        Self("Vary: *", [control("max-age=60"), ("Vary", "*")], after: 0, .loads),
        Self("Vary, the same request", [control("max-age=60"), ("Vary", "Accept")], after: 30, .reuses),
        Self(
            "a weak tag", [control("max-age=0"), ("ETag", "W/\"1\"")], after: 0,
            .revalidates(tag: "W/\"1\"")),
        Self(
            "both validators", [control("max-age=0"), tag, ("Last-Modified", "@-1000")], after: 0,
            .revalidates(tag: "\"1\"", modified: -1000)),
        Self(
            "a cookie is not stored, the image is", [control("max-age=60"), ("Set-Cookie", "a=1")], after: 30,
            .reuses),
    ]
}

@Suite(.timeLimit(.minutes(10)))
struct `The freshness table` {
    private static let now = Date(timeIntervalSince1970: 1_900_000_000)

    private static func date(_ seconds: Int, _ pattern: String = "EEE, dd MMM yyyy HH:mm:ss 'GMT'") -> String
    {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = pattern
        return format.string(from: now + TimeInterval(seconds))
    }

    /// The text that a value stands for.
    private static func text(_ value: String) -> String {
        let patterns = ["@": "EEE, dd MMM yyyy HH:mm:ss 'GMT'", "850@": "EEEE, dd-MMM-yy HH:mm:ss 'GMT'"]
        for (prefix, pattern) in patterns where value.hasPrefix(prefix) {
            return date(Int(value.dropFirst(prefix.count)) ?? 0, pattern)
        }
        guard value.hasPrefix("asc@") else { return value }
        return date(Int(value.dropFirst(4)) ?? 0, "EEE MMM ppd HH:mm:ss yyyy")
    }

    @Test(
        arguments: FreshnessCase.lifetimes + FreshnessCase.expires + FreshnessCase.ages
            + FreshnessCase.heuristics + FreshnessCase.directives + FreshnessCase.syntax
            + FreshnessCase.meanings + FreshnessCase.times + FreshnessCase.tags + FreshnessCase.statuses)
    func `a response is fresh, stale and revalidated as RFC 9111 says`(row: FreshnessCase) async throws {
        let fixture = try FreshFixture()
        let headers = row.headers.map { ($0, Self.text($1)) }
        let png = try Sample.png(4, 4)
        fixture.server.serve(
            "/a", Reply(status: row.status, body: png, contentType: "image/png", headers: headers))
        let first = try? await fixture.load()
        let isStored = fixture.cache.isCached(forKey: fixture.server.address("/a"))
        fixture.clock.advance(by: row.seconds)
        let second = try? await fixture.load()
        #expect(second?.image.size.width == first?.image.size.width)
        #expect(first != nil || row.status >= 400)
        let requests = fixture.server.requests().dropFirst()
        switch row.next {
        case .reuses: #expect(requests.isEmpty)
        case .revalidates(let tag, let modified):
            #expect(requests.count == 1)
            #expect(requests.last?.header("If-None-Match") == tag)
            #expect(requests.last?.header("If-Modified-Since") == modified.map { Self.date($0) })
        case .reloads, .loads:
            #expect(requests.count == 1)
            #expect(requests.last?.header("If-None-Match") == nil)
            #expect(requests.last?.header("If-Modified-Since") == nil)
        }
        #expect(isStored == (row.next != .loads))
    }
}
