/// Timeouts; zero means none.
///
/// All but ``queue`` start when a request leaves the queue of its host, not with the call. Expiry fails the transfer
/// with ``TransportError/timedOut(_:seconds:url:)``, that of ``queue`` with
/// ``TransportError/queueTimedOut(waitingFor:seconds:url:)``.
public struct TransportTimeouts: Sendable, Equatable {
    /// From the start of the transfer until its request leaves the queue; no limit by default.
    ///
    /// A request is queued for a connection to its host, and while too many bodies wait to be decoded or stored.
    public var queue = Duration.zero

    /// Until the connection is open, with TLS if it uses that; 10 s by default.
    public var connect = Duration.seconds(10)

    /// From the connection to the first line of the response, sending the request included; 15 s by default.
    public var firstByte = Duration.seconds(15)

    /// Between two parts of the response; 15 s by default.
    ///
    /// Stops while the handler decides.
    public var stall = Duration.seconds(15)

    /// For the whole transfer, redirects included; 600 s by default.
    public var total = Duration.seconds(600)

    public init(_ configure: (inout Self) -> Void) { configure(&self) }

    public init(
        queue: Duration = .zero, connect: Duration = .seconds(10), firstByte: Duration = .seconds(15),
        stall: Duration = .seconds(15), total: Duration = .seconds(600)
    ) {
        (self.queue, self.connect, self.firstByte) = (queue, connect, firstByte)
        (self.stall, self.total) = (stall, total)
    }
}

/// The phase of a transfer whose timeout expired.
public enum TimeoutPhase: String, Sendable {
    /// The name lookup, connecting or the TLS handshake.
    case connect

    /// Waiting for the response to start.
    case firstByte

    /// Waiting for more of the response.
    case stall

    /// Any phase: the timeout of the whole transfer.
    case total
}
