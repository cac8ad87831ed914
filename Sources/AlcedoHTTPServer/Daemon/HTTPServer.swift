#if Server
    import AlcedoLocks
    import CMicroHTTPD
    import Dispatch
    import Glibc
    import Synchronization

    /// An HTTP/1.1 server on libmicrohttpd, for a reverse proxy in front of it.
    ///
    /// A few threads serve all connections. A connection is suspended while its handler runs, and uses no thread. A request
    /// with a body is rejected. It serves until ``stop(within:)``, even if nothing refers to it.
    package final class HTTPServer: Sendable {
        /// Responds to a request; its task is cancelled if the client closes the connection, or if the server stops.
        package typealias Handler = @Sendable (HTTPRequest) async -> HTTPResponse

        /// Responds to a request if that takes microseconds: on the connection's thread, whose other connections wait.
        package typealias ImmediateHandler = @Sendable (HTTPRequest) -> HTTPResponse?

        /// Where it listens, with the port that was chosen.
        package let address: ListenAddress

        private let core: ServerCore
        private let threads: Lock<[DaemonThread]>

        /// Starts to serve; `handler` gets the requests for which `immediate` returns nil.
        package init(
            _ socket: consuming ListeningSocket, limits: HTTPServerLimits = HTTPServerLimits(),
            immediate: @escaping ImmediateHandler = { _ in nil }, handler: @escaping Handler
        ) throws(ListenError) {
            address = socket.address
            core = try ServerCore(limits: limits, immediate: immediate, handler: handler)
            let context = Unmanaged.passRetained(core)
            let descriptor = socket.take()
            defer { close(descriptor) }
            var threads: [DaemonThread] = []
            for _ in 0..<limits.threads {
                // Each closes the socket that it is given.
                let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
                let settings = alcedo_mhd_settings(
                    socket: copy,
                    connections: UInt32(max(limits.connections / limits.threads, 1)),
                    // For libmicrohttpd, 0 is no timeout.
                    idle_timeout: UInt32(
                        limits.keepAliveTimeout > 0 ? limits.keepAliveTimeout : limits.readTimeout),
                    memory: limits.headerBytes,
                    context: context.toOpaque(),
                    begin: startRequest,
                    handle: handleRequest,
                    end: endRequest,
                    notify: notifyConnection,
                    log: { context, format, _ in noteMessage(context, format) }
                )
                guard copy >= 0, let thread = DaemonThread(settings, core) else {
                    for thread in threads { thread.stop() }
                    core.watch.stop()
                    context.release()
                    throw ListenError(
                        description: "could not start the server on \(address): no more threads or "
                            + "descriptors (ulimit -u, ulimit -n)")
                }
                threads.append(thread)
            }
            self.threads = Lock(threads)
        }

        /// Requests whose response has not been sent.
        package var activeRequests: Int { core.requests.count }

        package var connections: Int { core.watch.count }

        /// Accepts no further connection, lets running requests end within a time, then cancels them and closes everything.
        package func stop(within time: Duration) async {
            let threads = threads.withLock { threads in
                defer { threads = [] }
                return threads
            }
            guard !threads.isEmpty else { return }
            // First, so that no response from now on leaves its connection open.
            core.closesConnections.store(true, ordering: .releasing)
            await onThread { for thread in threads { thread.quiesce() } }
            await core.requests.waitUntilNone(within: time)
            for exchange in core.suspensions.close() { exchange.cancel() }
            await core.suspensions.waitUntilNone()
            // Their responses are on their way, for a second more than `time`.
            await core.requests.waitUntilNone(within: .seconds(1))
            await onThread { for thread in threads { thread.stop() } }
            core.watch.stop()
            // The callbacks of the daemons have used it until here.
            Unmanaged.passUnretained(core).release()
        }
    }

    /// Runs a call that blocks.
    private func onThread(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                body()
                continuation.resume()
            }
        }
    }
#endif
