package import Foundation

/// A reserved port of 127.0.0.1 without a listener: it refuses connections.
///
/// The system does not assign it to a socket that binds to any port; a server that sets `SO_REUSEADDR` can listen on it.
package final class ClosedPort: Sendable {
    package let number: Int
    private let descriptor: Int32

    package init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        number = try bindToLoopback(descriptor)
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(descriptor) }
}

package func loopbackAddress(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = port.bigEndian
    return address
}

/// Binds a socket to a free port of 127.0.0.1, and returns the port.
package func bindToLoopback(_ descriptor: Int32) throws -> Int {
    var address = loopbackAddress(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, length) | getsockname(descriptor, $0, &length)
        }
    }
    guard status == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    return Int(UInt16(bigEndian: address.sin_port))
}

/// A new socket connected to a port of 127.0.0.1; nil if nobody listens there.
package func connectedSocket(to port: UInt16) -> Int32? {
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = loopbackAddress(port: port)
    let status = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    guard status == 0 else {
        close(server)
        return nil
    }
    return server
}
