package import Foundation
import Glibc

/// An HTTP/1.1 server on 127.0.0.1, on real sockets, that behaves as badly as a test wants.
///
/// One thread serves all connections; a reply that is held costs no thread. Paths are matched without their query;
/// an unknown one is answered with 404. A server that is dropped stops by itself.
package final class LoopbackServer: Sendable {
    /// Where it listens; the system chose it.
    package let port: UInt16

    private let mailbox = Mailbox()
    private let routes = Routes()
    private let traffics = Monitor(Traffic())
    private let thread: Monitor<pthread_t?>

    /// Starts to listen.
    package init() throws {
        Self.allowManyDescriptors()
        let listener = try Self.listen()
        port = Self.port(of: listener)
        thread = Monitor(nil)
        let started = startThread { [mailbox, routes, traffics] in
            Reactor(listener: listener, mailbox: mailbox, routes: routes, traffic: traffics).run()
        }
        guard let started else {
            close(listener)
            throw POSIXError(.EAGAIN)
        }
        thread.update { $0 = started }
    }

    deinit { stop() }

    /// Closes the listener and all connections, held ones too, and returns when the thread is gone.
    package func stop() {
        let running = thread.update { thread in
            defer { thread = nil }
            return thread
        }
        guard let running else { return }
        mailbox.post(.stop)
        pthread_join(running, nil)
    }

    /// `http://127.0.0.1:<port>` and `target`, which begins with a slash.
    package func address(_ target: String) -> String { "http://127.0.0.1:\(port)\(target)" }

    /// ``address(_:)`` as a `URL`; `target` must be a valid one.
    package func url(_ target: String) -> URL {
        guard let url = URL(string: address(target)) else { preconditionFailure("Not a target: \(target)") }
        return url
    }
}

// MARK: - What it answers

extension LoopbackServer {
    /// Answers `path` with these bytes; the quickest way, nothing is made per request.
    package func serve(
        _ path: String,
        _ bytes: [UInt8],
        contentType: String = "application/octet-stream",
        headers: [(String, String)] = []
    ) {
        serve(path, Reply(body: bytes, contentType: contentType, headers: headers))
    }

    /// Answers the requests for `path` with these replies in turn; the last one stays.
    package func serve(_ path: String, _ first: Reply, _ others: Reply...) {
        routes.set(.plans(([first] + others).map(ReplyPlan.init), next: 0), for: path)
    }

    /// Answers `path` with what `handler` says.
    ///
    /// It runs on the server's only thread, and must not block: to make a client wait, return a reply that is
    /// held. A handler that captures the server keeps it alive: capture it weakly.
    package func route(_ path: String, _ handler: @escaping @Sendable (ReceivedRequest) -> Reply) {
        routes.set(.handler(handler), for: path)
    }
}

// MARK: - What it saw

extension LoopbackServer {
    /// All that was counted and recorded so far.
    package var traffic: Traffic { traffics.read(\.copy) }

    /// The requests so far, for one path or altogether.
    package func requests(path: String? = nil) -> [ReceivedRequest] {
        traffic.requests.filter { path == nil || $0.path == path }
    }

    /// How many requests came so far, for one path or altogether.
    package func requestCount(path: String? = nil) -> Int { traffic.requestCount(path: path) }

    /// Suspends until `count` requests have come, for one path or altogether.
    ///
    /// Like all waits here it also ends when the task is cancelled or the server stops.
    package func waitForRequests(_ count: Int, path: String? = nil) async {
        await wait { $0.requestCount(path: path) >= count }
    }

    /// Suspends until `count` replies were sent to their end.
    package func waitForReplies(_ count: Int) async { await wait { $0.repliesFinished >= count } }

    /// Suspends until `count` bytes were sent.
    package func waitForBytes(_ count: Int) async { await wait { $0.bytesSent >= count } }

    /// Suspends until clients gave up on `count` replies.
    package func waitForAbandonedReplies(_ count: Int) async { await wait { $0.repliesAbandoned >= count } }

    /// Suspends until `condition` holds.
    package func wait(until condition: @escaping @Sendable (Traffic) -> Bool) async {
        await traffics.wait { $0.hasStopped || condition($0) }
    }

    /// Counts from zero again; for a benchmark's next round.
    package func forgetTraffic() { traffics.update { $0.reset() } }
}

// MARK: - Sockets and threads

extension LoopbackServer {
    private static func listen() throws -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw currentError() }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0, Glibc.listen(descriptor, 4096) == 0 else {
            defer { close(descriptor) }
            throw currentError()
        }
        return descriptor
    }

    private static func port(of descriptor: Int32) -> UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &length)
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Both ends of every connection are descriptors of this process: 1024 are soon used up.
    private static func allowManyDescriptors() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private static func currentError() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}

/// Runs `body` on a thread of its own; `nil` where the system gives none.
private func startThread(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
    final class Box: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    let box = Unmanaged.passRetained(Box(body))
    var thread = pthread_t()
    let status = pthread_create(
        &thread,
        nil,
        { argument in
            guard let argument else { return nil }
            Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
            return nil
        },
        box.toOpaque()
    )
    guard status == 0 else {
        box.release()
        return nil
    }
    return thread
}
