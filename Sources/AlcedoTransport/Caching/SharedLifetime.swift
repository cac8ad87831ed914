package import Foundation

extension Freshness {
    /// How long machines that share a cache may use a response.
    package enum SharedLifetime: Sendable, Equatable {
        /// The response is for one user, or must not be stored.
        case forbidden

        /// The server does not say.
        case unknown

        /// Seconds from now; 0 if it needs revalidation from the start.
        case seconds(TimeInterval)
    }

    /// How long machines may share a response (RFC 9111, 3.5 and 5.2.2).
    ///
    /// With `respectsCredentials`, a response to a request with a credential needs the server's permission.
    package static func sharedLifetime(
        of response: TransportResponse, to request: TransportRequest, respectsCredentials: Bool, at now: Date
    ) -> SharedLifetime {
        let control = CacheControl(response.headers)
        guard !control.noStore, !control.isPrivate else { return .forbidden }
        if respectsCredentials, request.isAuthenticated, !control.allowsSharing { return .forbidden }
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
