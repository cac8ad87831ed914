#if Server
    import AlcedoConsole
    import AlcedoLocks
    import AlcedoServer
    import Foundation

    /// `alcedo serve`: an image server.
    struct ServeCommand: Command {
        static let name = "serve"
        static let synopsis = "serve [--config FILE] [--check|--health] [--SETTING VALUE]…"
        static let summary = "Serves resized and converted images over HTTP, with imgproxy's URLs."
        static let details = """
              --config FILE  reads settings from FILE, NAME=value a line
              --check        print all settings and where they come from, and exit
              --health       ask the server that runs with these settings for /health, and exit: 0 if it responds,
                             1 if not within TIMEOUT, 2 if a setting is wrong; for the health checks of containers

            A setting is a flag, such as --bind, or a variable of the environment or a line of FILE, such as
            ALCEDO_BIND; imgproxy's names, such as IMGPROXY_BIND, count too. A flag wins over ALCEDO_…, that over
            IMGPROXY_…, that over FILE. Don't give secrets as flags: other users can see them. A variable with _FILE at
            its end, such as ALCEDO_KEY_FILE, names a file with a secret; credentials of systemd count by their names.

            \(Setting.all.map(\.help).joined(separator: "\n"))

            Logs a line for each request on standard output. /health and /ready tell how it is. SIGTERM lets
            running requests end, SIGHUP reads keys, presets and other rules for URLs again.
            """
        static let examples = [
            Example("alcedo serve --bind 127.0.0.1:8080", "listens for a proxy on this machine"),
            Example(
                "ALCEDO_KEY=… ALCEDO_SALT=… alcedo serve --local-filesystem-root /srv/pictures",
                "serves local:///… sources in signed URLs"),
            Example("alcedo serve --config /etc/alcedo/serve.conf --check", "shows what the file sets"),
            Example("alcedo serve --health --bind 127.0.0.1:8080", "checks that this server runs"),
        ]
        static let options: [Arguments.Option] =
            [.flag("check"), .flag("health"), SettingTexts.fileOption] + Setting.all.map { .value($0.flag) }
        static let endsWhenInterrupted = true

        private let arguments: Arguments
        private let environment = ProcessInfo.processInfo.environment
        private let texts: SettingTexts
        private let settings: ServerSettings

        init(_ arguments: Arguments) throws {
            guard arguments.operands.isEmpty else {
                throw UsageError(message: "serve takes no “\(arguments.operands[0])”")
            }
            self.arguments = arguments
            do {
                texts = try SettingTexts.given(arguments, environment: environment)
                settings = try texts.settings()
                if !arguments.has("health") { try texts.checkFiles(of: settings) }
            } catch let failure as SettingFailure {
                throw UsageError(message: failure.text)
            }
        }

        func run() async throws -> ExitCode {
            if arguments.has("check") {
                Terminal.print(texts.listing)
                for warning in texts.warnings { Terminal.printError("alcedo: \(warning)\n") }
                return .success
            }
            if arguments.has("health") {
                // It blocks, and leaves nothing behind.
                for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
                try Task.checkCancellation()
                try HealthCheck(address: settings.listen, timeout: settings.timeout).run()
                return .success
            }
            // A reader of the log that ends does not end the server.
            signal(SIGPIPE, SIG_IGN)
            // Before the service manager may send it: its default action ends the process.
            let reloads = Reloads { reload($0) }
            let log = RequestLog(
                LogWriter { Terminal.print($0) }, format: settings.logFormat, level: settings.logLevel)
            for warning in texts.warnings { log.write("warning", warning) }
            let (engine, server): (ServerEngine, ImageServer)
            do {
                engine = try ServerEngine(settings)
                // Not longer than a disk that hangs may delay the start.
                if let warning = await engine.loadPurges(within: 5) { log.write("warning", warning) }
                for warning in try await texts.checkURLs(of: settings, with: engine) {
                    log.write("warning", warning)
                }
                server = try ImageServer(
                    settings: settings, environment: environment, log: log, engine: engine)
            } catch {
                await log.writer.flush(within: 2)
                if let failure = error as? SettingFailure { throw UsageError(message: failure.text) }
                throw error
            }
            log.write("start", "listening on \(server.address)")
            if let address = server.metricsAddress { log.write("start", "metrics on \(address)") }
            if settings.urls.keys.isEmpty {
                log.write("warning", "URLs need no signature, as ALCEDO_KEY and ALCEDO_SALT are not set")
            }
            reloads.start(of: server)
            ServiceManager.notify("READY=1", environment: environment)
            await untilCancelled()
            reloads.cancel()
            ServiceManager.notify("STOPPING=1", environment: environment)
            log.write("stop", "stopping within \(settings.gracefulStopTimeout) s")
            await server.stop()
            do {
                try await engine.flush()
            } catch {
                log.write("error", "\(error)")
            }
            log.write("stop", "stopped")
            await log.writer.flush(within: 2)
            return .success
        }

        private func reload(_ server: ImageServer) {
            do {
                try server.reload(try SettingTexts.given(arguments, environment: environment).settings())
                server.log.write("reload", "keys, presets and other rules for URLs were read again")
            } catch {
                let reason = Failure("", error).message
                server.log.write("error", "the settings stay as they were: \(reason)")
            }
        }

        private func untilCancelled() async {
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            await withTaskCancellationHandler {
                for await _ in stream {}
            } onCancel: {
                continuation.finish()
            }
        }
    }

    /// Calls for new settings by SIGHUP; one that comes before the server runs is kept for it.
    private final class Reloads: Sendable {
        private struct State {
            var server: ImageServer?
            var isPending = false
        }

        private let state = Lock(State())
        private let source = Lock<(any DispatchSourceSignal)?>(nil)
        private let action: @Sendable (ImageServer) -> Void

        init(action: @escaping @Sendable (ImageServer) -> Void) {
            self.action = action
            // Its own thread: a file that can't be read for now must not take one of those that tasks run on.
            let queue = DispatchQueue(label: "alcedo.reload")
            source.withLock { source in
                let signals = DispatchSource.makeSignalSource(signal: SIGHUP, queue: queue)
                signals.setEventHandler { [weak self] in self?.receive() }
                signals.resume()
                source = signals
            }
            Interrupts.unblock(SIGHUP)
        }

        func start(of server: ImageServer) {
            let isPending = state.withLock { state in
                state.server = server
                return state.isPending
            }
            if isPending { action(server) }
        }

        func cancel() { source.withLock { $0.take() }?.cancel() }

        private func receive() {
            let server = state.withLock { state in
                state.isPending = state.server == nil
                return state.server
            }
            if let server { action(server) }
        }
    }

    extension Setting {
        /// The flag with its summary and its default, in columns.
        fileprivate var help: String {
            let name = "  --\(flag) \(valueName)"
            let gap = String(repeating: " ", count: max(2, 47 - name.count))
            return name + gap + summary + (usualText.isEmpty ? "" : " (\(usualText))")
        }

        /// The values, for completions, or what stands for one.
        private var valueName: String {
            switch defaultText {
            case "true", "false": "true|false"
            default: self.name == "SANDBOX" ? "require|prefer|off" : "VALUE"
            }
        }

        /// The default, also for a man page that is created on another machine.
        private var usualText: String { self.name == "WORKERS" ? "2 for each processor" : defaultText }
    }
#endif
