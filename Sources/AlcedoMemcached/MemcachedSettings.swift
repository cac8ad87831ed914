/// How a ``MemcachedStore`` talks to its servers.
public struct MemcachedSettings: Sendable {
    /// Threads for each server, each with a connection to it; 4 by default, at most 64.
    ///
    /// A call takes some 0.1 ms, so that a few are enough. memcached allows 1,024 connections from all machines by default.
    public var threads = 4

    /// The longest time to connect; 0.1 s by default.
    public var connectTimeout = Duration.milliseconds(100)

    /// The longest time to wait for a server within a call; 0.05 s by default.
    ///
    /// A server that sends a little now and then may take longer. A suspended one is used again once it responds within this time.
    public var pollTimeout = Duration.milliseconds(50)

    /// The longest time that a call may take with the wait for a thread; 0.5 s by default.
    ///
    /// A call that takes longer counts as a failure of its server, which is suspended at once if the call still runs. Lookups of a
    /// shared cache have a shorter limit of their own; a call that is cancelled by it counts, too, if it has taken longer than
    /// ``pollTimeout``.
    public var callTimeout = Duration.milliseconds(500)

    /// The most calls that are queued for one server; 1,024 by default.
    ///
    /// Further calls fail.
    public var queueLimit = 1_024

    /// How long a server that has failed is suspended at first; 2 s by default.
    ///
    /// Varies by 25 %. It is suspended after 3 failures in a row or 5 of 20 calls. Then one call of the store's own tries it. If that
    /// fails, the other servers get its keys, and the pause doubles.
    public var firstPause = Duration.seconds(2)

    /// The longest pause; 30 s by default.
    public var longestPause = Duration.seconds(30)

    public init(
        threads: Int = 4, connectTimeout: Duration = .milliseconds(100),
        pollTimeout: Duration = .milliseconds(50), callTimeout: Duration = .milliseconds(500),
        queueLimit: Int = 1_024, firstPause: Duration = .seconds(2), longestPause: Duration = .seconds(30)
    ) {
        (self.threads, self.connectTimeout, self.pollTimeout) = (threads, connectTimeout, pollTimeout)
        (self.callTimeout, self.queueLimit) = (callTimeout, queueLimit)
        (self.firstPause, self.longestPause) = (firstPause, longestPause)
    }

    public init(_ configure: (inout Self) -> Void) { configure(&self) }
}
