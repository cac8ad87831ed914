#if Memcached
    import AlcedoLocks
    import AlcedoTestSupport
    import Foundation

    /// A proxy on 127.0.0.1 that passes on what a server sends as slowly as it is told to.
    ///
    /// Two threads for each connection; they end with the connection.
    final class SlowProxy: Sendable {
        /// How answers are passed on.
        enum Pace: Sendable {
            case full

            /// A pause of this many milliseconds before each byte, or before each line.
            case bytes(Int32), lines(Int32)
        }

        let port: Int
        private let listener: Int32
        private let current: Locked<Pace>

        var server: String { "127.0.0.1:\(port)" }
        var pace: Pace {
            get { current.value }
            set { current.value = newValue }
        }

        init(to target: Int) throws {
            listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            port = try bindToLoopback(listener)
            guard listen(listener, 64) == 0 else { throw POSIXError(.EADDRINUSE) }
            let (listener, pace) = (listener, Locked(Pace.full))
            current = pace
            Thread.detachNewThread {
                while case let client = accept(listener, nil, nil), client >= 0 {
                    guard let server = connectedSocket(to: UInt16(target)) else {
                        close(client)
                        continue
                    }
                    Thread.detachNewThread { pass(from: client, to: server) { .full } }
                    Thread.detachNewThread {
                        pass(from: server, to: client) { pace.value }
                        // After both directions, or another connection could get the numbers.
                        close(client)
                        close(server)
                    }
                }
                close(listener)
            }
        }

        // The thread that accepts closes it: it might go on with another's socket of that number.
        deinit { shutdown(listener, Int32(SHUT_RDWR)) }
    }

    /// A value that threads share.
    private final class Locked<Value: Sendable>: Sendable {
        private let state: Lock<Value>
        init(_ value: Value) { state = Lock(value) }
        var value: Value {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }

    /// Passes on bytes until one side ends, and ends both.
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
#endif
