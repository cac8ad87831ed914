import Foundation

/// The age and the freshness lifetime of a response, in seconds (RFC 9111, 4.2), for a private cache.
enum Freshness {
    /// Whether a stored response may be used for `request` without revalidation.
    static func isFresh(_ stored: StoredResponse, for request: TransportRequest, at now: Date) -> Bool {
        let (wanted, control) = (CacheControl(request.headers), stored.control)
        guard !wanted.noCache, !control.noCache else { return false }
        // Clock skew: the age is unknown.
        guard stored.received <= now else { return false }
        let lifetime = min(lifetime(of: stored), wanted.maxAge ?? .infinity)
        return age(of: stored, at: now) < lifetime
    }

    /// The freshness lifetime of a response.
    static func lifetime(of stored: StoredResponse) -> TimeInterval {
        if let maxAge = stored.control.maxAge { return maxAge }
        let date = HTTPDate.read(stored.value("date")) ?? stored.received
        if let expires = stored.value("expires") {
            return max(0, HTTPDate.read(expires)?.timeIntervalSince(date) ?? 0)
        }
        // Without a lifetime: a tenth of the time since the last modification, as RFC 9111 suggests. 1970 counts as unknown.
        guard let modified = HTTPDate.read(stored.value("last-modified")), modified.timeIntervalSince1970 > 0
        else { return 0 }
        return min(max(0, date.timeIntervalSince(modified)) / 10, heuristicLimit)
    }

    /// The longest heuristic lifetime: a day.
    private static let heuristicLimit: TimeInterval = 86_400

    /// The age of a response.
    static func age(of stored: StoredResponse, at now: Date) -> TimeInterval {
        let apparent = HTTPDate.read(stored.value("date")).map { stored.received.timeIntervalSince($0) } ?? 0
        let delay = max(0, stored.received.timeIntervalSince(stored.requested))
        let announced =
            stored.value("age").flatMap { $0.utf8.allSatisfy { $0.decimalDigit != nil } ? Double($0) : nil }
            ?? 0
        return max(0, apparent, announced + delay) + max(0, now.timeIntervalSince(stored.received))
    }
}
