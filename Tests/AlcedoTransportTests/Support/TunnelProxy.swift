import AlcedoTestSupport
import Foundation

/// A proxy on 127.0.0.1 that opens tunnels, for CONNECT and for SOCKS 5, and does nothing else.
///
/// A thread for each connection; they end with the connections.
final class TunnelProxy: Sendable {
    /// What clients have asked for: `CONNECT 127.0.0.1:443`, for example.
    let requests = Recorder<String>()

    let port: Int
    private let listener: Int32
    private let authorization: String?

    /// A proxy that refuses everybody who does not send `authorization`, if it is given.
    init(authorization: String? = nil) throws {
        self.authorization = authorization
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        port = try bindToLoopback(listener)
        guard listen(listener, 64) == 0 else { throw POSIXError(.EADDRINUSE) }
        let (listener, requests) = (listener, requests)
        Thread.detachNewThread {
            while case let client = accept(listener, nil, nil), client >= 0 {
                Thread.detachNewThread {
                    Tunnel(client: client, requests: requests, authorization: authorization).run()
                }
            }
            close(listener)
        }
    }

    // The thread that accepts closes it: it might go on with another's socket of that number.
    deinit { shutdown(listener, Int32(SHUT_RDWR)) }
}

/// One client's connection.
private struct Tunnel {
    let client: Int32
    let requests: Recorder<String>
    let authorization: String?

    func run() {
        defer { close(client) }
        var first: UInt8 = 0
        guard recv(client, &first, 1, Int32(MSG_PEEK)) == 1 else { return }
        let port = first == 5 ? acceptSocks() : acceptConnect()
        guard let port, let server = connectedSocket(to: port) else { return }
        defer { close(server) }
        exchange(client, server)
    }

    private func acceptConnect() -> UInt16? {
        while true {
            var head = ""
            while !head.hasSuffix("\r\n\r\n") {
                guard let byte = read(1)?.first else { return nil }
                head.unicodeScalars.append(Unicode.Scalar(byte))
            }
            let line = head.prefix { $0 != "\r\n" }.split(separator: " ")
            guard line.count > 1, line[0] == "CONNECT" else { return nil }
            requests.append("\(line[0]) \(line[1])")
            if authorization.map({ head.contains("Proxy-Authorization: \($0)\r\n") }) ?? true {
                guard write("HTTP/1.1 200 Connection established\r\nX-Proxy: yes\r\n\r\n") else { return nil }
                return line[1].split(separator: ":").last.flatMap { UInt16($0) }
            }
            let refusal =
                "HTTP/1.1 407 Who asks?\r\nProxy-Authenticate: Basic realm=\"tunnels\"\r\nContent-Length: 2\r\n\r\nno"
            guard write(refusal) else { return nil }
        }
    }

    private func acceptSocks() -> UInt16? {
        guard let greeting = read(2), read(Int(greeting[1])) != nil, write([5, 0]),
            let head = read(4)
        else { return nil }
        let count = head[3] == 1 ? 4 : Int(read(1)?.first ?? 0)
        guard let host = read(count), let port = read(2) else { return nil }
        let name =
            head[3] == 1
            ? host.map(String.init).joined(separator: ".") : String(decoding: host, as: UTF8.self)
        let number = UInt16(port[0]) << 8 | UInt16(port[1])
        requests.append("SOCKS \(name):\(number)")
        return write([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]) ? number : nil
    }

    private func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return count == 0 || recv(client, &bytes, count, Int32(MSG_WAITALL)) == count ? bytes : nil
    }

    private func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    private func write(_ bytes: [UInt8]) -> Bool {
        send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// Passes on bytes in both directions until one side ends.
    private func exchange(_ first: Int32, _ second: Int32) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        var polled = [first, second].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&polled, 2, -1) > 0 {
            for (index, target) in [second, first].enumerated() where polled[index].revents != 0 {
                let count = recv(polled[index].fd, &buffer, buffer.count, 0)
                guard count > 0 else { return }
                var sent = 0
                while sent < count {
                    let more = buffer.withUnsafeBytes {
                        send(target, $0.baseAddress.map { $0 + sent }, count - sent, Int32(MSG_NOSIGNAL))
                    }
                    guard more > 0 else { return }
                    sent += more
                }
            }
        }
    }
}
