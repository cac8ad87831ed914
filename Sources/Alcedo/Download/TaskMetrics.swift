import AlcedoTransport
public import Foundation
public import FoundationNetworking

/// Measurements of each request of a download, with the names of Foundation's `URLSessionTaskMetrics`.
///
/// Foundation's own type cannot be filled by others on Linux.
public struct TaskMetrics: Sendable {
    /// The transport's measurements.
    public let transport: TransportMetrics

    /// From leaving the queue to the last byte.
    public var taskInterval: DateInterval {
        DateInterval(start: transport.start, duration: max(0, transport.total))
    }

    /// Redirects followed.
    public var redirectCount: Int { transport.redirectCount }

    /// One for each request, redirects and rounds of authentication included; none for a file.
    public var transactionMetrics: [TaskTransactionMetrics] {
        transport.requests.map(TaskTransactionMetrics.init)
    }
}

/// Measurements of one request, with the names of Foundation's `URLSessionTaskTransactionMetrics`.
///
/// Dates are nil without such a phase, as on a reused connection.
public struct TaskTransactionMetrics: Sendable {
    /// The transport's measurements.
    public let transport: RequestMetrics

    /// The request's URL and method, without headers and body.
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

    /// When the name lookup began.
    public var domainLookupStartDate: Date? { date(transport.nameLookup?.start) }

    /// When the name lookup ended.
    public var domainLookupEndDate: Date? { date(transport.nameLookup?.end) }

    /// When connecting began.
    public var connectStartDate: Date? { date(transport.connect?.start) }

    /// When the connection was open, with TLS if it uses that.
    public var connectEndDate: Date? { date(transport.tls?.end ?? transport.connect?.end) }

    /// When the TLS handshake began.
    public var secureConnectionStartDate: Date? { date(transport.tls?.start) }

    /// When the TLS handshake ended.
    public var secureConnectionEndDate: Date? { date(transport.tls?.end) }

    /// When sending the request began.
    public var requestStartDate: Date? { date(transport.request?.start) }

    /// When the request was sent.
    public var requestEndDate: Date? { date(transport.request?.end) }

    /// When the first byte of the response arrived.
    public var responseStartDate: Date? { date(transport.response?.start) }

    /// When the last byte of the response arrived.
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

    /// Whether the connection was reused.
    public var isReusedConnection: Bool { transport.isConnectionReused }

    /// Bytes of the request line and the headers that were sent.
    public var countOfRequestHeaderBytesSent: Int64 { transport.requestHeaderBytes }

    /// Bytes of the body that were sent.
    public var countOfRequestBodyBytesSent: Int64 { transport.requestBodyBytes }

    /// Bytes of the status line and the headers received.
    public var countOfResponseHeaderBytesReceived: Int64 { transport.responseHeaderBytes }

    /// Bytes of the body received, before decoding.
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
    /// The measurements, if a downloader made these metrics.
    public var measured: TaskMetrics? { (self as? MeasuredTaskMetrics)?.value }
}

/// Foundation's type, for session delegates.
///
/// Safe because it is immutable after `init`.
final class MeasuredTaskMetrics: URLSessionTaskMetrics, @unchecked Sendable {
    private(set) var value: TaskMetrics?

    convenience init(_ metrics: TransportMetrics) {
        self.init()
        value = TaskMetrics(transport: metrics)
    }
}
