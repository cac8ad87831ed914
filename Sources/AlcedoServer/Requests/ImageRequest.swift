import AlcedoHTTPServer
import AlcedoPixels
import AlcedoTransport
import Foundation

/// A request for an image, after its URL has been read.
struct ImageRequest: Sendable {
    let url: ImageURL
    let headers: HTTPHeaders

    /// The client's address; nil if unknown.
    let client: String?

    /// What the source's origin gets of ``headers``.
    let passed: PassedHeaders

    /// The formats that may be chosen for this client.
    let accepted: [EncodedFormat]

    /// The key of the result; empty for a source as it is, which is not cached.
    var key: String

    /// Tells apart the results that one URL has for different clients; empty where all get the same.
    let representation: String

    /// What the client knows of its copy, in the origin's terms.
    private(set) var conditions: SourceConditions

    /// Whether the result is created again, from the source as its origin has it now.
    let bypassesCaches: Bool

    /// When it came.
    let start: Date

    /// When the response must be there.
    let deadline: ContinuousClock.Instant

    /// Whether the client wants no result whose source has not been checked for this request.
    var revalidates: Bool { Freshness.wantsRevalidation(headers.fields) }

    /// The same of a client that has no copy.
    var unconditional: ImageRequest {
        var request = self
        request.conditions = .none
        return request
    }

    /// Equal for requests that share work; a source as it is depends on more of the request, and is not shared.
    var workKey: String {
        url.options.raw
            ? "raw \(UUID())"
            : [
                key, conditions.etags ?? "", conditions.date ?? "", "\(revalidates)", "\(bypassesCaches)",
            ].joined(separator: "\n")
    }
}

extension Admission {
    /// Counts the request, which needs more than a cache of this machine, for its key, its source and its client.
    func share(for image: ImageRequest) throws(RequestFailure) -> Share {
        var parties = [Quotas.Party(kind: .source, name: image.url.source.origin)]
        if let key = image.url.key { parties.append(Quotas.Party(kind: .key, name: "\(key)")) }
        if let client = image.client { parties.append(Quotas.Party(client: client)) }
        do throws(Quotas.Excess) { return try share(of: parties) } catch {
            throw RequestFailure(error)
        }
    }
}
