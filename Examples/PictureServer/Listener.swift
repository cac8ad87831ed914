import Foundation

/// The response to a request.
struct Response: Sendable {
    var status = "200 OK"
    var headers: [String: String] = [:]
    var body = Data()
}

/// A small HTTP server on this machine: one request for each connection, which is a GET.
struct Listener: Sendable {
    private let descriptor: Int32

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0, listen(descriptor, 64) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    /// Accepts connections on a thread of its own.
    func start(_ respond: @escaping @Sendable (URLComponents) async -> Response) {
        Thread.detachNewThread {
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { continue }
                DispatchQueue.global().async { serve(connection, respond) }
            }
        }
    }

    /// Reads and writes on a thread that may block; what `respond` awaits blocks none.
    private func serve(
        _ connection: Int32, _ respond: @escaping @Sendable (URLComponents) async -> Response
    ) {
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(connection, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        let words = readHead(connection).prefix { $0 != "\r\n" }.split(separator: " ")
        guard words.count == 3, words[0] == "GET", let target = URLComponents(string: String(words[1])) else {
            return send(Response(status: "400 Bad Request"), to: connection)
        }
        Task {
            let response = await respond(target)
            DispatchQueue.global().async { send(response, to: connection) }
        }
    }

    private func readHead(_ connection: Int32) -> String {
        var head: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while head.count < 16_384, head.suffix(4) != [13, 10, 13, 10] {
            let count = recv(connection, &part, part.count, 0)
            guard count > 0 else { break }
            head += part.prefix(count)
        }
        return String(decoding: head, as: UTF8.self)
    }

    private func send(_ response: Response, to connection: Int32) {
        var headers = response.headers
        headers["Content-Length"] = "\(response.body.count)"
        headers["Connection"] = "close"
        let lines = headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }
        var bytes = Data("HTTP/1.1 \(response.status)\r\n\(lines.joined())\r\n".utf8) + response.body
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes {
                Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { break }
            bytes = bytes.dropFirst(count)
        }
        close(connection)
    }
}
