#if Server
    import AlcedoTestSupport
    import Foundation
    import FoundationNetworking
    import Glibc
    import Testing

    @Suite(.timeLimit(.minutes(10))) struct `alcedo serve` {
        private let folder: TemporaryDirectory
        private let program: Program

        init() throws {
            folder = try TemporaryDirectory()
            program = Program(cacheHome: folder.url, folder: folder.url)
        }

        /// Gets a response, over a connection of its own if it is `connecting`.
        private func get(
            _ path: String, port: Int, headers: [String: String] = [:], connecting: Bool = false,
            timeout seconds: Double = 600
        ) async throws -> (status: Int, headers: HTTPURLResponse, body: Data) {
            var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)\(path)")))
            request.timeoutInterval = seconds
            for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
            let session = connecting ? URLSession(configuration: .ephemeral) : .shared
            defer { if connecting { session.finishTasksAndInvalidate() } }
            let (data, response) = try await session.data(for: request)
            let http = try #require(response as? HTTPURLResponse)
            return (http.statusCode, http, data)
        }

        @Test func `serve ends with status 0 after SIGTERM, and logs its life`() async throws {
            let (running, port) = try await program.serve()
            #expect(try await get("/health", port: port).status == 200)
            running.terminate()
            let outcome = await running.outcome()
            #expect(outcome.code == 0)
            let events = outcome.text.split(separator: "\n").compactMap {
                (try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])?["event"]
                    as? String
            }
            #expect(events == ["start", "warning", "stop", "stop"])
            #expect(outcome.errors.isEmpty)
        }

        /// As one that is stopped: the queue of its socket is full.
        @Test func `serve starts and ends with a service manager that reads nothing`() async throws {
            let path = folder.file("notify").path
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
            let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            let (manager, sender) = (socket(AF_UNIX, kind, 0), socket(AF_UNIX, kind, 0))
            defer { for socket in [manager, sender] { close(socket) } }
            let isFull = withUnsafePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
                    guard bind(manager, name, length) == 0 else { return false }
                    while sendto(sender, "x", 1, 0, name, length) == 1 {}
                    return errno == EAGAIN
                }
            }
            try #require(isFull)
            let (running, port) = try await program.serve([], ["NOTIFY_SOCKET": path])
            #expect(try await get("/health", port: port).status == 200)
            running.terminate()
            #expect(await running.outcome().code == 0)
        }

        @Test func `serve --health tells whether the server with these settings runs`() async throws {
            let (running, port) = try await program.serve()
            let address = "127.0.0.1:\(port)"
            let healthy = try await program.run("serve", "--health", "--bind", address)
            #expect(healthy.code == 0 && healthy.text.isEmpty && healthy.errors.isEmpty, "\(healthy)")
            let environment = ["IMGPROXY_BIND": ":\(port)"]
            #expect(
                try await program.start(["serve", "--health"], environment: environment).outcome().code == 0)
            running.terminate()
            _ = await running.outcome()
            let absent = try await program.run("serve", "--health", "--bind", address)
            #expect(absent.code == 1 && absent.output.isEmpty)
            #expect(
                absent.errors.contains("no healthy server at \(address): Connection refused"), "\(absent)")
        }

        @Test func `serve --health asks at a Unix socket, and rejects other responses`() async throws {
            let path = folder.file("socket").path
            let running = try program.start(["serve", "--bind", "unix:\(path)"])
            _ = await running.waitForOutput { $0.contains("listening on") }
            #expect(try await program.run("serve", "--health", "--bind", "unix:\(path)").code == 0)
            running.terminate()
            _ = await running.outcome()
            let other = try LoopbackServer()
            let outcome = try await program.run("serve", "--health", "--bind", "127.0.0.1:\(other.port)")
            #expect(
                outcome.code == 1 && outcome.errors.contains("not healthy: it responds “HTTP/1.1 404"),
                "\(outcome)")
            let port = try await program.run("serve", "--health", "--bind", "127.0.0.1:0")
            #expect(port.code == 1 && port.errors.contains("port 0 is any free port"))
        }

        @Test func `serve --health ends at the first signal`() async throws {
            let (server, gate) = (try LoopbackServer(), Gate())
            server.serve("/health", Reply(body: []).hold(.head, until: gate))
            let address = "127.0.0.1:\(server.port)"
            let running = try program.start(["serve", "--health", "--bind", address, "--timeout", "600"])
            await server.waitForRequests(1)
            running.interrupt()
            let outcome = await running.outcome()
            #expect(outcome.code == SIGINT && outcome.errors.isEmpty, "\(outcome)")
            gate.open()
        }

        @Test func `serve --health waits no longer than for a response`() async throws {
            let (server, gate) = (try LoopbackServer(), Gate())
            server.serve("/health", Reply(body: []).hold(.head, until: gate))
            let address = "127.0.0.1:\(server.port)"
            let outcome = try await program.run("serve", "--health", "--bind", address, "--timeout", "1")
            #expect(outcome.code == 1 && outcome.errors.contains("not respond within 1 s"), "\(outcome)")
            gate.open()
        }

        @Test func `serve checks its settings, and shows no secret`() async throws {
            let environment = [
                "ALCEDO_KEY": "736563726574", "ALCEDO_SALT": "68656c6c6f", "IMGPROXY_TTL": "7",
            ]
            let shown = try await program.start(["serve", "--check"], environment: environment).outcome()
            #expect(shown.code == 0)
            #expect(shown.text.contains("ALCEDO_TTL=7  # environment\n"))
            #expect(shown.text.contains("ALCEDO_KEY=(secret)"))
            #expect(!shown.text.contains("736563726574"))
            let wrong = try await program.start(["serve", "--workers", "none"]).outcome()
            #expect(wrong.code == 2)
            #expect(wrong.errors.contains("--workers takes a whole number from 1 to 1024, not “none”"))
            let unknown = try await program.start(["serve", "--check", "--config", "/nonexistent"]).outcome()
            #expect(unknown.code == 1 && unknown.errors.contains("/nonexistent"))
        }

        /// Sends 25 requests at once to each server; how many responses came from each tier.
        private func tiers(of path: String, ports: [Int]) async throws -> [String: Int] {
            try await withThrowingTaskGroup(of: String.self) { group in
                for port in ports {
                    for _ in 0..<25 {
                        group.addTask {
                            let response = try await get(path, port: port)
                            #expect(response.status == 200)
                            return response.headers.value(forHTTPHeaderField: "X-Cache-Tier") ?? ""
                        }
                    }
                }
                var tiers: [String: Int] = [:]
                for try await tier in group { tiers[tier, default: 0] += 1 }
                return tiers
            }
        }

        #if Memcached
            @Test
            func `serve fetches an image once at most in each of several processes`() async throws {
                let nodes = try (0..<3).map { _ in try MemcachedProcess() }
                let origin = try LoopbackServer()
                let environment = [
                    "ALCEDO_MEMCACHED": nodes.map(\.server).joined(separator: ","),
                    "ALCEDO_MEMCACHED_SECRET": "00112233445566778899aabbccddeeff",
                    "ALCEDO_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "true", "ALCEDO_CACHE_DISK": "0",
                    "ALCEDO_ENABLE_DEBUG_HEADERS": "true", "ALCEDO_SANDBOX": "off",
                ]
                var servers: [(running: Running, port: Int)] = []
                for _ in 0..<4 { servers.append(try await program.serve([], environment)) }
                // A process fetches by itself if memcached or another process takes too long: other images then.
                var seen: Set<String> = []
                var round = 0
                while !seen.contains("shared") {
                    round += 1
                    try Task.checkCancellation()
                    origin.serve("/\(round)", Reply(body: try Fixture.data("made/alpha.png")))
                    let path = "/unsafe/w:20/plain/\(origin.address("/\(round)"))@png"
                    let tiers = try await tiers(of: path, ports: servers.map(\.port))
                    #expect(tiers.values.reduce(0, +) == 100)
                    #expect((1...4).contains(origin.requestCount(path: "/\(round)")), "\(tiers)")
                    seen.formUnion(tiers.keys)
                }
                #expect(seen.isSubset(of: ["none", "shared", "memory"]), "\(seen)")
                for (running, _) in servers {
                    running.terminate()
                    #expect(await running.outcome().code == 0)
                }
            }
        #endif

        @Test func `serve waits for descriptors if it has none for its connections`() async throws {
            // The first connection stays, so that it frees no descriptor for the others.
            let (running, port) = try await program.serve(["--keep-alive-timeout", "600"])
            #expect(try await get("/health", port: port).status == 200)
            try await running.limitDescriptors(to: running.lowestFreeDescriptor)
            // They take those that it frees: it closes a file or two.
            let idle = (0..<10).compactMap { _ in connectedSocket(to: UInt16(port)) }
            defer { for descriptor in idle { close(descriptor) } }
            #expect(idle.count == 10)
            await #expect(throws: URLError.self) {
                try await get("/health", port: port, connecting: true, timeout: 1)
            }
            try await running.limitDescriptors(to: 1024)
            #expect(try await get("/health", port: port, connecting: true).status == 200)
            running.terminate()
            #expect(await running.outcome().code == 0)
        }

        @Test(arguments: [
            ("--local-filesystem-root", "missing", "takes a folder, and FOLDER/missing does not exist"),
            ("--local-filesystem-root", "text", "takes a folder that can be read, and FOLDER/text is none"),
            ("--watermark-path", "missing", "FOLDER/missing can't be read: No such file or directory"),
            ("--watermark-path", ".", "can't be read: it is no file"),
            ("--watermark-path", "text", "FOLDER/text is none that this build reads"),
            ("--fallback-image-path", "missing", "FOLDER/missing can't be read: No such file or directory"),
            ("--watermark-data", "", "its value is none that this build reads"),
            ("--fallback-image-data", "", "its value is none that this build reads"),
        ])
        func `serve does not start without the files that its settings name`(
            flag: String, name: String, reason: String
        ) async throws {
            try Data("text".utf8).write(to: folder.file("text"))
            let value = name.isEmpty ? "AAAA" : name == "." ? folder.path : folder.file(name).path
            for check in [[], ["--check"]] {
                let arguments = ["serve", "--bind", "127.0.0.1:0", "--sandbox", "off", flag, value] + check
                let outcome = try await program.start(arguments).outcome()
                #expect(outcome.code == 2)
                let wanted = reason.replacing("FOLDER", with: folder.path)
                #expect(outcome.errors.contains(flag) && outcome.errors.contains(wanted), "\(outcome)")
            }
        }

        @Test(arguments: ["--watermark-url", "--fallback-image-url"])
        func `serve does not start without the images at URLs that its settings name`(
            flag: String
        ) async throws {
            let server = try LoopbackServer()
            let arguments = ["serve", "--bind", "127.0.0.1:0", "--download-timeout", "600", flag]
            let outcome = try await program.start(arguments + [server.address("/missing")]).outcome()
            #expect(outcome.code == 2 && outcome.errors.contains(flag), "\(outcome)")
        }

        @Test func `serve takes SIGHUP as soon as it is ready`() async throws {
            let path = folder.file("notify").path
            let manager = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            defer { close(manager) }
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
            let isBound = withUnsafePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(manager, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
                }
            }
            try #require(isBound)
            for _ in 0..<5 {
                let running = try program.start(
                    ["serve", "--bind", "127.0.0.1:0"], environment: ["NOTIFY_SOCKET": path])
                // Blocks until READY=1.
                let message = await Task.detached {
                    var bytes = [UInt8](repeating: 0, count: 100)
                    let count = recv(manager, &bytes, bytes.count, 0)
                    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
                }.value
                #expect(message == "READY=1")
                running.hangUp()
                _ = await running.waitForOutput { $0.contains("\"event\":\"reload\"") }
                running.terminate()
                #expect(await running.outcome().code == 0)
                // STOPPING=1
                var bytes = [UInt8](repeating: 0, count: 100)
                _ = recv(manager, &bytes, bytes.count, 0)
            }
        }

        /// As a real process, with a disk cache that a restart leaves.
        @Test func `serve follows files and origins that change, and drops what is gone`() async throws {
            let origin = try LoopbackServer()
            let (old, new) = (try Fixture.data("made/alpha.png"), try Fixture.data("jpeg/testorig.jpg"))
            origin.serve(
                "/s", Reply(body: old, headers: [("Cache-Control", "max-age=1000")]), Reply(body: new))
            origin.serve("/gone", Reply(body: old), Reply.status(410))
            let file = folder.file("a.png")
            try Data(old).write(to: file)
            let arguments = [
                "--local-filesystem-root", folder.path, "--sandbox", "off",
                "--allow-loopback-source-addresses", "true",
            ]
            let local = "/unsafe/w:20/plain/local:///a.png@png"
            let remote = "/unsafe/w:20/plain/\(origin.address("/s"))@png"
            let gone = "/unsafe/w:20/plain/\(origin.address("/gone"))@png"
            var (running, port) = try await program.serve(arguments)
            let first = try await get(local, port: port).body
            #expect(try await get(remote, port: port).body == first)
            #expect(try await get(gone, port: port).status == 200)
            running.terminate()
            #expect(await running.outcome().code == 0)
            (running, port) = try await program.serve(arguments)
            #expect(try await get(remote, port: port).body == first)
            #expect(origin.requestCount(path: "/s") == 1)
            try Data(new).write(to: file, options: .atomic)
            let changed = try await get(local, port: port).body
            #expect(changed != first && !changed.isEmpty)
            let control = ["Cache-Control": "no-cache"]
            #expect(try await get(remote, port: port, headers: control).body == changed)
            #expect(try await get(remote, port: port).body == changed)
            #expect(try await get(gone, port: port, headers: control).status == 410)
            #expect(try await get(gone, port: port).status == 410)
            try FileManager.default.removeItem(at: file)
            #expect(try await get(local, port: port).status == 404)
            running.terminate()
            #expect(await running.outcome().code == 0)
        }

        @Test func `serve says why it can't listen`() async throws {
            let (running, port) = try await program.serve()
            let second = try await program.start(["serve", "--bind", "127.0.0.1:\(port)"]).outcome()
            #expect(second.code == 1)
            #expect(second.errors.contains("cannot listen on 127.0.0.1:\(port)"))
            running.terminate()
            _ = await running.outcome()
        }

        @Test func `serve sends images from files, signed, and takes new keys with SIGHUP`() async throws {
            let pictures = Fixture.url("gif")
            let file = folder.file("serve.conf")
            func write(key: String) throws {
                try "ALCEDO_KEY=\(key)\nALCEDO_SALT=68656c6c6f\n".write(
                    to: file, atomically: true, encoding: .utf8)
            }
            try write(key: "736563726574")
            let (running, port) = try await program.serve([
                "--config", file.path, "--local-filesystem-root", pictures.path,
            ])
            func path(_ key: String) async throws -> String {
                let environment = ["ALCEDO_KEY": key, "ALCEDO_SALT": "68656c6c6f"]
                let url = try await program.start(
                    ["url", "--width", "10", "--format", "png", "local:///fire.gif"],
                    environment: environment
                ).outcome()
                return url.text.trimmingCharacters(in: .newlines)
            }
            let (old, new) = (try await path("736563726574"), try await path("00112233"))
            let image = try await get(old, port: port)
            #expect(image.status == 200)
            #expect(image.headers.value(forHTTPHeaderField: "Content-Type") == "image/png")
            #expect(image.body.prefix(4) == Data([0x89, 0x50, 0x4E, 0x47]))
            #expect(try await get(new, port: port).status == 403)

            try write(key: "not hexadecimal")
            running.hangUp()
            _ = await running.waitForOutput { $0.contains("the settings stay as they were") }
            #expect(try await get(old, port: port).status == 200)

            try write(key: "00112233")
            running.hangUp()
            _ = await running.waitForOutput { $0.contains("\"event\":\"reload\"") }
            #expect(try await get(new, port: port).status == 200)
            #expect(try await get(old, port: port).status == 403)
            running.terminate()
            #expect(await running.outcome().code == 0)
        }
    }
#endif
