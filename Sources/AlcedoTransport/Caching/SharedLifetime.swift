package import Foundation

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
        let control = CacheControl(response.headers)
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

extension TransportResponse {
    /// Whether a cache that several users share must not store it; with `isAuthenticated` the request had a credential.
    package func forbidsSharing(isAuthenticated: Bool) -> Bool {
        CacheControl(headers).forbidsSharing(isAuthenticated: isAuthenticated)
            || isAuthenticated && variesByUser
    }

    /// Whether no cache may store it.
    package var forbidsStoring: Bool { CacheControl(headers).noStore }

    private var variesByUser: Bool {
        headers.contains { name, value in
            name.lowercased() == "vary"
                && value.lowercased().split(whereSeparator: { ", \t".contains($0) }).contains {
                    TransportRequest.userFields.contains(String($0))
                }
        }
    }
}
