#if Server
    package import AlcedoHTTPServer
    import AlcedoLocks
    import Dispatch
    import Foundation
    import Glibc

    /// An image server: listens, answers, logs, and ends without losing anything.
    package final class ImageServer: Sendable {
        /// Makes a responder from settings; the gate bounds its work.
        package typealias MakeResponder =
            @Sendable (ServerSettings, @escaping Gate) throws -> ImageService.Responder
        /// See `WorkGate`.
        package typealias Gate =
            @Sendable (
                _ request: ServedRequest, _ origin: String?,
                _ work: @escaping @Sendable () async -> ServedAnswer
            ) async -> ServedAnswer

        package let log: RequestLog
        /// The present rules for URLs.
        private let urls: Lock<URLRules>
        private let settings: ServerSettings
        private let service: ImageService
        private let admission: Admission
        private let server: HTTPServer
        private let metricsServer: HTTPServer?
        private let makeResponder: MakeResponder
        private let sums: Lock<(any DispatchSourceTimer)?>

        /// Starts to serve.
        ///
        /// - Parameters:
        ///   - settings: the settings.
        ///   - environment: may have a socket from systemd, which is then used instead of the setting's address.
        ///   - log: where lines go.
        ///   - workers: those of the responders, for the metrics.
        ///   - shared: the shared cache of the responders, for the metrics.
        ///   - sources: the sources of the responders, for readiness, metrics and the log.
        ///   - makeResponder: makes what answers requests for images; called again by ``reload(_:)``.
        /// - Throws: `ListenError`; what `makeResponder` throws.
        package init(
            settings: ServerSettings, environment: [String: String] = [:], log: RequestLog,
            workers: Admission? = nil, shared: SharedTier? = nil, sources: SourceWatch? = nil,
            makeResponder: @escaping MakeResponder
        ) throws {
            (self.settings, self.log, self.makeResponder) = (settings, log, makeResponder)
            urls = Lock(settings.urls)
            let admission = Admission(workers: settings.workers, queueSize: settings.queueSize)
            self.admission = admission
            raiseDescriptorLimit(log, connections: settings.limits.connections)
            let responder = try makeResponder(settings) { await admission.answer($0, from: $1, $2) }
            sources?.log { log.write($0, $1) }
            let service = ImageService(
                settings: settings, log: log, readiness: { sources?.readiness ?? .ready },
                responder: responder)
            self.service = service
            let socket: ListeningSocket
            if let inherited = try ListeningSocket(environment: environment) {
                socket = inherited
                log.write("start", "systemd passed a socket, whose address is used instead of BIND's")
            } else {
                socket = try ListeningSocket(settings.listen)
            }
            let metricsSocket = try Self.metricsSocket(settings)
            let server = try HTTPServer(
                socket, limits: settings.limits, atOnce: { service.answerAtOnce($0) },
                handler: { await service.answer($0) })
            self.server = server
            metricsServer = try metricsSocket.make { request in
                var gauges = ServerMetrics.Gauges()
                gauges.workers = settings.workers
                gauges.imagesInProgress = workers?.working ?? 0
                gauges.queueDepth = admission.waiting + (workers?.waiting ?? 0)
                gauges.connections = server.connections
                gauges.lostLogLines = log.writer.lost
                gauges.shared = shared?.figures
                gauges.sources = sources?.figures
                return HTTPResponse(
                    status: 200, headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"],
                    body: Data(
                        service.metrics.text(namespace: settings.metricsNamespace, gauges: gauges).utf8))
            }
            let timer = DispatchSource.makeTimerSource(queue: .global())
            timer.schedule(deadline: .now() + 10, repeating: 10)
            timer.setEventHandler { log.sumUp() }
            timer.resume()
            sums = Lock(timer)
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
            let present = urls.withLock { $0 }
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
            var settings = settings
            settings.urls = new.urls
            let responder = try makeResponder(settings) { [admission] in
                await admission.answer($0, from: $1, $2)
            }
            service.replace(responder, for: new.urls)
            urls.withLock { $0 = new.urls }
        }

        /// Lets running requests end within the setting's time, then ends everything.
        package func stop() async {
            service.drain()
            await server.stop(within: .seconds(settings.gracefulStopTimeout))
            await metricsServer?.stop(within: .zero)
            sums.withLock { $0.take() }?.cancel()
            log.sumUp(all: true)
        }

        private static func metricsSocket(_ settings: ServerSettings) throws -> MetricsSocket {
            guard let address = settings.metricsListen else { return MetricsSocket(socket: nil) }
            return MetricsSocket(socket: try ListeningSocket(address))
        }
    }

    /// The socket of the metrics, if there is one.
    private struct MetricsSocket: ~Copyable {
        var socket: ListeningSocket?

        consuming func make(_ handler: @escaping HTTPServer.Handler) throws -> HTTPServer? {
            guard let socket = socket.take() else { return nil }
            var limits = HTTPServerLimits()
            (limits.threads, limits.connections) = (1, 64)
            return try HTTPServer(socket, limits: limits, handler: handler)
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
