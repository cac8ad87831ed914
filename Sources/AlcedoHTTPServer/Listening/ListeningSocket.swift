import Glibc

/// Why a server can't listen.
package struct ListenError: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}

/// A socket that accepts connections; closed at the end unless it is taken.
package struct ListeningSocket: ~Copyable {
    private var descriptor: Int32
    /// The address, with the port that was chosen.
    package let address: ListenAddress

    package init(_ address: ListenAddress) throws(ListenError) {
        switch address {
        case .tcp(let host, let port): try self.init(host: host, port: port)
        case .unix(let path): try self.init(path: path)
        }
    }

    /// The socket that systemd passed to this process with `LISTEN_FDS`; nil if it passed none.
    package init?(environment: [String: String]) throws(ListenError) {
        guard let count = environment["LISTEN_FDS"], environment["LISTEN_PID"] == "\(getpid())" else {
            return nil
        }
        guard count == "1" else {
            throw ListenError(
                description: "systemd passed \(count) sockets, and alcedo serve takes one: "
                    + "keep one ListenStream= in the socket unit")
        }
        let first: Int32 = 3
        var (isListening, length): (Int32, socklen_t) = (0, socklen_t(MemoryLayout<Int32>.size))
        guard getsockopt(first, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &length) == 0, isListening != 0
        else {
            throw ListenError(
                description:
                    "the socket that systemd passed does not listen: use ListenStream= and Accept=no")
        }
        self.init(
            descriptor: first, address: SocketAddress(localOf: first).address ?? .tcp(host: nil, port: 0))
    }

    private init(descriptor: Int32, address: ListenAddress) {
        self.descriptor = descriptor
        self.address = address
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        // systemd passes it without.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    private init(host: String?, port: UInt16) throws(ListenError) {
        let name = ListenAddress.tcp(host: host, port: port)
        var failure = "the address has no form that this machine knows"
        for address in SocketAddress.all(host: host, port: port) {
            guard let descriptor = address.listen(&failure) else { continue }
            guard case .tcp(_, let bound)? = SocketAddress(localOf: descriptor).address else {
                close(descriptor)
                continue
            }
            self.init(descriptor: descriptor, address: .tcp(host: host, port: bound))
            return
        }
        throw ListenError(description: "cannot listen on \(name): \(failure)")
    }

    private init(path: String) throws(ListenError) {
        var failure = ""
        let address = SocketAddress(path: path)
        // A socket that nobody listens on any more is in the way of a restart.
        if address.isAbandonedSocket { unlink(path) }
        guard let descriptor = address.listen(&failure) else {
            throw ListenError(description: "cannot listen on unix:\(path): \(failure)")
        }
        self.init(descriptor: descriptor, address: .unix(path: path))
    }

    /// Gives the descriptor to an owner that closes it.
    consuming func take() -> Int32 {
        defer { descriptor = -1 }
        return descriptor
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
