import AlcedoTransport
import Foundation

/// What a load that respects freshness knows about the cached image of its current source.
struct LoadFreshness: Sendable {
    /// The response of the image that is delivered from a cache.
    var record: ResponseRecord?

    /// Whether the delivered image is stale.
    var isStale = false

    /// The source to revalidate after the completion.
    var revalidatesLater: Source?

    /// Whether the image was revalidated before it is delivered.
    var isRevalidated = false

    /// What a downloaded image's response means for the caches.
    enum Adoption {
        case adopted(ResponseRecord)

        /// The program's own downloader has created the image.
        case unknown

        /// The response must not be stored.
        case forbidden
    }
}

/// Whether a cached image may be delivered.
enum FreshnessDecision {
    case usable

    /// The response varies with the request, and the load would send another one, so the image is not for this load.
    case mismatched

    /// The server has to confirm the response, which the cache may not know.
    case needsRevalidation(ResponseRecord?)
}

extension Source {
    /// Whether it is loaded by HTTP.
    var isHTTP: Bool {
        guard case .network(let resource) = self, let scheme = resource.downloadURL.scheme?.lowercased()
        else {
            return false
        }
        return scheme == "http" || scheme == "https"
    }
}

extension KingfisherParsedOptionsInfo {
    /// Whether cached images are valid for as long as their servers say at most.
    var respectsFreshness: Bool { (httpFreshness ?? .ignored) != .ignored }

    /// Whether cached images of `source` are valid for as long as their servers say at most.
    func respectsFreshness(of source: Source) -> Bool { respectsFreshness && source.isHTTP }

    /// Whether the server has to confirm a cached image that is fresh.
    var revalidatesFreshImages: Bool { httpFreshness == .revalidated && reads(.network) }
}

extension KingfisherError {
    /// Whether the server could not be reached, or has failed itself.
    var isServerFailure: Bool {
        if let failure = rememberedFailure { return (500..<600).contains(failure.status ?? 0) }
        return switch self {
        case .responseError(reason: .URLSessionError): true
        case .responseError(reason: .invalidHTTPStatusCode(let response)):
            (500..<600).contains(response.statusCode)
        default: false
        }
    }

    /// Whether the server has responded with one of these statuses.
    func hasStatus(_ statuses: Int...) -> Bool {
        guard case .responseError(reason: .invalidHTTPStatusCode(let response)) = self else { return false }
        return statuses.contains(response.statusCode)
    }
}
