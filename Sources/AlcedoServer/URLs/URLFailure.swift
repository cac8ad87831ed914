/// Why a URL is rejected.
package struct URLFailure: Error, Sendable, Equatable {
    package var kind: Kind
    /// For logs and development; names the part of the URL.
    package var reason: String

    package init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    package enum Kind: Sendable, Equatable, CaseIterable {
        /// The signature is wrong.
        case forbidden
        /// The path, an option or the source's form is wrong.
        case invalidURL
        /// A security option, and these are not allowed.
        case forbiddenOption
        /// The source is not among the allowed ones.
        case forbiddenSource
        /// The source has a scheme that the server doesn't load.
        case unsupportedScheme
    }

    /// The status of the response.
    package var status: Int {
        switch kind {
        case .forbidden, .forbiddenOption: 403
        case .invalidURL, .forbiddenSource, .unsupportedScheme: 404
        }
    }

    /// The body of the response.
    package var publicText: String {
        switch kind {
        case .forbidden: "Forbidden"
        case .invalidURL, .forbiddenOption: "Invalid URL"
        case .forbiddenSource: "Invalid source URL"
        case .unsupportedScheme: "Source is unreachable"
        }
    }
}

extension URLFailure: CustomStringConvertible {
    package var description: String { reason }
}
