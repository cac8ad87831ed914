#if Server
    import AlcedoHTTPServer
    import AlcedoTestSupport
    import Foundation
    import Testing

    @Suite(.timeLimit(.minutes(10))) struct `The address of a server` {
        /// A listener that is stopped accepts no connection, and its queue fills.
        @Test func `the address of a server is in use if its listener accepts nothing`() async throws {
            let folder = try TemporaryDirectory()
            let path = folder.file("socket").path
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            var sockets = [socket(AF_UNIX, kind, 0)]
            defer { for socket in sockets { close(socket) } }
            let length = socklen_t(MemoryLayout<sockaddr_un>.size)
            func withName(_ body: (UnsafePointer<sockaddr>) -> Int32) -> Int32 {
                withUnsafePointer(to: &name) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
                }
            }
            try #require(withName { bind(sockets[0], $0, length) } == 0 && listen(sockets[0], 0) == 0)
            repeat {
                sockets.append(socket(AF_UNIX, kind, 0))
            } while withName { connect(sockets[sockets.count - 1], $0, length) } == 0
            try #require(errno == EAGAIN)
            let failure = try await offPool {
                do throws(ListenError) {
                    _ = try ListeningSocket(.unix(path: path))
                    return "none"
                } catch {
                    return error.description
                }
            }
            #expect(failure == "cannot listen on unix:\(path): Address already in use")
        }
    }
#endif
