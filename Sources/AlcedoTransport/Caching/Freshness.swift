package import Foundation

/// The age and the freshness lifetime of a response, in seconds (RFC 9111, 4.2), for a private cache.
package enum Freshness {
    /// Whether a stored response may be used for `request` without revalidation.
    package static func isFresh(_ stored: StoredResponse, for request: TransportRequest, at now: Date) -> Bool
    {
        let (wanted, control) = (CacheControl(request.headers), stored.control)
        guard !wanted.noCache, !control.noCache else { return false }
        // Clock skew: the age is unknown.
        guard stored.received <= now else { return false }
        let lifetime = min(lifetime(of: stored), wanted.maxAge ?? .infinity)
        return age(of: stored, at: now) < lifetime
    }

    /// Whether a stale response may be used for `request` while it is revalidated, as its server allows (RFC 5861, 3).
    package static func mayBeUsedWhileRevalidating(
        _ stored: StoredResponse, for request: TransportRequest, at now: Date
    ) -> Bool {
        guard let limit = stored.control.staleWhileRevalidate, !stored.control.forbidsStale,
            !CacheControl(request.headers).noCache, stored.received <= now
        else { return false }
        return age(of: stored, at: now) - lifetime(of: stored) <= limit
    }

    /// Whether a stale response may be used because the server fails or can't be reached (RFC 9111, 4.2.4; RFC 5861, 4).
    ///
    /// Without a limit of the server's there is none.
    package static func mayBeUsedOnError(_ stored: StoredResponse, at now: Date) -> Bool {
        guard !stored.control.forbidsStale else { return false }
        guard let limit = stored.control.staleIfError else { return true }
        return age(of: stored, at: now) - lifetime(of: stored) <= limit
    }

    static func lifetime(of stored: StoredResponse) -> TimeInterval {
        if let maxAge = stored.control.maxAge { return maxAge }
        let date = HTTPDate.read(stored.value("date")) ?? stored.received
        if let expires = stored.value("expires") {
            return max(0, HTTPDate.read(expires)?.timeIntervalSince(date) ?? 0)
        }
        return heuristicLifetime(modified: stored.value("last-modified"), at: date) ?? 0
    }

    /// The lifetime of a response without one: a tenth of the time since the last modification, as RFC 9111 suggests.
    private static func heuristicLifetime(modified: String?, at date: Date) -> TimeInterval? {
        // 1970 counts as unknown.
        guard let modified = HTTPDate.read(modified), modified.timeIntervalSince1970 > 0 else { return nil }
        return min(max(0, date.timeIntervalSince(modified)) / 10, heuristicLimit)
    }

    /// The longest heuristic lifetime: a day.
    private static let heuristicLimit: TimeInterval = 86_400

    static func age(of stored: StoredResponse, at now: Date) -> TimeInterval {
        let apparent = HTTPDate.read(stored.value("date")).map { stored.received.timeIntervalSince($0) } ?? 0
        let delay = max(0, stored.received.timeIntervalSince(stored.requested))
        return max(0, apparent, announcedAge(stored.value("age")) + delay)
            + max(0, now.timeIntervalSince(stored.received))
    }

    /// The announced age: the first one of a list, and 0 for what is no number (RFC 9111, 5.1).
    static func announcedAge(_ header: String?) -> TimeInterval {
        let first = header?.prefix { $0 != "," } ?? ""
        return first.utf8.allSatisfy { $0.decimalDigit != nil } ? Double(first) ?? 0 : 0
    }
}

extension Freshness {
    /// How long machines that share a cache may use a response.
    package enum SharedLifetime: Sendable, Equatable {
        /// The server does not say.
        case unknown

        /// Seconds from now; 0 if it needs revalidation from the start.
        case seconds(TimeInterval)
    }

    /// How long machines may share a response that does not forbid sharing (RFC 9111, 5.2.2).
    package static func sharedLifetime(of response: TransportResponse, at now: Date) -> SharedLifetime {
        let control = CacheControl(response)
        guard !control.noCache, response.value(forHeader: "vary")?.contains("*") != true else {
            return .seconds(0)
        }
        let age = announcedAge(response.value(forHeader: "age"))
        if let maxAge = control.sharedMaxAge ?? control.maxAge {
            return .seconds(max(0, maxAge - age))
        }
        guard let expires = response.value(forHeader: "expires") else { return .unknown }
        let date = HTTPDate.read(response.value(forHeader: "date")) ?? now
        return .seconds(max(0, (HTTPDate.read(expires)?.timeIntervalSince(date) ?? 0) - age))
    }
}

extension Freshness {
    /// How a cache that several users share may use a response that does not forbid sharing.
    package struct SharedUse: Sendable, Codable, Equatable {
        /// Seconds from its receipt for which it is fresh; nil if its server says nothing about that.
        package var lifetime: TimeInterval?

        /// Seconds after that for which it may be used while it is revalidated (RFC 5861, 3).
        package var whileRevalidating = 0.0

        /// Whether it must not be used if the server fails.
        package var forbidsStale = false

        /// Seconds for which it may be used if the server fails (RFC 5861, 4); nil for no limit.
        package var ifError: TimeInterval?
    }

    package static func sharedUse(of response: TransportResponse, at now: Date) -> SharedUse {
        let control = CacheControl(response)
        var use = SharedUse()
        use.forbidsStale = control.forbidsSharedStale
        use.ifError = control.staleIfError
        if !control.forbidsStale { use.whileRevalidating = control.staleWhileRevalidate ?? 0 }
        switch sharedLifetime(of: response, at: now) {
        case .seconds(let seconds): use.lifetime = seconds
        case .unknown:
            let date = HTTPDate.read(response.value(forHeader: "date")) ?? now
            use.lifetime = heuristicLifetime(modified: response.value(forHeader: "last-modified"), at: date)
        }
        return use
    }

    /// Whether a request asks for revalidation (RFC 9111, 5.2.1).
    package static func wantsRevalidation(_ headers: [(name: String, value: String)]) -> Bool {
        let wanted = CacheControl(headers)
        return wanted.noCache || wanted.maxAge == 0
    }
}

extension TransportResponse {
    /// Whether a cache that several users share must not store it; with `isAuthenticated` the request had a credential.
    package func forbidsSharing(isAuthenticated: Bool) -> Bool {
        CacheControl(self).forbidsSharing(isAuthenticated: isAuthenticated)
            || isAuthenticated && variesByUser
    }

    package var forbidsStoring: Bool { CacheControl(self).noStore }

    private var variesByUser: Bool {
        values(forHeader: "vary").contains { value in
            value.lowercased().split(whereSeparator: { ", \t".contains($0) }).contains {
                TransportRequest.userFields.contains(String($0))
            }
        }
    }
}
