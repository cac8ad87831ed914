import AlcedoTestSupport
import Glibc
import Testing

@testable import AlcedoTransport

struct `The table of sockets` {
    /// The end of a socket that no packet is sent over.
    private static func withAddress<Result>(
        _ address: String, port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = inet_addr(address)
        return withUnsafePointer(to: name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// A socket from a port of an address to port 9 of the same address; any free port with 0.
    private func connect(_ table: SocketTable, _ address: String, from port: UInt16) -> (Int32, UInt16) {
        let socket = table.open(family: AF_INET, type: Int32(SOCK_DGRAM.rawValue), protocol: 0)
        #expect(Self.withAddress(address, port: port) { bind(socket, $0, $1) } == 0)
        #expect(Self.withAddress(address, port: 9) { Glibc.connect(socket, $0, $1) } == 0)
        var name = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
        }
        #expect(status == 0)
        return (socket, UInt16(bigEndian: name.sin_port))
    }

    @Test func `sockets of the same ports are told apart by their addresses`() {
        let table = SocketTable()
        var (sockets, port): ([Int32], UInt16) = ([], 0)
        let addresses = (1...8).map { "127.0.0.\($0)" }
        for address in addresses {
            let (socket, local) = connect(table, address, from: port)
            sockets.append(socket)
            port = local
        }
        for (address, socket) in zip(addresses, sockets) {
            let ends = SocketTable.Ends(
                remoteAddress: address, remotePort: 9, localAddress: address, localPort: Int32(port))
            #expect(table.reused(ends) == nil)
            #expect(table.reused(ends) == socket, "\(address)")
        }
        for socket in sockets { #expect(table.close(socket) == 0) }
        #expect(table.count == 0)
    }
}
