public import Foundation

/// Measurements of one request of a transfer.
///
/// Times of phases are in seconds from ``start``; nil without such a phase, as on a reused connection. A repetition by
/// libcurl, after a Digest nonce has expired, counts as part of the request.
public struct RequestMetrics: Sendable, Equatable {
    /// The start and end of one phase, in seconds from the request's start.
    public struct Phase: Sendable, Equatable {
        public var start: Double

        /// When it ended; never before ``start``.
        public var end: Double

        public init(start: Double, end: Double) {
            self.start = start
            self.end = max(start, end)
        }
    }

    /// The URL of this request, a redirect's included.
    public var url: URL

    public var method: String

    /// The HTTP status of the final response; 0 if there was none.
    public var status = 0

    /// `HTTP/1.1`, `HTTP/2` and so on; empty without a response.
    public var httpVersion = ""

    /// When the request left the queue.
    public var start: Date

    /// From ``start`` to the last byte, or to the end for another reason.
    public var duration = 0.0

    /// The name lookup of the host, or the proxy.
    public var nameLookup: Phase?

    /// Connecting to the server, or the proxy.
    public var connect: Phase?

    /// The TLS handshake, with a proxy's tunnel.
    public var tls: Phase?

    /// Sending the request; ends at once without a body, and with one when the response starts.
    public var request: Phase?

    /// Receiving the response, from its first line to its last byte.
    public var response: Phase?

    /// Bytes of the request line and the headers that were sent.
    public var requestHeaderBytes: Int64 = 0

    public var requestBodyBytes: Int64 = 0

    /// Bytes of the status line and the headers received.
    public var responseHeaderBytes: Int64 = 0

    /// Bytes of the body received, before decoding.
    public var responseBodyBytes: Int64 = 0

    /// The address connected to, the proxy's if there is one; nil without a connection.
    public var remoteAddress: String?

    public var remotePort: Int?
    public var localAddress: String?
    public var localPort: Int?
    public var isConnectionReused = false

    /// `TLSv1.3`, for example; nil without TLS, or if libcurl does not use OpenSSL.
    public var tlsVersion: String?

    /// A record of a request for `url` that has just left the queue.
    public init(url: URL, method: String = "GET", start: Date) {
        self.url = url
        self.method = method
        self.start = start
    }
}
