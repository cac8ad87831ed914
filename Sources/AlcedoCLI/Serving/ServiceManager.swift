import Foundation

/// Reports the state of the service to systemd, if the unit has `Type=notify`.
enum ServiceManager {
    /// Keeps the states in order, and blocks no other thread while the service manager reads nothing.
    private static let queue = DispatchQueue(label: "alcedo.notify")

    /// Sends a state in the background, after those before.
    static func notify(_ state: String, environment: [String: String]) {
        // `sun_path` has 108 bytes.
        guard let path = environment["NOTIFY_SOCKET"], path.utf8.count < 108, !path.isEmpty else { return }
        queue.async { send(state, to: path) }
    }

    private static func send(_ state: String, to path: String) {
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
        // An abstract name starts with a zero byte.
        if path.first == "@" { name.sun_path.0 = 0 }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count)
        withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                _ = sendto(descriptor, state, state.utf8.count, Int32(MSG_NOSIGNAL), name, length)
            }
        }
    }
}
