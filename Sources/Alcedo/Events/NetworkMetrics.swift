import AlcedoTransport
public import Foundation
public import FoundationNetworking

/// Measurements of one download; durations are in seconds.
public struct NetworkMetrics: Sendable {
    public let rawMetrics: TaskMetrics

    /// From the call of the manager to the image; nil for a download without a manager.
    public let retrieveImageDuration: TimeInterval?

    /// From leaving the queue to the last byte.
    public let totalRequestDuration: TimeInterval

    /// The name lookup; nil on a reused connection.
    public let domainLookupDuration: TimeInterval?

    /// Connecting, without TLS; nil on a reused connection.
    public let connectDuration: TimeInterval?

    /// The TLS handshake; nil without one.
    public let secureConnectionDuration: TimeInterval?

    public let requestBodyBytesSent: Int64

    /// Bytes received in the response's body, before decoding.
    public let responseBodyBytesReceived: Int64

    /// The response's status; nil without one, as for a file.
    public let httpStatusCode: Int?

    public let redirectCount: Int

    /// Bytes of the body per second of the whole request; nil if nothing was received or no time passed.
    public var downloadSpeed: Double? {
        guard responseBodyBytesReceived > 0, totalRequestDuration > 0 else { return nil }
        return Double(responseBodyBytesReceived) / totalRequestDuration
    }

    /// ``downloadSpeed`` in units of 1,048,576 bytes.
    public var downloadSpeedMBps: Double? { downloadSpeed.map { $0 / 1_048_576 } }

    func afterRetrieving(in seconds: TimeInterval) -> NetworkMetrics {
        NetworkMetrics(
            rawMetrics: rawMetrics,
            retrieveImageDuration: seconds,
            totalRequestDuration: totalRequestDuration,
            domainLookupDuration: domainLookupDuration,
            connectDuration: connectDuration,
            secureConnectionDuration: secureConnectionDuration,
            requestBodyBytesSent: requestBodyBytesSent,
            responseBodyBytesReceived: responseBodyBytesReceived,
            httpStatusCode: httpStatusCode,
            redirectCount: redirectCount
        )
    }
}

extension NetworkMetrics {
    init(_ result: TransferResult) {
        let metrics = result.metrics
        let isNew = !metrics.isConnectionReused
        self.init(
            rawMetrics: TaskMetrics(transport: metrics),
            retrieveImageDuration: nil,
            totalRequestDuration: metrics.total,
            domainLookupDuration: isNew ? metrics.nameLookup : nil,
            connectDuration: isNew ? metrics.connect.map { $0 - (metrics.nameLookup ?? 0) } : nil,
            secureConnectionDuration: isNew ? metrics.tls.map { $0 - (metrics.connect ?? 0) } : nil,
            requestBodyBytesSent: metrics.requests.last?.requestBodyBytes ?? 0,
            responseBodyBytesReceived: metrics.requests.last?.responseBodyBytes ?? metrics.bytesReceived,
            httpStatusCode: result.response.status == 0 ? nil : result.response.status,
            redirectCount: metrics.redirectCount
        )
    }
}

/// Measurements of each request of a download, with the names of Foundation's `URLSessionTaskMetrics`.
///
/// Foundation's own type cannot be filled by others on Linux.
public struct TaskMetrics: Sendable {
    public let transport: TransportMetrics

    /// From leaving the queue to the last byte.
    public var taskInterval: DateInterval {
        DateInterval(start: transport.start, duration: max(0, transport.total))
    }

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
    public let transport: RequestMetrics

    /// The request's URL and method, without headers and body.
    public var request: URLRequest {
        var request = URLRequest(url: transport.url)
        request.httpMethod = transport.method
        return request
    }

    /// The status; nil without a response.
    public var statusCode: Int? { transport.status == 0 ? nil : transport.status }

    /// When the request left the queue.
    public var fetchStartDate: Date? { transport.start }

    public var domainLookupStartDate: Date? { date(transport.nameLookup?.start) }
    public var domainLookupEndDate: Date? { date(transport.nameLookup?.end) }
    public var connectStartDate: Date? { date(transport.connect?.start) }

    /// When the connection was open, with TLS if it uses that.
    public var connectEndDate: Date? { date(transport.tls?.end ?? transport.connect?.end) }

    public var secureConnectionStartDate: Date? { date(transport.tls?.start) }
    public var secureConnectionEndDate: Date? { date(transport.tls?.end) }
    public var requestStartDate: Date? { date(transport.request?.start) }
    public var requestEndDate: Date? { date(transport.request?.end) }
    public var responseStartDate: Date? { date(transport.response?.start) }
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

    public var isReusedConnection: Bool { transport.isConnectionReused }
    public var countOfRequestHeaderBytesSent: Int64 { transport.requestHeaderBytes }
    public var countOfRequestBodyBytesSent: Int64 { transport.requestBodyBytes }
    public var countOfResponseHeaderBytesReceived: Int64 { transport.responseHeaderBytes }

    /// Bytes of the body received, before decoding.
    public var countOfResponseBodyBytesReceived: Int64 { transport.responseBodyBytes }

    public var remoteAddress: String? { transport.remoteAddress }
    public var remotePort: Int? { transport.remotePort }
    public var localAddress: String? { transport.localAddress }
    public var localPort: Int? { transport.localPort }

    private func date(_ seconds: Double?) -> Date? { seconds.map { transport.start.addingTimeInterval($0) } }
}

// MARK: - For session delegates

extension URLSessionTaskMetrics {
    /// The measurements, if a downloader created these metrics.
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
