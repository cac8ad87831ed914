package import AlcedoPixels
package import Foundation

/// An answer to send.
package struct ServedAnswer: Sendable {
    package var status: Int

    /// All header fields but `Content-Length`, `Date`, `X-Request-ID` and those of CORS, which the HTTP layer adds.
    package var headers: [(name: String, value: String)]

    /// The body; present for a HEAD request too, whose `Content-Length` it gives, but not to be sent then.
    package var body: Data

    /// The kind of error, for metrics; nil if there is none.
    package var errorKind: ErrorKind?

    /// What went wrong, for the log.
    package var reason: String?

    /// What took how long; a request that joined another has that one's spans.
    package var spans: [Span: Duration]

    /// Where the body comes from.
    package var tier: Tier

    /// Size of the source, upright; nil if unknown.
    package var originSize: PixelSize?

    /// Size of the result; nil if unknown.
    package var resultSize: PixelSize?

    /// Bytes of the source; nil if unknown.
    package var originBytes: Int?

    package init(
        status: Int, headers: [(name: String, value: String)] = [], body: Data = Data(),
        errorKind: ErrorKind? = nil, reason: String? = nil, spans: [Span: Duration] = [:],
        tier: Tier = .none
    ) {
        (self.status, self.headers, self.body) = (status, headers, body)
        (self.errorKind, self.reason, self.spans, self.tier) = (errorKind, reason, spans, tier)
    }

    /// A part of the work; raw values are those of the metrics.
    package enum Span: String, Sendable, CaseIterable {
        case queue
        case downloading = "downloading_source_image"
        case processing = "processing_image"
    }

    /// Where a body comes from.
    package enum Tier: String, Sendable, CaseIterable {
        case memory
        case disk
        case shared
        /// Downloaded and processed for this request or one at the same time.
        case source
        /// An error, or an answer without an image.
        case none
    }
}

/// A kind of error; raw values are those of the metrics.
package enum ErrorKind: String, Sendable, CaseIterable {
    case timeout
    case pathParsing = "path_parsing"
    case security
    case queue
    case download
    case processing
    case streaming
    case io = "IO"
    case unexpected
}
