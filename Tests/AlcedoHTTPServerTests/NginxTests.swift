#if Server
    import AlcedoHTTPServer
    import AlcedoTestSupport
    import AlcedoWaiting
    import Foundation
    import FoundationNetworking
    import Testing

    struct `Behind nginx` {
        private static let program = "/usr/sbin/nginx"
        private static let isInstalled = [program, "/usr/bin/curl"].allSatisfy {
            FileManager.default.isExecutableFile(atPath: $0)
        }

        @Test(.enabled(if: isInstalled), .timeLimit(.minutes(10)))
        func `paths behind nginx arrive as they were sent, on connections that are kept`() async throws {
            let folder = try TemporaryDirectory()
            let socket = folder.file("alcedo.sock").path
            let targets = Recorder<String>()
            let server = try HTTPServer(ListeningSocket(.unix(path: socket)), limits: .patient) { request in
                targets.append(String(decoding: request.target, as: UTF8.self))
                return HTTPResponse(status: 200, text: "ok")
            }
            let front = folder.file("nginx.sock").path
            let nginx = try start(in: folder, from: front, to: socket)
            let processGuard = try ProcessGuard(nginx.id)
            defer { withExtendedLifetime(processGuard) { nginx.signal(SIGKILL) } }
            let paths = [
                "/sig/rs:fit:3:3/plain/http://a/%2F..%20x%25.png@webp", "/sig//plain/local:///a//b.png",
                "/sig/aHR0cDovL2E_/x.png",
            ]
            for path in paths {
                let body = try await curl(front, path)
                #expect(body == "ok")
            }
            await server.stop(within: .seconds(5))
            #expect(targets.values == paths)
        }

        private func start(in folder: TemporaryDirectory, from front: String, to socket: String) throws
            -> ChildProcess
        {
            let configuration = folder.file("nginx.conf")
            try """
            daemon off;
            master_process off;
            pid \(folder.path)/nginx.pid;
            error_log \(folder.path)/error.log;
            events {}
            http {
                access_log off;
                client_body_temp_path \(folder.path)/body;
                proxy_temp_path \(folder.path)/proxy;
                fastcgi_temp_path \(folder.path)/fastcgi;
                uwsgi_temp_path \(folder.path)/uwsgi;
                scgi_temp_path \(folder.path)/scgi;
                upstream alcedo { server unix:\(socket); keepalive 32; }
                server {
                    listen unix:\(front);
                    location / {
                        proxy_pass http://alcedo;
                        proxy_http_version 1.1;
                        proxy_set_header Connection "";
                    }
                }
            }
            """.write(to: configuration, atomically: true, encoding: .utf8)
            return try ChildProcess(
                [Self.program, "-e", folder.file("error.log").path, "-c", configuration.path], output: .null,
                errors: .null)
        }

        /// curl tries again while nginx starts.
        private func curl(_ socket: String, _ path: String) async throws -> String {
            let words = [
                "/usr/bin/curl", "--silent", "--path-as-is", "--retry", "500", "--retry-all-errors",
                "--retry-delay", "1",
                "--unix-socket", socket, "http://localhost\(path)",
            ]
            let output = Pipe()
            let curl = try ChildProcess(words, output: .handle(output.fileHandleForWriting))
            try output.fileHandleForWriting.close()
            try await curl.waitForEnd()
            return String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        }
    }
#endif
