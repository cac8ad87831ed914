import Foundation

/// How old a response is, and how old it may become, in seconds (RFC 9111, 4.2), for a cache of one user's.
enum Freshness {
    /// Whether a stored response may be used for `request` without asking the server.
    static func isFresh(_ stored: StoredResponse, for request: TransportRequest, at now: Date) -> Bool {
        let (wanted, control) = (CacheControl(request.headers), stored.control)
        guard !wanted.noCache, !control.noCache else { return false }
        // The clock was ahead then, or is behind now: how old it is can't be told.
        guard stored.received <= now else { return false }
        let lifetime = min(lifetime(of: stored), wanted.maxAge ?? .infinity)
        return age(of: stored, at: now) < lifetime
    }

    /// For how long a response is fresh.
    static func lifetime(of stored: StoredResponse) -> TimeInterval {
        if let maxAge = stored.control.maxAge { return maxAge }
        let date = HTTPDate.read(stored.value("date")) ?? stored.received
        if let expires = stored.value("expires") {
            return max(0, HTTPDate.read(expires)?.timeIntervalSince(date) ?? 0)
        }
        // A tenth of the time for which it has not changed: what the standard suggests where the server is silent. A server
        // that says 1970 does not know.
        guard let modified = HTTPDate.read(stored.value("last-modified")), modified.timeIntervalSince1970 > 0
        else { return 0 }
        return min(max(0, date.timeIntervalSince(modified)) / 10, heuristicLimit)
    }

    /// The longest time for which a response is fresh that does not say so: a day.
    private static let heuristicLimit: TimeInterval = 86_400

    /// How old a response is.
    static func age(of stored: StoredResponse, at now: Date) -> TimeInterval {
        let apparent = HTTPDate.read(stored.value("date")).map { stored.received.timeIntervalSince($0) } ?? 0
        let onItsWay = max(0, stored.received.timeIntervalSince(stored.requested))
        let told =
            stored.value("age").flatMap { $0.utf8.allSatisfy { $0.decimalDigit != nil } ? Double($0) : nil }
            ?? 0
        return max(0, apparent, told + onItsWay) + max(0, now.timeIntervalSince(stored.received))
    }
}
