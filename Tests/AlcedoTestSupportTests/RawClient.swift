import Glibc

/// A blocking HTTP client that shows bytes as they come; a read that takes five minutes fails.
final class RawClient {
    struct Response: Equatable {
        var head: String
        var body: [UInt8]

        var status: Int? { head.split(separator: " ").dropFirst().first.flatMap { Int($0) } }
    }

    enum Failure: Error, Equatable {
        case system(Int32)
        case ended
    }

    private let descriptor: Int32
    private var buffer: [UInt8] = []

    init(port: UInt16) throws(Failure) {
        // A program that another test starts would keep the connection open.
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: 300, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw .system(errno) }
    }

    deinit { close(descriptor) }

    func send(_ text: String) throws(Failure) {
        let bytes = Array(text.utf8)
        guard Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw .system(errno)
        }
    }

    func request(_ target: String, method: String = "GET", headers: String = "") throws(Failure) {
        try send("\(method) \(target) HTTP/1.1\r\nHost: test\r\n\(headers)\r\n")
    }

    /// Reads exactly `count` bytes.
    func read(_ count: Int) throws(Failure) -> [UInt8] {
        while buffer.count < count {
            guard try fill() else { throw .ended }
        }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    /// Reads up to and with the empty line.
    func readHead() throws(Failure) -> String {
        var head = ""
        while !head.hasSuffix("\r\n\r\n") { head += String(decoding: try read(1), as: UTF8.self) }
        return head
    }

    /// Reads a response that has a true `Content-Length`.
    func readResponse() throws(Failure) -> Response {
        let head = try readHead()
        let length = head.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }?.dropFirst(16)
        return Response(head: head, body: try read(length.flatMap { Int($0) } ?? 0))
    }

    /// Reads all until the server ends the connection in order.
    func readToEnd() throws(Failure) -> [UInt8] {
        while try fill() {}
        defer { buffer = [] }
        return buffer
    }

    /// Whether bytes have come that were not read; never waits.
    var hasBytes: Bool {
        var byte: UInt8 = 0
        return !buffer.isEmpty || recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }

    func get(_ target: String) throws(Failure) -> Response {
        try request(target)
        return try readResponse()
    }

    private func fill() throws(Failure) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        guard count >= 0 else { throw .system(errno) }
        buffer += chunk[..<count]
        return count > 0
    }
}
