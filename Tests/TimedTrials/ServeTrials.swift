#if Server
    import AlcedoTestSupport
    import Foundation
    import FoundationNetworking
    import Testing

    @Suite(.serialized, .timeLimit(.minutes(10))) struct `Time that alcedo serve takes` {
        private let folder: TemporaryDirectory
        private let program: Program

        init() throws {
            folder = try TemporaryDirectory()
            program = Program(cacheHome: folder.url, folder: folder.url)
        }

        #if Memcached
            /// A process waits 0.1 s for memcached and 2 s for another process, then fetches by itself.
            @Test
            func `eight processes of alcedo serve fetch once for a thousand requests, in one of five rounds`()
                async throws
            {
                let nodes = try (0..<3).map { _ in try MemcachedProcess() }
                let origin = try LoopbackServer()
                let environment = [
                    "ALCEDO_MEMCACHED": nodes.map(\.server).joined(separator: ","),
                    "ALCEDO_MEMCACHED_SECRET": "00112233445566778899aabbccddeeff",
                    "ALCEDO_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "true", "ALCEDO_CACHE_DISK": "0",
                    "ALCEDO_SANDBOX": "off", "ALCEDO_TIMEOUT": "60", "ALCEDO_DOWNLOAD_TIMEOUT": "60",
                ]
                var servers: [(running: Running, port: Int)] = []
                for _ in 0..<8 { servers.append(try await program.serve([], environment)) }
                let ports = servers.map(\.port)
                var fetches: [Int] = []
                for round in 0..<5 {
                    let name = "/\(round).png"
                    origin.serve(name, Reply(body: try Fixture.data("made/alpha.png")))
                    let path = "/unsafe/w:20/plain/\(origin.address(name))@png"
                    let start = ContinuousClock.now
                    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                        for port in ports {
                            for _ in 0..<125 { group.addTask { try await status(of: path, port: port) } }
                        }
                        return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
                    }
                    fetches.append(origin.requestCount(path: name))
                    print("1,000 requests: \(fetches[round]) fetches in \(ContinuousClock.now - start)")
                    #expect(statuses == [200])
                }
                #expect(fetches.contains(1), "\(fetches)")
                for server in servers { server.running.terminate() }
                for server in servers { _ = await server.running.outcome() }
            }
        #endif

        @Test func `alcedo serve takes little processor time while it lacks descriptors`() async throws {
            // The first connection stays, so that it frees no descriptor for the others.
            let (server, port) = try await program.serve(["--keep-alive-timeout", "600"])
            #expect(try await status(of: "/health", port: port) == 200)
            try await server.limitDescriptors(to: server.lowestFreeDescriptor)
            let before = try server.processorTime
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<10 {
                    group.addTask {
                        _ = try? await status(of: "/health", port: port, isConnecting: true, timeout: 1)
                    }
                }
            }
            let time = try server.processorTime - before
            print("processor time without descriptors, for at least 1 s: \(time) s")
            #expect(time < 0.2)
            server.terminate()
            _ = await server.outcome()
        }
    }

    /// The status of a response, over a connection of its own if it is `isConnecting`.
    private func status(
        of path: String, port: Int, isConnecting: Bool = false, timeout: Double = 120
    ) async throws -> Int {
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)\(path)")))
        request.timeoutInterval = timeout
        let session = isConnecting ? URLSession(configuration: .ephemeral) : .shared
        defer { if isConnecting { session.finishTasksAndInvalidate() } }
        let response = try await session.data(for: request).1
        return try #require(response as? HTTPURLResponse).statusCode
    }
#endif
