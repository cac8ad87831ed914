#if Server
    import AlcedoHTTPServer
    import AlcedoLocks
    import AlcedoTestSupport
    import AlcedoWaiting
    import Foundation
    import Testing

    /// A client that sends what it is told; its calls block, so they run in ``offPool(_:)``.
    final class RawClient {
        struct Reply: Sendable, Equatable {
            var status: Int
            var head: String
            var body: String
        }

        struct Failed: Error {}

        private let descriptor: Int32
        private var received: [UInt8] = []
        private(set) var hasEnded = false
        /// Whether bytes behind the last reply have come.
        var hasMore: Bool { !received.isEmpty }

        init(_ address: ListenAddress, receiveBuffer: Int32? = nil) throws {
            switch address {
            case .tcp(_, let port):
                descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
                if var size = receiveBuffer {
                    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
                }
                var name = loopbackAddress(port: port)
                try connect(to: &name, sockaddr_in.self)
            case .unix(let path):
                descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
                var name = sockaddr_un()
                name.sun_family = sa_family_t(AF_UNIX)
                withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
                try connect(to: &name, sockaddr_un.self)
            }
        }

        deinit { close(descriptor) }

        private func connect<Name>(to name: inout Name, _: Name.Type) throws {
            let status = withUnsafeMutablePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Name>.size))
                }
            }
            // The end of the object closes the descriptor.
            guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        }

        /// Sends bytes; fails if the server has closed the connection.
        func send(_ text: String) throws { try send(Array(text.utf8)) }

        func send(_ bytes: [UInt8]) throws {
            var sent = 0
            while sent < bytes.count {
                let count = bytes[sent...].withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { throw Failed() }
                sent += count
            }
        }

        func get(_ target: String, method: String = "GET", headers: String = "") throws {
            try send("\(method) \(target) HTTP/1.1\r\nHost: a\r\n\(headers)\r\n")
        }

        /// Waits for bytes up to a time; false if none came, or the connection has ended.
        @discardableResult
        func receive(seconds: Double = 300) -> Bool {
            var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&state, 1, Int32(seconds * 1000)) > 0 else { return false }
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count > 0 { received += chunk[..<count] } else { hasEnded = true }
            return count > 0
        }

        /// Waits until the server closes the connection; false if it does not within a time.
        func waitForEnd(seconds: Double = 300) -> Bool {
            let end = ContinuousClock.now + .seconds(seconds)
            while !hasEnded, ContinuousClock.now < end { receive(seconds: 0.1) }
            return hasEnded
        }

        /// The next response; fails if no byte comes for a time.
        func reply(toHead: Bool = false, within seconds: Double = 300) throws -> Reply {
            while true {
                let text = String(decoding: received, as: UTF8.self)
                if let end = text.range(of: "\r\n\r\n") {
                    let head = String(text[..<end.lowerBound])
                    let length = toHead ? 0 : try #require(Self.length(head))
                    let headCount = head.utf8.count + 4
                    if received.count >= headCount + length {
                        let body = String(decoding: received[headCount..<headCount + length], as: UTF8.self)
                        received.removeFirst(headCount + length)
                        return Reply(status: Int(head.dropFirst(9).prefix(3)) ?? 0, head: head, body: body)
                    }
                }
                guard receive(seconds: seconds) else { throw Failed() }
            }
        }

        private static func length(_ head: String) -> Int? {
            head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
                .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
        }
    }

    extension HTTPServerLimits {
        /// Limits whose times do not expire before a client gives up.
        static var patient: HTTPServerLimits {
            var limits = HTTPServerLimits()
            (limits.readTimeout, limits.writeTimeout, limits.keepAliveTimeout) = (600, 600, 600)
            return limits
        }
    }

    /// Runs calls that block on a thread of their own: the handlers need those of the pool.
    func offPool<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        // The thread sanitizer does not see that a continuation hands a value over.
        let result = Lock<Swift.Result<Result, any Error>?>(nil)
        await withCheckedContinuation { continuation in
            Thread {
                let ended = Swift.Result { try body() }
                result.withLock { $0 = ended }
                continuation.resume()
            }.start()
        }
        return try #require(result.withLock { $0 }).get()
    }

    /// A server for one test, stopped at its end.
    func withServer<Result: Sendable>(
        at address: ListenAddress = .tcp(host: "127.0.0.1", port: 0),
        _ configure: (inout HTTPServerLimits) -> Void = { _ in },
        handler: @escaping HTTPServer.Handler = echo,
        _ body: (HTTPServer) async throws -> Result
    ) async throws -> Result {
        var limits = HTTPServerLimits.patient
        configure(&limits)
        let server = try HTTPServer(ListeningSocket(address), limits: limits, handler: handler)
        do {
            let result = try await body(server)
            await server.stop(within: .seconds(5))
            return result
        } catch {
            await server.stop(within: .zero)
            throw error
        }
    }

    /// Responds with the request target.
    let echo: HTTPServer.Handler = {
        HTTPResponse(status: 200, text: String(decoding: $0.target, as: UTF8.self))
    }
#endif
