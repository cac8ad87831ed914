import AlcedoHTTPServer
import Foundation
import Glibc

/// A request to a server's own `/health`, as `alcedo serve --health` sends it.
struct HealthCheck {
    private let address: ListenAddress

    private let timeout: Int

    /// Only the resolver that finds the host's address has limits of its own.
    private let deadline: ContinuousClock.Instant

    /// A check that takes so many seconds.
    init(address: ListenAddress, timeout: Int) {
        (self.address, self.timeout) = (address, timeout)
        deadline = .now + .seconds(timeout)
    }

    /// Throws why the server is not healthy.
    ///
    /// Blocks its thread; the command does nothing else.
    func run() throws(Failure) {
        let descriptor = try connect()
        defer { close(descriptor) }
        let request = Array("GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
        try limit(descriptor)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count
        else {
            throw failure(errno)
        }
        var response = ""
        var chunk = [UInt8](repeating: 0, count: 1024)
        while !response.contains("\r\n") {
            try limit(descriptor)
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count >= 0 else { throw failure(errno) }
            guard count > 0, response.utf8.count < 4096 else { break }
            response += String(decoding: chunk[..<count], as: UTF8.self)
        }
        let status = response.split(whereSeparator: \.isNewline).first ?? ""
        guard status.wholeMatch(of: /HTTP\/1\.[01] 200( .*)?/) != nil else {
            throw Failure("the server at \(address) is not healthy: it responds “\(status)” to /health")
        }
    }

    private func connect() throws(Failure) -> Int32 {
        switch address {
        case .unix(let path):
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &name.sun_path) {
                $0.copyBytes(from: path.utf8.prefix($0.count - 1))
            }
            return try withUnsafeBytes(of: name) { bytes throws(Failure) in
                try connect(AF_UNIX, bytes)
            }
        case .tcp(_, 0):
            throw Failure("port 0 is any free port; give --bind with the server's port")
        case .tcp(let host, let port):
            // A server that listens at all addresses listens at this one too.
            let isAny = [nil, "0.0.0.0", "::"].contains(host)
            return try connect(to: isAny ? "localhost" : host ?? "localhost", port: port)
        }
    }

    /// Connects to the first of the host's addresses where a server listens.
    private func connect(to host: String, port: UInt16) throws(Failure) -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, "\(port)", &hints, &list)
        guard code == 0 else { throw failure(String(cString: gai_strerror(code))) }
        defer { freeaddrinfo(list) }
        var problem = failure("it has no address")
        var next = list
        while let entry = next?.pointee {
            let address = UnsafeRawBufferPointer(start: entry.ai_addr, count: Int(entry.ai_addrlen))
            do throws(Failure) { return try connect(entry.ai_family, address) } catch { problem = error }
            next = entry.ai_next
        }
        throw problem
    }

    private func connect(_ family: Int32, _ address: UnsafeRawBufferPointer) throws(Failure) -> Int32 {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw failure(errno) }
        do throws(Failure) {
            try limit(descriptor)
            let name = address.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            guard Glibc.connect(descriptor, name, socklen_t(address.count)) == 0 else {
                throw failure(errno)
            }
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Has the next call end at the deadline.
    private func limit(_ descriptor: Int32) throws(Failure) {
        let left = (deadline - .now) / .microseconds(1)
        // 0 is no limit.
        guard left >= 1 else { throw failure(ETIMEDOUT) }
        // That of sending is also that of connecting (socket(7)).
        var limit = timeval(tv_sec: Int(left) / 1_000_000, tv_usec: Int(left) % 1_000_000)
        for option in [SO_SNDTIMEO, SO_RCVTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    private func failure(_ code: Int32) -> Failure {
        let isLate = [EAGAIN, EINPROGRESS, ETIMEDOUT].contains(code)
        return failure(
            isLate ? "it does not respond within \(timeout) s" : String(cString: strerror(code)))
    }

    private func failure(_ reason: String) -> Failure {
        Failure("no healthy server at \(address): \(reason)")
    }
}
