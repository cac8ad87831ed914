import AlcedoLocks
import AlcedoWaiting
import Foundation

/// A proxy on 127.0.0.1 that forwards a server's responses slowly, or not at all.
///
/// Two threads for each connection; they end with the connection.
package final class SlowProxy: Sendable {
    /// How responses are forwarded.
    package enum Pace: Sendable {
        case full

        /// A pause of this many milliseconds before each byte, or before each line.
        case bytes(Int32), lines(Int32)
    }

    package let port: Int
    private let listener: Int32
    private let shared = Shared()

    package var server: String { "127.0.0.1:\(port)" }

    package var pace: Pace {
        get { shared.pace.withLock { $0 } }
        set { shared.pace.withLock { $0 = newValue } }
    }

    package init(to target: Int) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        port = try bindToLoopback(listener)
        guard listen(listener, 64) == 0 else { throw POSIXError(.EADDRINUSE) }
        shared.gate.open()
        let (listener, shared) = (listener, shared)
        Thread.detachNewThread {
            while case let client = accept(listener, nil, nil), client >= 0 {
                guard let server = connectedSocket(to: UInt16(target)) else {
                    close(client)
                    continue
                }
                let connection = ProxyConnection(client: client, server: server)
                Thread.detachNewThread { connection.passRequests() }
                Thread.detachNewThread { connection.passResponses(shared) }
            }
            close(listener)
        }
    }

    deinit {
        shared.gate.open()
        // The accepting thread closes it, or could go on with another socket of the same number.
        shutdown(listener, Int32(SHUT_RDWR))
    }

    package func hold() { shared.gate.close() }

    /// Forwards the held bytes, and all that follow.
    package func release() { shared.gate.open() }

    /// Shared by all connections.
    fileprivate final class Shared: Sendable {
        let pace = Lock(Pace.full)

        /// Admits each piece of a response.
        let gate = Gate()
    }
}

/// One client's connection; closed after both directions have ended, because another could get the numbers before.
private final class ProxyConnection: Sendable {
    private let client: Int32
    private let server: Int32

    init(client: Int32, server: Int32) { (self.client, self.server) = (client, server) }

    deinit {
        close(client)
        close(server)
    }

    func passRequests() { pass(from: client, to: server) { .full } }

    func passResponses(_ shared: SlowProxy.Shared) {
        pass(from: server, to: client) {
            shared.gate.wait()
            return shared.pace.withLock { $0 }
        }
    }

    /// Forwards bytes until one side ends, then ends both.
    private func pass(from source: Int32, to target: Int32, _ pace: () -> SlowProxy.Pace) {
        defer { for descriptor in [source, target] { shutdown(descriptor, Int32(SHUT_RDWR)) } }
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while case let count = recv(source, &buffer, buffer.count, 0), count > 0 {
            var rest = buffer[..<count]
            while !rest.isEmpty {
                var length = rest.count
                switch pace() {
                case .full: break
                case .bytes(let pause):
                    length = 1
                    poll(nil, 0, pause)
                case .lines(let pause):
                    length = (rest.firstIndex(of: 10) ?? rest.endIndex - 1) + 1 - rest.startIndex
                    poll(nil, 0, pause)
                }
                let sent = Array(rest.prefix(length)).withUnsafeBytes {
                    send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard sent > 0 else { return }
                rest = rest.dropFirst(sent)
            }
        }
    }
}
