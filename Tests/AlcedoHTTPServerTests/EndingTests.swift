#if Server
    import AlcedoHTTPServer
    import AlcedoTestSupport
    import AlcedoWaiting
    import Foundation
    import Testing

    @Suite(.timeLimit(.minutes(10)))
    struct `Endings` {
        @Test func `the handler of a client that disconnects is cancelled`() async throws {
            let (started, cancelled) = (Gate(), Gate())
            let ends = Recorder<HTTPEnd>()
            let handler: HTTPServer.Handler = { _ in
                started.open()
                await withTaskCancellationHandler {
                    await cancelled.pass()
                } onCancel: {
                    cancelled.open()
                }
                return HTTPResponse(status: 499) { ends.append($0) }
            }
            try await withServer(handler: handler) { server in
                try await offPool {
                    let client = try RawClient(server.address)
                    try client.get("/slow")
                    let isWaiting = DispatchSemaphore(value: 0)
                    Task {
                        await started.pass()
                        isWaiting.signal()
                    }
                    isWaiting.wait()
                }
                await cancelled.pass()
                await ends.waitFor(count: 1)
                #expect(ends.count == 1)
            }
        }

        @Test func `a server that stops lets running requests end, and accepts no others`() async throws {
            let (started, release) = (Gate(), Gate())
            let socket = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
            let server = try HTTPServer(socket, limits: .patient) { request in
                started.open()
                await release.pass()
                return await echo(request)
            }
            let address = server.address
            async let reply = offPool {
                let client = try RawClient(address)
                try client.get("/running")
                return (try client.reply(), client.waitForEnd())
            }
            await started.pass()
            async let stop: Void = server.stop(within: .seconds(600))
            // Rejected once the listening socket is closed.
            let isRejected = try await offPool {
                let end = ContinuousClock.now + .seconds(300)
                while ContinuousClock.now < end {
                    guard let other = try? RawClient(address) else { return true }
                    _ = other.waitForEnd(seconds: 0.1)
                }
                return false
            }
            #expect(isRejected)
            release.open()
            let (running, hasEnded) = try await reply
            await stop
            #expect(running.body == "/running")
            #expect(running.head.contains("Connection: close"))
            #expect(hasEnded)
        }

        @Test func `a server that stops cancels requests that do not end in its time`() async throws {
            let started = Gate()
            let cancelled = Gate()
            let socket = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
            let server = try HTTPServer(socket, limits: .patient) { _ in
                started.open()
                await withTaskCancellationHandler {
                    await cancelled.pass()
                } onCancel: {
                    cancelled.open()
                }
                return HTTPResponse(status: 200, text: "late")
            }
            let address = server.address
            async let reply = offPool {
                let client = try RawClient(address)
                try client.get("/endless")
                return try? client.reply()
            }
            await started.pass()
            await server.stop(within: .zero)
            let status = try await reply?.status
            #expect(status == 503)
            await cancelled.pass()
            #expect(server.connections == 0)
        }

        @Test func `256 clients at a time all get their responses`() async throws {
            try await withServer { server in
                let complete = CallCounter()
                try await withThrowingTaskGroup { group in
                    for number in 0..<256 {
                        group.addTask {
                            let body = try await offPool {
                                let client = try RawClient(server.address)
                                for _ in 0..<4 { try client.get("/\(number)") }
                                return try (0..<4).map { _ in try client.reply().body }
                            }
                            if body == Array(repeating: "/\(number)", count: 4) { complete.increment() }
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(complete.value == 256)
                // The last ends just after its client has the response.
                while server.activeRequests > 0 { await Task.yield() }
            }
        }
    }
#endif
