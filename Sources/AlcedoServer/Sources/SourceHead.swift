import AlcedoTransport
import Foundation

/// The validators and the freshness of a source, from its origin.
struct SourceHead: Sendable, Codable, Equatable {
    var etag: String?
    var lastModified: String?
    var cacheControl: String?
    var expires: String?

    /// What keeps it from caches that several users share; nil if nothing does.
    var privacy: Privacy?

    /// The names by which its server wants it purged; nil without any.
    var tags: [String]?

    /// How long it may be used without a request to its server; nil for a file.
    var use: Freshness.SharedUse?

    /// The conditions under which the source is sent again.
    var conditions: SourceConditions { SourceConditions(etags: etag, date: lastModified) }

    /// The head after its server has said, by the head of a 304, that the source is the same.
    func confirmed(by other: SourceHead) -> SourceHead {
        var head = self
        head.etag = other.etag ?? etag
        head.lastModified = other.lastModified ?? lastModified
        head.tags = other.tags ?? tags
        // A redirect may forbid more by now, although the last response says nothing.
        head.privacy = .stricter(privacy, other.privacy)
        guard other.cacheControl != nil || other.expires != nil else { return head }
        (head.cacheControl, head.expires) = (other.cacheControl, other.expires)
        (head.privacy, head.use) = (other.privacy, other.use)
        return head
    }
}

/// Who may store a source, if not everybody.
enum Privacy: String, Sendable, Codable {
    /// The requesting client.
    case client

    /// Nobody.
    case none

    /// Of both, what forbids more.
    static func stricter(_ one: Privacy?, _ other: Privacy?) -> Privacy? {
        one == Privacy.none || other == Privacy.none ? Privacy.none : one ?? other
    }
}

/// A source's bytes.
struct FetchedSource: Sendable {
    var data: Data
    var head: SourceHead

    /// When they were known to be the source's: before they were requested.
    var checked: Date
}

/// The result of loading a source.
enum SourceOutcome: Sendable {
    case fetched(FetchedSource)
    /// The copy for which there were conditions is still good; it was at the date.
    case notModified(SourceHead, checked: Date)
    case failed(RequestFailure)
}

/// What a client knows of its copy.
struct SourceConditions: Sendable, Hashable {
    /// The origin's ETags, as in `If-None-Match`.
    var etags: String?

    /// A date, as in `If-Modified-Since`.
    var date: String?

    static let none = SourceConditions()

    var headers: [(name: String, value: String)] {
        [("If-None-Match", etags), ("If-Modified-Since", date)].compactMap { name, value in
            value.map { (name, $0) }
        }
    }

    /// Whether a source of `head` is the client's; `If-None-Match` wins over the date (RFC 9110, 13.2.2).
    func match(_ head: SourceHead) -> Bool {
        if let etags {
            guard let etag = head.etag.map(Self.opaque) else { return false }
            return EntityTag.list(etags).contains { $0 == "*" || Self.opaque($0) == etag }
        }
        guard let date, let modified = head.lastModified else { return false }
        guard let since = HTTPDate.date(of: date), let last = HTTPDate.date(of: modified) else {
            return date == modified
        }
        return last <= since
    }

    /// An ETag without the mark of a weak one: the comparison of `If-None-Match` is weak.
    private static func opaque(_ etag: String) -> String {
        etag.hasPrefix("W/") ? String(etag.dropFirst(2)) : etag
    }
}

/// Dates in headers (RFC 9110, 5.6.7).
enum HTTPDate {
    private static let style = Date.VerbatimFormatStyle(
        format: """
            \(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .defaultDigits) \
            \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\
            \(second: .twoDigits) GMT
            """,
        locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt,
        calendar: Calendar(identifier: .gregorian))

    static func text(of date: Date) -> String { date.formatted(style) }

    static func date(of text: String) -> Date? { try? style.parseStrategy.parse(text) }
}
