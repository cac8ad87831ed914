/// The longest waits, in seconds; zero means no limit.
///
/// All but ``queue`` start when a request leaves the queue of its host, not when it is made. Expiry fails the transfer
/// with ``TransportError/timedOut(_:seconds:url:)``, that of ``queue`` with
/// ``TransportError/queueTimedOut(waitingFor:seconds:url:)``.
public struct TransportTimeouts: Sendable, Equatable {
    /// From the start of the transfer until its request leaves the queue; no limit by default.
    ///
    /// A request waits there for a connection to its host, and while too many bodies wait to be decoded or stored.
    public var queue = 0.0

    /// Until there is a connection, secured if it is to be; 10 by default.
    public var connect = 10.0

    /// From the connection to the first line of the response, sending the request included; 15 by default.
    public var firstByte = 15.0

    /// Between two pieces of the response; 15 by default.
    ///
    /// Stands still while the handler makes up its mind.
    public var stall = 15.0

    /// For everything together, redirects too; 600 by default.
    public var total = 600.0

    /// Time-outs as above, after `configure` has changed some.
    public init(_ configure: (inout Self) -> Void = { _ in }) { configure(&self) }
}

/// What a transfer was doing when its time was up.
public enum TimeoutPhase: String, Sendable {
    /// Looking up the name, connecting or securing the connection.
    case connect

    /// Waiting for the response to begin.
    case firstByte

    /// Waiting for the response to go on.
    case stall

    /// Anything: the time for the whole transfer is up.
    case total
}
