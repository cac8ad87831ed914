import AlcedoTransport
import Foundation

/// Loads while the name server never responds.
enum LookupTrial {
    /// Prints how loads end whose lookups hang: cancelled, after their time limit, and with their transport; and how one does
    /// meanwhile that needs no lookup.
    ///
    /// - Parameters:
    ///   - address: where the system looks up names.
    ///   - url: a URL without a name.
    static func hang(at address: String, _ url: String) {
        guard let server = SilentNameServer(at: address) else { return print("no name server") }
        let transport = CurlTransport()
        let cancelled = Load(transport, "http://first.example/")
        guard server.waitForQuery() else { return print("no query") }
        cancelled.cancel()
        print(cancelled.outcome)
        print(Load(transport, "http://second.example/", connectTimeout: 0.1).outcome)
        print(Load(transport, url).outcome)
        let last = Load(transport, "http://third.example/")
        transport.invalidate()
        print(last.outcome)
    }
}

/// A socket where queries arrive, and nobody responds.
private struct SilentNameServer {
    private let descriptor: Int32

    init?(at address: String) {
        descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = in_port_t(53).bigEndian
        inet_pton(AF_INET, address, &name.sin_addr)
        let status = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { return nil }
        // The system may ask another server, or none.
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// False if none arrives within 2 minutes.
    func waitForQuery() -> Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, 0) >= 0
    }
}
