#if Server
    import Alcedo
    package import AlcedoHTTPServer
    import AlcedoLocks
    import Dispatch
    import Foundation
    import Glibc

    /// An image server: listens, responds, logs, and stops without losing anything.
    package final class ImageServer: Sendable {
        package let log: RequestLog
        private let settings: ServerSettings
        private let handler: RequestHandler
        private let server: HTTPServer
        private let metricsServer: HTTPServer?
        private let sums: Lock<(any DispatchSourceTimer)?>
        private let exchanges: Task<Void, any Error>
        private let tracing: Task<Void, Never>
        private let engine: ServerEngine
        private let metrics: @Sendable () -> MetricsText
        private let exports: Task<Void, Never>

        /// Starts to serve.
        ///
        /// - Parameters:
        ///   - settings: the settings.
        ///   - environment: may have a socket from systemd, which is then used instead of the setting's address.
        ///   - log: where lines go.
        ///   - engine: caches and connections by the same settings.
        /// - Throws: `ListenError`.
        package init(
            settings: ServerSettings, environment: [String: String] = [:], log: RequestLog,
            engine: ServerEngine
        ) throws {
            (self.settings, self.log, self.engine) = (settings, log, engine)
            raiseDescriptorLimit(log, connections: settings.limits.connections)
            engine.sources.log { log.write($0, $1) }
            let handler = RequestHandler(settings: settings, log: log, engine: engine)
            self.handler = handler
            let socket: ListeningSocket
            if let inherited = try ListeningSocket(environment: environment) {
                socket = inherited
                log.write("start", "systemd passed a socket, whose address is used instead of BIND's")
            } else {
                socket = try Self.socket(settings.listen, of: "ALCEDO_BIND")
            }
            // Before the server starts, so that an address in use stops the start.
            var metricsSocket: ListeningSocket?
            if let address = settings.metricsListen {
                metricsSocket = try Self.socket(address, of: "ALCEDO_PROMETHEUS_BIND")
            }
            let server = try HTTPServer(
                socket, limits: settings.limits, immediate: { handler.immediateResponse(to: $0) },
                handler: { await handler.response(to: $0) })
            self.server = server
            let metrics = { @Sendable in
                let gauges = ServerMetrics.Gauges(
                    workers: engine.workers.places, imagesInProgress: engine.workers.running,
                    queueDepth: engine.admission.waiting + engine.workers.waiting,
                    connections: server.connections, lostLogLines: log.writer.lost,
                    shared: engine.shared?.figures, bucket: engine.results.bucket?.counts,
                    sources: engine.sources.figures,
                    memoryCacheBytes: engine.results.bytesInMemory, disk: engine.results.writes,
                    traces: engine.traces,
                    excesses: engine.admission.excesses,
                    workerFailures: DecodeSandbox.failures,
                    process: ProcessMetrics())
                return handler.metrics.all(namespace: settings.metricsNamespace, gauges: gauges)
            }
            self.metrics = metrics
            if let socket = metricsSocket.take() {
                var limits = HTTPServerLimits()
                (limits.threads, limits.connections) = (1, 64)
                metricsServer = try HTTPServer(socket, limits: limits) { _ in
                    HTTPResponse(
                        status: 200, headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"],
                        body: Data(metrics().text.utf8))
                }
            } else {
                metricsServer = nil
            }
            let timer = DispatchSource.makeTimerSource(queue: .global())
            timer.schedule(deadline: .now() + 10, repeating: 10)
            let memory = Lock(MemoryRelease())
            timer.setEventHandler {
                log.sumUp()
                let work = engine.admission
                memory.withLock { $0.look(started: work.started, running: work.running) }
            }
            timer.resume()
            sums = Lock(timer)
            tracing = Task { await engine.traces?.run() }
            exports = Task { await engine.metrics?.run(metrics) }
            exchanges = Task { try await engine.keepExchangingPurges() }
        }

        private static func socket(
            _ address: ListenAddress, of setting: String
        ) throws(ListenError) -> ListeningSocket {
            do { return try ListeningSocket(address) } catch {
                throw ListenError(description: "\(error) (\(setting))")
            }
        }

        /// Where it listens.
        package var address: ListenAddress { server.address }

        /// Where metrics are; nil if nowhere.
        package var metricsAddress: ListenAddress? { metricsServer?.address }

        /// Uses the keys, presets and other rules for URLs of new settings; running requests keep the old ones.
        ///
        /// - Throws: `SettingFailure` if the new settings have no keys or no allowed sources, and the present ones do: a file
        ///   that is being written is empty for a moment, and every URL would pass.
        package func reload(_ new: ServerSettings) throws {
            let present = handler.rules
            let lost =
                if !present.keys.isEmpty, new.urls.keys.isEmpty {
                    "ALCEDO_KEY and ALCEDO_SALT"
                } else if present.allowedSources != nil, new.urls.allowedSources == nil {
                    "ALCEDO_ALLOWED_SOURCES"
                } else {
                    nil as String?
                }
            if let lost {
                throw SettingFailure(
                    "\(lost) are gone, which would let every URL pass; restart the server if that is wanted")
            }
            handler.rules = new.urls
        }

        /// Lets running requests end within the setting's time, then closes everything.
        package func stop() async {
            handler.drain()
            await server.stop(within: .seconds(settings.gracefulStopTimeout))
            await metricsServer?.stop(within: .zero)
            sums.withLock { $0.take() }?.cancel()
            exchanges.cancel()
            await sendTelemetry()
            tracing.cancel()
            log.sumUp(all: true)
        }
    }

    extension ImageServer {
        /// Sends the last spans and values, for two seconds at most.
        private func sendTelemetry() async {
            exports.cancel()
            await exports.value
            await cancelling(at: .now + .seconds(2)) { [engine, metrics] in
                async let traces: Void? = engine.traces?.flush()
                async let values: Void? = engine.metrics?.export(metrics())
                _ = await (traces, values)
            }
        }
    }

    /// Allows as many open files as the system lets this process have: each connection is one.
    private func raiseDescriptorLimit(_ log: RequestLog, connections: Int) {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard limit.rlim_max < UInt(connections + 256) else { return }
        log.write(
            "warning",
            "this process may open \(limit.rlim_max) files, too few for \(connections) connections: "
                + "raise LimitNOFILE= or ulimit -n, or lower MAX_CLIENTS")
    }
#endif
