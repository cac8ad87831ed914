#if Server
    import AlcedoLocks
    import CMicroHTTPD
    import Foundation

    /// Rejects requests whose `Content-Length` libmicrohttpd can't read.
    ///
    /// 0.9.75 sends the head of its own response twice. Between reading the header and that it calls only the log, which
    /// does not get the connection. With a libmicrohttpd that sends one head, all of this can go.
    final class LengthCheck: Sendable {
        /// Connections with a request whose headers are not complete, and the thread of each.
        private let threads = Lock<[UInt: pthread_t]>([:])

        /// The first line of a request has been read; called on the connection's thread.
        func start(_ connection: OpaquePointer?) {
            threads.withLock { $0[UInt(bitPattern: connection)] = pthread_self() }
        }

        /// Its headers have been read, or never will be.
        func end(_ connection: OpaquePointer?) {
            _ = threads.withLock { $0.removeValue(forKey: UInt(bitPattern: connection)) }
        }

        /// Responds to the malformed requests of this thread, and ends their connections before libmicrohttpd responds.
        func rejectMalformed() {
            let own = pthread_self()
            let connections = threads.withLock { threads in
                threads.filter { $0.value == own }.map { OpaquePointer(bitPattern: $0.key) }
            }
            for connection in connections {
                guard let value = MHD_lookup_connection_value(connection, .HEADER_KIND, "Content-Length")
                else {
                    continue
                }
                let length = String(cString: value)
                if length.isEmpty || !length.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
                    reject(connection, "400 Bad Request")
                } else if UInt64(length) == nil {
                    reject(connection, "413 Content Too Large")
                }
            }
        }

        private func reject(_ connection: OpaquePointer?, _ status: String) {
            end(connection)
            let head =
                "HTTP/1.1 \(status)\r\nDate: \(date())\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            let descriptor = alcedo_mhd_socket(connection)
            _ = Array(head.utf8).withUnsafeBytes {
                // It fits: the responses before it have been taken.
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            shutdown(descriptor, Int32(SHUT_WR))
        }

        /// Now, as headers have it; nothing sets another locale than C's.
        private func date() -> String {
            var (now, parts) = (time(nil), tm())
            gmtime_r(&now, &parts)
            var text = [CChar](repeating: 0, count: 64)
            let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
            return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
#endif
