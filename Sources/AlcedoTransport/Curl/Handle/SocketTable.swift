import Glibc

/// The open sockets of libcurl, and the connections that they belong to.
///
/// Used on the loop's thread, and by libcurl when the multi handle is freed.
final class SocketTable {
    /// The two ends of a connection, as libcurl reports them.
    struct Ends: Hashable {
        var remoteAddress: String
        var remotePort: Int32
        var localAddress: String
        var localPort: Int32
    }

    private var sockets: [Ends: Int32] = [:]
    private var ends: [Int32: Ends] = [:]

    /// Sockets that no request has been sent over.
    private var unused: Set<Int32> = []

    var count: Int { ends.count + unused.count }

    /// Opens a close-on-exec socket; negative, with `errno`, on failure.
    func open(family: Int32, type: Int32, protocol number: Int32) -> Int32 {
        let socket = Glibc.socket(family, type | Int32(SOCK_CLOEXEC.rawValue), number)
        if socket >= 0 { unused.insert(socket) }
        return socket
    }

    func close(_ socket: Int32) -> Int32 {
        if unused.remove(socket) == nil, let ends = ends.removeValue(forKey: socket) { sockets[ends] = nil }
        return Glibc.close(socket)
    }

    /// The socket of a reused connection; nil for a connection's first request, which is recorded.
    func reused(_ ends: Ends) -> Int32? {
        if let socket = sockets[ends] { return socket }
        guard let socket = unused.first(where: { Self.connects($0, ends) }) else { return nil }
        unused.remove(socket)
        self.ends[socket] = ends
        sockets[ends] = socket
        return nil
    }

    /// The addresses and ports: while libcurl connects to several addresses, ports alone may be those of two sockets.
    private static func connects(_ socket: Int32, _ ends: Ends) -> Bool {
        guard let local = end(of: socket, getsockname), let remote = end(of: socket, getpeername) else {
            return false
        }
        return local.port == ends.localPort && local.address == IPAddress(ends.localAddress)
            && remote.port == ends.remotePort && remote.address == IPAddress(ends.remoteAddress)
    }

    private static func end(
        of socket: Int32,
        _ name: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> (address: IPAddress, port: Int32)? {
        var end = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let address = withUnsafeMutablePointer(to: &end) { end in
            end.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                name(socket, $0, &length) == 0 ? IPAddress($0) : nil
            }
        }
        // The port has the same offset in both families.
        return address.map { ($0, Int32(UInt16(bigEndian: end.sin6_port))) }
    }

    /// Whether an idle connection has input, or is closed.
    static func hasInput(_ socket: Int32) -> Bool {
        var byte: UInt8 = 0
        if recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) >= 0 { return true }
        return errno == ECONNRESET || errno == ETIMEDOUT || errno == EPIPE
    }
}

enum Descriptors {
    static var limit: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }

    /// The `errno` of opening two descriptors; nil if that succeeds.
    static var shortage: Int32? {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return errno }
        for end in ends { close(end) }
        return nil
    }

    /// `Too many open files`, for example, and how to fix it.
    static func reason(_ code: Int32) -> String {
        let text = String(cString: strerror(code))
        return code == EMFILE ? "\(text); raise the limit, ulimit -n, or close some" : text
    }
}
