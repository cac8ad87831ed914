#if Server
    import AlcedoTestSupport
    import Foundation
    import FoundationNetworking
    import Testing

    @Suite(.serialized, .timeLimit(.minutes(10))) struct `Time that alcedo serve takes` {
        private let folder: TemporaryDirectory

        init() throws { folder = try TemporaryDirectory() }

        #if Memcached
            /// A process waits 0.1 s for memcached and 2 s for another process, then fetches by itself.
            @Test func `is enough for one fetch for a thousand requests to eight processes`() async throws {
                let nodes = try (0..<3).map { _ in try MemcachedProcess() }
                let origin = try LoopbackServer()
                let environment = [
                    "ALCEDO_MEMCACHED": nodes.map(\.server).joined(separator: ","),
                    "ALCEDO_MEMCACHED_SECRET": "00112233445566778899aabbccddeeff",
                    "ALCEDO_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "true", "ALCEDO_CACHE_DISK": "0",
                    "ALCEDO_SANDBOX": "off", "ALCEDO_TIMEOUT": "60", "ALCEDO_DOWNLOAD_TIMEOUT": "60",
                ]
                var servers: [Server] = []
                for _ in 0..<8 { servers.append(try await Server([], environment, in: folder)) }
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
                for server in servers { await server.end() }
            }
        #endif

        @Test func `of the processor is short while it has no descriptors for its connections`()
            async throws
        {
            // The first connection stays, so that it frees no descriptor for the others.
            let server = try await Server(["--keep-alive-timeout", "600"], [:], in: folder)
            #expect(try await status(of: "/health", port: server.port) == 200)
            try server.exhaustDescriptors()
            let before = try server.processorTime
            let port = server.port
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
            await server.end()
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

    /// A running `alcedo serve`.
    private final class Server {
        let port: Int
        private let process = Process()
        private let hasEnded = Gate()

        init(
            _ arguments: [String], _ environment: [String: String], in folder: TemporaryDirectory
        ) async throws {
            process.executableURL = BuiltProgram.url(of: "alcedo")
            process.arguments = ["serve", "--bind", "127.0.0.1:0"] + arguments
            process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("ALCEDO_") }
                .merging(["XDG_CACHE_HOME": folder.path]) { $1 }.merging(environment) { $1 }
            let pipe = Pipe()
            process.standardOutput = pipe
            process.terminationHandler = { [hasEnded] _ in hasEnded.open() }
            let started = process
            try Launching.alone { try started.run() }
            let (handle, texts) = (pipe.fileHandleForReading, Recorder<String>())
            // Blocks until the program ends.
            Thread {
                var data = handle.availableData
                while !data.isEmpty {
                    texts.append(String(decoding: data, as: UTF8.self))
                    data = handle.availableData
                }
                texts.append("")
            }.start()
            await texts.wait { $0.last == "" || Self.port(in: $0.joined()) != nil }
            port = try #require(Self.port(in: texts.values.joined()))
        }

        deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

        func end() async {
            process.terminate()
            await hasEnded.pass()
        }

        /// The seconds of processor time that it has taken.
        var processorTime: Double {
            get throws {
                let file = "/proc/\(process.processIdentifier)/stat"
                let text = try String(contentsOfFile: file, encoding: .utf8)
                let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
                return fields[11...12].reduce(0) { $0 + (Double($1) ?? 0) } / 100
            }
        }

        /// Lets it have no more descriptors than it has.
        func exhaustDescriptors() throws {
            let folder = "/proc/\(process.processIdentifier)/fd"
            let open = Set(try FileManager.default.contentsOfDirectory(atPath: folder))
            let free = (0...open.count).first { !open.contains("\($0)") } ?? open.count
            let limiting = Process()
            limiting.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            limiting.arguments = ["prlimit", "--pid=\(process.processIdentifier)", "--nofile=\(free):"]
            try Launching.alone { try limiting.run() }
            limiting.waitUntilExit()
            try #require(limiting.terminationStatus == 0)
        }

        private static func port(in text: String) -> Int? {
            text.firstMatch(of: /listening on 127\.0\.0\.1:([0-9]+)"/).flatMap { Int($0.1) }
        }
    }
#endif
