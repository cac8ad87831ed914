import AlcedoWaiting
package import Foundation
import Glibc

/// An HTTP/1.1 server on 127.0.0.1 with real sockets, for regular and for faulty replies.
///
/// One thread serves all connections; a paused reply needs no thread. Paths are matched without their query;
/// unknown paths get 404. `deinit` stops the server.
package final class LoopbackServer: Sendable {
    /// The port, selected by the system.
    package let port: UInt16

    private let mailbox = Mailbox()
    private let routes = Routes()
    private let traffics = Monitor(Traffic())
    private let thread: Monitor<pthread_t?>

    package init() throws {
        Self.allowManyDescriptors()
        let listener: Int32
        (listener, port) = try Self.listen()
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

    /// Closes the listener and all connections, paused ones included, and returns after the thread has ended.
    package func stop() {
        let running = thread.update { thread in
            defer { thread = nil }
            return thread
        }
        guard let running else { return }
        mailbox.post(.stop)
        pthread_join(running, nil)
    }

    /// `http://127.0.0.1:<port>` and `target`, which starts with a slash.
    package func address(_ target: String) -> String { "http://127.0.0.1:\(port)\(target)" }

    /// ``address(_:)`` as a `URL`; `target` must be a valid one.
    package func url(_ target: String) -> URL {
        guard let url = URL(string: address(target)) else { preconditionFailure("Not a target: \(target)") }
        return url
    }
}

// MARK: - Replies

extension LoopbackServer {
    /// Serves `path` with these bytes; the fastest way, because nothing is computed per request.
    package func serve(
        _ path: String,
        _ bytes: [UInt8],
        contentType: String = "application/octet-stream",
        headers: [(String, String)] = []
    ) {
        serve(path, Reply(body: bytes, contentType: contentType, headers: headers))
    }

    /// Serves `path` with these replies one after the other; the last one is repeated.
    package func serve(_ path: String, _ first: Reply, _ others: Reply...) {
        routes.set(.plans(([first] + others).map(ReplyPlan.init), next: 0), for: path)
    }

    /// Serves `path` with the replies of `handler`.
    ///
    /// It runs on the server's only thread, and must not block: to make a client wait, return a reply that pauses.
    /// Capture the server weakly, because the server retains its handlers.
    package func route(_ path: String, _ handler: @escaping @Sendable (ReceivedRequest) -> Reply) {
        routes.set(.handler(handler), for: path)
    }
}

// MARK: - Traffic

extension LoopbackServer {
    package var traffic: Traffic { traffics.read(\.copy) }

    /// The requests so far, of one path or of all.
    package func requests(path: String? = nil) -> [ReceivedRequest] {
        traffic.requests.filter { path == nil || $0.path == path }
    }

    /// The number of requests so far, of one path or of all.
    package func requestCount(path: String? = nil) -> Int { traffic.requestCount(path: path) }

    /// Suspends until `count` requests have arrived, for one path or for all.
    ///
    /// Like all waits here, it also ends if the task is cancelled or the server stops.
    package func waitForRequests(
        _ count: Int, path: String? = nil, file: StaticString = #fileID, line: UInt = #line
    ) async {
        await wait(file: file, line: line) { $0.requestCount(path: path) >= count }
    }

    package func waitForReplies(_ count: Int, file: StaticString = #fileID, line: UInt = #line) async {
        await wait(file: file, line: line) { $0.repliesFinished >= count }
    }

    package func waitForBytes(_ count: Int, file: StaticString = #fileID, line: UInt = #line) async {
        await wait(file: file, line: line) { $0.bytesSent >= count }
    }

    package func waitForAbandonedReplies(_ count: Int, file: StaticString = #fileID, line: UInt = #line) async
    {
        await wait(file: file, line: line) { $0.repliesAbandoned >= count }
    }

    package func wait(
        file: StaticString = #fileID, line: UInt = #line,
        until condition: @escaping @Sendable (Traffic) -> Bool
    ) async {
        await traffics.wait(file: file, line: line) { $0.hasStopped || condition($0) }
    }

    /// Resets the counters, for a benchmark's next round.
    package func forgetTraffic() { traffics.update { $0.reset() } }
}

// MARK: - Sockets and threads

extension LoopbackServer {
    private static func listen() throws -> (descriptor: Int32, port: UInt16) {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        do {
            let port = try bindToLoopback(descriptor)
            guard Glibc.listen(descriptor, 4096) == 0 else { throw POSIXError(.EADDRINUSE) }
            return (descriptor, UInt16(port))
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Raises the limit of descriptors, because both ends of each connection are in this process and 1,024 are too few.
    package static func allowManyDescriptors() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

/// Runs `body` on a new thread; `nil` if the system can't create one.
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
