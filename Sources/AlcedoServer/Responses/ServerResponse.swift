import AlcedoHTTPServer
import AlcedoLocks

/// A response, and what the log and the metrics report about it.
struct ServerResponse: Sendable {
    /// Bytes of a header that a source or a URL determines; longer ones are left out, as all headers of a response must
    /// fit into the memory of a connection.
    static let longestHeader = 1024

    /// Has a body for a HEAD request, too, whose `Content-Length` it gives.
    var http: HTTPResponse

    /// For metrics; nil if there is no error.
    var errorKind: ErrorKind?

    /// What went wrong, for the log.
    var reason: String?

    /// The origin of the request's image, for metrics; nil if its URL names none.
    var source: String?

    /// How long parts of the work took; a request that joined another has that one's.
    var spans: [Span: Duration] = [:]

    /// Where the body comes from.
    var tier: Tier

    init(_ http: HTTPResponse, errorKind: ErrorKind? = nil, reason: String? = nil, tier: Tier = .none) {
        (self.http, self.errorKind, self.reason, self.tier) = (http, errorKind, reason, tier)
    }

    /// A part of the work; raw values are those of the metrics.
    enum Span: String, Sendable, CaseIterable {
        case queue
        case downloading = "downloading_source_image"
        case processing = "processing_image"
    }

    /// Where a body comes from; raw values are those of the metrics.
    enum Tier: String, Sendable, CaseIterable {
        case memory
        case disk
        case shared
        case bucket
        /// Downloaded and processed for this request or one at the same time.
        case source
        /// An error, or a response without an image.
        case none
    }

    /// Adds where the body comes from and how long the work took.
    func addDebugHeaders(to headers: inout HTTPHeaders) {
        headers.add("X-Cache-Tier", tier == .source ? "none" : tier.rawValue)
        let names: [(Span, String)] = [
            (.queue, "queue"), (.downloading, "download"), (.processing, "process"),
        ]
        let timing = names.compactMap { span, name in
            spans[span].map { "\(name);dur=\((($0.seconds * 1e4).rounded() / 10))" }
        }
        if !timing.isEmpty { headers.add("Server-Timing", timing.joined(separator: ", ")) }
    }
}

/// A kind of error; raw values are those of the metrics.
enum ErrorKind: String, Sendable, CaseIterable {
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
