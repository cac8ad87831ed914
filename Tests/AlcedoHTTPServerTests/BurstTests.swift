#if Server
    import AlcedoHTTPServer
    import AlcedoTestSupport
    import Dispatch
    import Foundation
    import Testing

    @Suite(.timeLimit(.minutes(10)))
    struct `Requests that come at once` {
        /// Sends a request on each of so many connections while the thread of one of them is busy.
        private func allSucceeded(
            _ count: Int, by server: HTTPServer, _ isHeld: DispatchSemaphore, _ go: DispatchSemaphore
        )
            async throws -> Bool
        {
            try await offPool {
                let clients = try (0..<count).map { _ in try RawClient(server.address) }
                for client in clients {
                    try client.get("/ready")
                    _ = try client.reply()
                }
                try clients[0].get("/hold")
                try #require(isHeld.wait(timeout: .now() + 300) == .success)
                for client in clients.dropFirst() { try client.get("/burst") }
                go.signal()
                return clients.allSatisfy { (try? $0.reply().status) == 200 }
            }
        }

        /// With one thread for all, libmicrohttpd waits in one of these cases until connections time out.
        @Test func `requests that come at once get a response each, however many`() async throws {
            let (isHeld, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            var limits = HTTPServerLimits.patient
            (limits.threads, limits.connections) = (1, 200)
            let server = try HTTPServer(
                ListeningSocket(.tcp(host: "127.0.0.1", port: 0)), limits: limits,
                immediate: { request in
                    if request.target.elementsEqual("/hold".utf8) {
                        isHeld.signal()
                        go.wait()
                    }
                    return HTTPResponse(status: 200, text: "")
                }, handler: echo)
            for count in 124...132 {
                let allSucceeded = try await allSucceeded(count, by: server, isHeld, go)
                #expect(allSucceeded, "\(count) connections")
            }
            await server.stop(within: .zero)
        }
    }
#endif
