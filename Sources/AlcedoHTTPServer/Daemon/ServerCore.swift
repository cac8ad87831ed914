#if Server
    import AlcedoLocks
    import Synchronization

    /// The state that the callbacks of a server share.
    final class ServerCore: Sendable {
        let limits: HTTPServerLimits
        let immediate: HTTPServer.ImmediateHandler
        let handler: HTTPServer.Handler
        let watch: ConnectionWatch
        /// Requests from their first line to the end of their response.
        let requests = Tally()
        /// Exchanges whose connection is suspended: the daemon can't be stopped before they are resumed.
        let suspensions = Suspensions()
        let lengths = LengthCheck()
        /// What wakes the thread of a daemon, which does not notice by itself that a connection was resumed.
        let wakers = Lock<[UInt: Int32]>([:])
        /// Whether connections are closed after their response.
        let closesConnections: Atomic<Bool>

        init(
            limits: HTTPServerLimits, immediate: @escaping HTTPServer.ImmediateHandler,
            handler: @escaping HTTPServer.Handler
        ) throws(ListenError) {
            self.limits = limits
            (self.immediate, self.handler) = (immediate, handler)
            watch = try ConnectionWatch()
            closesConnections = Atomic(limits.keepAliveTimeout <= 0)
        }
    }
#endif
