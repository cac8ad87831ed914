public import Foundation

/// The result of a successful transfer; any HTTP status counts as success.
public struct TransferResult: Sendable {
    /// The final response, after redirects and challenges.
    public let response: TransportResponse

    /// The whole body, decoded.
    public let body: Data

    public let metrics: TransportMetrics

    /// Stores the response in a cache once committed; nil without a cache, or if it must not be stored.
    package var pendingEntry: PendingEntry?

    public init(response: TransportResponse, body: Data, metrics: TransportMetrics = TransportMetrics()) {
        self.response = response
        self.body = body
        self.metrics = metrics
    }
}

/// Times and sizes of a transfer.
///
/// ``requests`` has a record of each request; the other properties are of the last one, or of the whole transfer. Times are
/// in seconds. Those of phases are when the phase ended, from the start of the last request; nil without such a phase.
public struct TransportMetrics: Sendable {
    /// When the first request left the queue.
    public var start = Date(timeIntervalSinceReferenceDate: 0)

    /// From the call to ``start``.
    public var queued = 0.0

    /// From ``start`` to the end, redirects included.
    public var total = 0.0

    /// When the name lookup ended.
    public var nameLookup: Double?

    /// When the connection was open.
    public var connect: Double?

    /// When the TLS handshake ended.
    public var tls: Double?

    /// When sending started.
    public var requestStart: Double?

    /// When the first byte of the response arrived.
    public var firstByte: Double?

    /// Bytes sent for the last request: its line, headers and body.
    public var bytesSent: Int64 = 0

    /// Bytes of headers and body that the last response had, before decoding.
    public var bytesReceived: Int64 = 0

    public var redirectCount = 0
    public var isConnectionReused = false

    /// One record for each request, in order, redirects and rounds of authentication included.
    ///
    /// Empty for `file` and `data`.
    public var requests: [RequestMetrics] = []

    /// Metrics of a transfer that took no time.
    public init() {}
}
