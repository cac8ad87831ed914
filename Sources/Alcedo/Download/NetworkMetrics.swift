import AlcedoTransport
public import Foundation

/// Measurements of one download; durations are in seconds.
public struct NetworkMetrics: Sendable {
    /// The measurements of each request.
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

    /// Bytes sent in the request's body.
    public let requestBodyBytesSent: Int64

    /// Bytes received in the response's body, before decoding.
    public let responseBodyBytesReceived: Int64

    /// The response's status; nil without one, as for a file.
    public let httpStatusCode: Int?

    /// Redirects followed.
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
