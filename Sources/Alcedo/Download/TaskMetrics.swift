import AlcedoTransport
public import Foundation
public import FoundationNetworking

/// How each request of a download went; the names are those of Foundation's `URLSessionTaskMetrics`.
///
/// Foundation's own type can't be filled by anybody else on Linux.
public struct TaskMetrics: Sendable {
    /// What the transport has measured.
    public let transport: TransportMetrics

    /// From leaving the queue to the last byte.
    public var taskInterval: DateInterval {
        DateInterval(start: transport.start, duration: max(0, transport.total))
    }

    /// Redirects followed.
    public var redirectCount: Int { transport.redirectCount }

    /// One for each request that was sent, redirects and rounds of authentication too; none for a file.
    public var transactionMetrics: [TaskTransactionMetrics] {
        transport.requests.map(TaskTransactionMetrics.init)
    }
}

/// How one request went; the names are those of Foundation's `URLSessionTaskTransactionMetrics`.
///
/// Dates are nil where there was no such phase, as there is no connecting on a connection that is used again.
public struct TaskTransactionMetrics: Sendable {
    /// What the transport has measured.
    public let transport: RequestMetrics

    /// Where the request went, and its method; headers and body are not kept.
    public var request: URLRequest? {
        URL(string: transport.url).map { url in
            var request = URLRequest(url: url)
            request.httpMethod = transport.method
            return request
        }
    }

    /// The status; nil without a response.
    public var statusCode: Int? { transport.status == 0 ? nil : transport.status }

    /// When the request left the queue.
    public var fetchStartDate: Date? { transport.start }

    /// When looking up the host's name began.
    public var domainLookupStartDate: Date? { date(transport.nameLookup?.start) }

    /// When the host's name was known.
    public var domainLookupEndDate: Date? { date(transport.nameLookup?.end) }

    /// When connecting began.
    public var connectStartDate: Date? { date(transport.connect?.start) }

    /// When the connection stood, secured if it is to be.
    public var connectEndDate: Date? { date(transport.tls?.end ?? transport.connect?.end) }

    /// When securing the connection began.
    public var secureConnectionStartDate: Date? { date(transport.tls?.start) }

    /// When the connection was secured.
    public var secureConnectionEndDate: Date? { date(transport.tls?.end) }

    /// When sending the request began.
    public var requestStartDate: Date? { date(transport.request?.start) }

    /// When the request was sent.
    public var requestEndDate: Date? { date(transport.request?.end) }

    /// When the first byte of the response came.
    public var responseStartDate: Date? { date(transport.response?.start) }

    /// When the last byte of the response came.
    public var responseEndDate: Date? { date(transport.response?.end) }

    /// `http/1.1` or `h2`, for example; nil without a response.
    public var networkProtocolName: String? {
        switch transport.httpVersion {
        case "": nil
        case "HTTP/2": "h2"
        case "HTTP/3": "h3"
        default: transport.httpVersion.lowercased()
        }
    }

    /// Whether the connection had been opened for an earlier request.
    public var isReusedConnection: Bool { transport.isConnectionReused }

    /// Bytes of the request line and the headers that were sent.
    public var countOfRequestHeaderBytesSent: Int64 { transport.requestHeaderBytes }

    /// Bytes of the body that were sent.
    public var countOfRequestBodyBytesSent: Int64 { transport.requestBodyBytes }

    /// Bytes of the status line and the headers that came.
    public var countOfResponseHeaderBytesReceived: Int64 { transport.responseHeaderBytes }

    /// Bytes of the body that came, before decoding.
    public var countOfResponseBodyBytesReceived: Int64 { transport.responseBodyBytes }

    /// The address connected to.
    public var remoteAddress: String? { transport.remoteAddress }

    /// The port connected to.
    public var remotePort: Int? { transport.remotePort }

    /// The address connected from.
    public var localAddress: String? { transport.localAddress }

    /// The port connected from.
    public var localPort: Int? { transport.localPort }

    private func date(_ seconds: Double?) -> Date? { seconds.map { transport.start.addingTimeInterval($0) } }
}

// MARK: - For session delegates

extension URLSessionTaskMetrics {
    /// What was measured, if a downloader made these metrics.
    public var measured: TaskMetrics? { (self as? MeasuredTaskMetrics)?.value }
}

/// Foundation's type, to be handed to a session delegate.
///
/// Safe because it does not change once it is made.
final class MeasuredTaskMetrics: URLSessionTaskMetrics, @unchecked Sendable {
    private(set) var value: TaskMetrics?

    convenience init(_ metrics: TransportMetrics) {
        self.init()
        value = TaskMetrics(transport: metrics)
    }
}
