public import Foundation

/// A transfer that went well, as far as the transport can tell: any HTTP status is a success here.
public struct TransferResult: Sendable {
    /// The final response.
    public let response: TransportResponse

    /// The whole body, decoded.
    public let body: Data

    /// How it went.
    public let metrics: TransportMetrics

    /// Keeps the response in a cache, if that turns out to be worth it; nil where it may not be kept, or without a cache.
    package var pendingEntry: PendingEntry?

    /// A result of these parts.
    public init(response: TransportResponse, body: Data, metrics: TransportMetrics = TransportMetrics()) {
        self.response = response
        self.body = body
        self.metrics = metrics
    }
}

/// Where a transfer spent its time, and how much it moved.
///
/// What all requests of the transfer took is in ``requests``; the rest speaks of the last one, or of all together.
/// All times are in seconds. Those of the phases count from the start of the last request, if there were redirects,
/// and say when the phase ended; nil if there was no such phase.
public struct TransportMetrics: Sendable {
    /// When the first request left the queue.
    public var start = Date(timeIntervalSinceReferenceDate: 0)

    /// From being asked for to ``start``.
    public var queued = 0.0

    /// From ``start`` to the end, redirects included.
    public var total = 0.0

    /// The host's name was known.
    public var nameLookup: Double?

    /// The connection stood.
    public var connect: Double?

    /// The connection was secured.
    public var tls: Double?

    /// The request was about to be sent.
    public var requestStart: Double?

    /// The first byte of the response arrived.
    public var firstByte: Double?

    /// Bytes sent for the last request: its line, headers and body.
    public var bytesSent: Int64 = 0

    /// Bytes of headers and body that the last response had, before decoding.
    public var bytesReceived: Int64 = 0

    /// How many redirects were followed.
    public var redirectCount = 0

    /// Whether the last request used a connection that was open already.
    public var isConnectionReused = false

    /// One record for each request that was sent, in order: redirects and rounds of authentication too.
    ///
    /// Empty for `file` and `data`.
    public var requests: [RequestMetrics] = []

    /// Metrics of a transfer that took no time.
    public init() {}
}
