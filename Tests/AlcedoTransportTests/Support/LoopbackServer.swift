import AlcedoLocks
import Foundation

/// Accepts connections on 127.0.0.1 and lets a closure answer each request, byte for byte as it likes.
final class LoopbackServer: Sendable {
    private struct State {
        var connections: [Int32] = []
        var accepted = 0
        var requests: [String] = []
    }

    let port: Int
    private let listener: Int32
    private let state: Shared

    private final class Shared: Sendable {
        let value = Lock(State())
    }

    /// `answer` runs on the connection's own thread, once for each request.
    init(_ answer: @escaping @Sendable (LoopbackExchange) -> Void) throws {
        let (listener, port) = try Self.listen()
        self.listener = listener
        self.port = port
        let shared = Shared()
        state = shared
        Thread.detachNewThread {
            while case let socket = accept(listener, nil, nil), socket >= 0 {
                let number = shared.value.withLock { state in
                    state.connections.append(socket)
                    state.accepted += 1
                    return state.accepted
                }
                Thread.detachNewThread {
                    Self.serve(socket, connection: number, shared, answer)
                    shared.value.withLock { $0.connections.removeAll { $0 == socket } }
                    close(socket)
                }
            }
            close(listener)
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        state.value.withLock { for socket in $0.connections { shutdown(socket, Int32(SHUT_RDWR)) } }
    }

    var url: String { "http://127.0.0.1:\(port)" }

    /// Connections accepted so far.
    var connectionCount: Int { state.value.withLock { $0.accepted } }

    /// The heads of the requests so far, in order of arrival.
    var requests: [String] { state.value.withLock { $0.requests } }

    private static func listen() throws -> (socket: Int32, port: Int) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) | Glibc.listen(listener, 512) | getsockname(listener, $0, &length)
            }
        }
        guard listener >= 0, status == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        return (listener, Int(UInt16(bigEndian: address.sin_port)))
    }

    private static func serve(
        _ socket: Int32, connection: Int, _ shared: Shared, _ answer: (LoopbackExchange) -> Void
    ) {
        var buffer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        let separator = Array("\r\n\r\n".utf8)
        while true {
            while let end = buffer.firstRange(of: separator) {
                let head = String(decoding: buffer[..<end.upperBound], as: UTF8.self)
                let bodyLength = Self.contentLength(in: head)
                guard buffer.count >= end.upperBound + bodyLength else { break }
                let body = Array(buffer[end.upperBound...].prefix(bodyLength))
                buffer.removeFirst(end.upperBound + bodyLength)
                let number = shared.value.withLock { state in
                    state.requests.append(head)
                    return state.requests.count
                }
                let exchange = LoopbackExchange(
                    head: head, body: body, number: number, connection: connection, socket: socket)
                answer(exchange)
            }
            let count = recv(socket, &chunk, chunk.count, 0)
            guard count > 0 else { return }
            buffer += chunk[..<count]
        }
    }

    private static func contentLength(in head: String) -> Int {
        let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
        return line.flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
    }
}

/// One request on a connection, and what to send for it.
struct LoopbackExchange {
    /// The request line and the headers.
    let head: String
    let body: [UInt8]
    /// Counts the server's requests from 1.
    let number: Int
    /// Counts the server's connections from 1.
    let connection: Int
    fileprivate let socket: Int32

    var path: String { head.split(separator: " ").dropFirst().first.map(String.init) ?? "" }

    func header(_ name: String) -> String? {
        let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
        return line.map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Sends a whole response with a Content-Length.
    func respond(_ status: String = "200 OK", headers: [String] = [], _ body: String = "") {
        let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + headers
        send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
    }

    /// Ends the connection after what has been sent.
    func close() { shutdown(socket, Int32(SHUT_RDWR)) }

    /// Ends the connection with a reset.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        // Closing in place keeps the descriptor's number taken until the connection's thread closes it.
        var pair: [Int32] = [0, 0]
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair)
        dup2(pair[0], socket)
        Glibc.close(pair[0])
        Glibc.close(pair[1])
    }
}
