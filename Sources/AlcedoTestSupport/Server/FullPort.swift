import Foundation

/// A loopback port whose backlog is full: it neither accepts nor refuses connections, like an unreachable host.
package final class FullPort {
    package enum Family: Sendable {
        /// 127.0.0.1
        case version4
        /// ::1
        case version6
    }

    /// Whether this machine has ::1.
    package static var hasVersion6: Bool { (try? FullPort(.version6)) != nil }

    package let number: Int
    private let listener: Int32
    private var clients: [Int32] = []

    /// Fills the backlog of `port`, or of a free port if it is 0.
    package init(_ family: Family, port: UInt16 = 0) throws {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let domain = family == .version4 ? AF_INET : AF_INET6
        listener = socket(domain, kind, 0)
        var address = sockaddr_storage()
        switch family {
        case .version4:
            let loopback = loopbackAddress(port: port)
            withUnsafeMutableBytes(of: &address) { $0.storeBytes(of: loopback, as: sockaddr_in.self) }
        case .version6:
            var loopback = sockaddr_in6()
            loopback.sin6_family = sa_family_t(AF_INET6)
            loopback.sin6_addr = in6addr_loopback
            loopback.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &address) { $0.storeBytes(of: loopback, as: sockaddr_in6.self) }
        }
        let size = family == .version4 ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
        var length = socklen_t(size)
        let (listener, count) = (listener, 4)
        let (status, clients) = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(listener, address, length) == 0, listen(listener, 0) == 0,
                    getsockname(listener, address, &length) == 0
                else { return (Int32(-1), [Int32]()) }
                let clients = (0..<count).map { _ in socket(domain, kind, 0) }
                for client in clients { _ = connect(client, address, length) }
                return (0, clients)
            }
        }
        self.clients = clients
        // The port has the same offset in both families.
        let bytes = withUnsafeBytes(of: address) { $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self) }
        number = Int(UInt16(bigEndian: bytes))
        guard status == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    }

    deinit { for descriptor in clients + [listener] { close(descriptor) } }
}
