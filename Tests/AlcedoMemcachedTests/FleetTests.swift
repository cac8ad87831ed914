#if Memcached
    import Alcedo
    import AlcedoMemcached
    import AlcedoTestSupport
    import Foundation
    import Testing

    /// Processes that share memcached servers; see `FleetTrials`.
    @Suite(.serialized, .timeLimit(.minutes(10))) struct `Processes that share a memcached` {
        let server: LoopbackServer
        let nodes: [MemcachedProcess]
        let barrier = Gate()

        /// Opened once all loads of the processes that fetch share transfers: one that starts later would fetch again.
        let joined = Gate()

        init() throws {
            server = try LoopbackServer()
            nodes = try (0..<3).map { _ in try MemcachedProcess() }
            server.serve("/barrier", Reply.status(204).hold(.head, until: barrier))
        }

        private func png() throws -> [UInt8] { try Fixture.data("made/alpha.png") }

        /// Starts processes that load `path` at the same time, of which so many fetch; returns the sums of their output.
        private func run(
            _ processes: Int, fetching: Int, _ path: String, each count: Int, waiting seconds: Int = 600
        ) async throws -> [String: Int] {
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<processes {
                    group.addTask {
                        try await BuiltProgram.output(
                            of: "FleetTrials",
                            [
                                nodes.map(\.server).joined(separator: ","), server.address("/barrier"),
                                server.address(path), "\(count)", "\(seconds)",
                            ], in: TemporaryDirectory())
                    }
                }
                await server.waitForRequests(processes, path: "/barrier")
                barrier.open()
                let joining = Task {
                    await server.waitForRequests(fetching, path: "/barrier/joined")
                    joined.open()
                }
                defer { joining.cancel() }
                var sums: [String: Int] = [:]
                for try await line in group {
                    for pair in line.split(whereSeparator: \.isWhitespace) {
                        let parts = pair.split(separator: "=")
                        sums[String(parts[0]), default: 0] += Int(parts[1]) ?? 0
                    }
                }
                return sums
            }
        }

        @Test func `eight processes fetch an image once for a thousand loads`() async throws {
            server.serve("/a.png", Reply(body: try png()).hold(.head, until: joined))
            let sums = try await run(8, fetching: 1, "/a.png", each: 125)
            #expect(sums["delivered"] == 1_000)
            #expect(sums["failed"] == 0)
            #expect(sums["won"] == 1)
            #expect(server.requestCount(path: "/a.png") == 1)
        }

        @Test func `eight processes request an image that does not exist once`() async throws {
            server.serve("/a.png", Reply.status(404).hold(.head, until: joined))
            let sums = try await run(4, fetching: 1, "/a.png", each: 50)
            #expect(sums["failed"] == 200)
            #expect(server.requestCount(path: "/a.png") == 1)
        }

        @Test func `processes load as without a shared cache if all servers are dead`() async throws {
            for node in nodes { node.kill() }
            server.serve("/a.png", Reply(body: try png()).hold(.head, until: joined))
            let sums = try await run(2, fetching: 2, "/a.png", each: 20)
            #expect(sums["delivered"] == 40)
            #expect(server.requestCount(path: "/a.png") == 2)
        }

        @Test func `a process continues after the process that loads for it was killed`() async throws {
            let gate = Gate()
            server.serve(
                "/a.png", Reply(body: try png()).hold(.head, until: gate),
                Reply(body: try png()).hold(.head, until: joined))
            let folder = try TemporaryDirectory()
            let words = [
                BuiltProgram.url(of: "FleetTrials").path, nodes.map(\.server).joined(separator: ","),
                server.address("/open"), server.address("/a.png"),
                "1", "2",
            ]
            let environment = ProcessInfo.processInfo.environment
                .merging(["HOME": folder.path, "XDG_CACHE_HOME": folder.path]) { $1 }
            let winner = try ChildProcess(words, environment: environment)
            await server.waitForRequests(1, path: "/a.png")
            winner.signal(SIGKILL)
            try await winner.waitForEnd()
            let sums = try await run(3, fetching: 3, "/a.png", each: 10, waiting: 2)
            #expect(sums["delivered"] == 30)
            // One more for each process, after its wait.
            #expect(server.requestCount(path: "/a.png") == 4)
            gate.open()
        }
    }
#endif
