import AlcedoTestSupport
import Foundation
import Glibc
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `Processes of tests` {
    @Test func `processes of tests end when the process that has started them is killed`() async throws {
        let result = try await #require(
            processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]
        ) {
            let node = try MemcachedProcess()
            try FileHandle.standardOutput.write(contentsOf: Data("port=\(node.port)\n".utf8))
            withExtendedLifetime(node) { _ = kill(getpid(), SIGKILL) }
        }
        let output = String(decoding: result.standardOutputContent, as: UTF8.self)
        let port = try #require(output.firstMatch(of: /port=(\d+)/).flatMap { Int($0.1) })
        // memcached's port refuses connections as soon as it has ended.
        try await until { !isListening(port) }
    }

    @Test func `processes of tests outlive a guard that is no more needed`() async throws {
        let process = try ChildProcess(["/bin/sleep", "1000"])
        do { _ = try ProcessGuard(process.id) }
        process.signal(SIGTERM)
        #expect(try await process.waitForEnd().status == SIGTERM)
    }

    private func isListening(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
