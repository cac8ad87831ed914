import Glibc

/// An address in the form of the system's calls.
struct SocketAddress {
    private var storage = sockaddr_storage()
    private var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

    /// The addresses of a host; without one, all of the machine, IPv6 and IPv4 with one socket if it can.
    static func all(host: String?, port: UInt16) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = list
        while let info = next?.pointee {
            if let name = info.ai_addr { addresses.append(SocketAddress(name, info.ai_addrlen)) }
            next = info.ai_next
        }
        let (six, others) = (
            addresses.filter { $0.family == AF_INET6 }, addresses.filter { $0.family != AF_INET6 }
        )
        return host == nil ? six + others : others + six
    }

    private init(_ name: UnsafePointer<sockaddr>, _ length: socklen_t) {
        self.length = min(length, socklen_t(MemoryLayout<sockaddr_storage>.size))
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: name, count: Int(self.length)))
        }
    }

    /// A path of at most ``ListenAddress/longestPath`` bytes.
    init(path: String) {
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { target in
            target.copyBytes(from: path.utf8.prefix(ListenAddress.longestPath))
        }
        withUnsafeMutableBytes(of: &storage) { target in
            withUnsafeBytes(of: name) { target.copyMemory(from: $0) }
        }
        length = socklen_t(MemoryLayout<sockaddr_un>.size)
    }

    /// The address that a socket is bound to.
    init(localOf descriptor: Int32) {
        withSockaddr { getsockname(descriptor, $0, $1) }
    }

    private var family: Int32 { Int32(storage.ss_family) }

    var address: ListenAddress? {
        switch family {
        case AF_INET, AF_INET6:
            var copy = self
            var (host, service) = ([CChar](repeating: 0, count: 64), [CChar](repeating: 0, count: 16))
            let status = copy.withSockaddr { name, length in
                getnameinfo(
                    name, length.pointee, &host, 64, &service, 16, NI_NUMERICHOST | NI_NUMERICSERV)
            }
            guard status == 0, let port = UInt16(text(service)) else { return nil }
            return .tcp(host: text(host), port: port)
        case AF_UNIX:
            let path = withUnsafeBytes(of: storage) { bytes in
                String(decoding: bytes.dropFirst(2).prefix { $0 != 0 }, as: UTF8.self)
            }
            return .unix(path: path)
        default: return nil
        }
    }

    /// Whether the path is a socket without a listener.
    var isAbandonedSocket: Bool {
        guard case .unix(let path)? = address else { return false }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
        // A listener that is stopped may have a full queue, which a blocking call would wait for.
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let probe = socket(AF_UNIX, Int32(kind), 0)
        defer { close(probe) }
        var copy = self
        return copy.withSockaddr { connect(probe, $0, $1.pointee) } != 0 && errno == ECONNREFUSED
    }

    /// A listening socket; nil, with the reason, if the system rejects it.
    func listen(_ failure: inout String) -> Int32? {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var (on, off): (Int32, Int32) = (1, 0)
        let size = socklen_t(MemoryLayout<Int32>.size)
        // Otherwise a restart fails while connections of the last run are in TIME_WAIT.
        if family != AF_UNIX { setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size) }
        // The system's default may be a socket for IPv6 alone.
        if family == AF_INET6 { setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &off, size) }
        var copy = self
        guard descriptor >= 0, copy.withSockaddr({ bind(descriptor, $0, $1.pointee) }) == 0,
            Glibc.listen(descriptor, 4096) == 0
        else {
            failure = String(cString: strerror(errno))
            if descriptor >= 0 { close(descriptor) }
            return nil
        }
        return descriptor
    }

    @discardableResult
    private mutating func withSockaddr(
        _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> Int32 {
        withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &length) }
        }
    }

    private func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
