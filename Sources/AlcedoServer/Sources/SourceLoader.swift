import Alcedo
import AlcedoLocks
import Foundation

struct SourceLoader: Sendable {
    let rules: SourceRules
    let engine: ServerEngine

    /// The largest source that is read into memory if no limit is set: 256 MiB.
    private static let byteLimit = 256 << 20

    /// Loads a source; what equal requests do at the same time, happens once.
    ///
    /// Of a video, it is the `frame`; without one, the video itself.
    func load(
        _ source: ImageSource, passing passed: PassedHeaders, conditions: SourceConditions, maxBytes: Int?,
        frame: VideoFrameChoice? = nil, until deadline: ContinuousClock.Instant
    ) async -> SourceOutcome {
        let limit = byteLimit(maxBytes)
        switch source {
        case .local(let path): return await local(path, conditions, limit, frame, deadline)
        case .http, .object:
            let key = [
                source.text, conditions.etags ?? "", conditions.date ?? "", "\(limit)",
                "\(rules.addressPolicy)", "\(engine.purges.generation)", frame?.key ?? "", passed.key,
            ].joined(separator: "\n")
            let end = await engine.downloads.outcome(forKey: key, until: deadline) {
                await remote(source, passed, conditions, limit, frame, deadline)
            }
            switch end {
            case .finished(let outcome): return outcome
            case .timedOut: return .failed(.timedOut)
            case .cancelled: return .failed(.cancelled)
            }
        }
    }

    /// Whether loading `source` would fail at once, as it does not respond.
    func isUnresponsive(_ source: ImageSource) -> Bool {
        switch source {
        case .local(let path): engine.sources.local.rejects(path)
        case .http, .object: engine.sources.rejection(of: source.origin) != nil
        }
    }

    /// Loads an image that settings name.
    func load(_ image: FixedImage) async -> SourceOutcome {
        let date = engine.now()
        switch image {
        case .data(let data):
            return .fetched(FetchedSource(data: data, head: SourceHead(), checked: date))
        case .path(let path):
            let files = engine.files
            let read = await engine.sources.settings.run(path, limit: .seconds(rules.downloadTimeout)) { _ in
                files.read(path)
            }
            switch read {
            case .success(let data?):
                return .fetched(FetchedSource(data: data, head: SourceHead(), checked: date))
            case .success(nil): return .failed(.unreachable("the file can't be read: \(path)", kind: .io))
            case .failure(let failure): return .failed(RequestFailure(failure, of: path, prefix: ""))
            }
        case .url(let url):
            var open: TransportRequest
            do throws(RequestFailure) {
                open = try request(for: url, limit: Self.byteLimit)
            } catch {
                return .failed(error)
            }
            // The operator has named the address, but not where it redirects.
            (open.addressPolicy, open.maximumRedirects) = (.any, 0)
            let result = await RemoteSource.load(open, with: engine.origins.transport)
            return outcome(of: result.mapError { RequestFailure($0) }, from: .http(url), date)
        }
    }

    /// Downloads a source that is no file, any status.
    ///
    /// `headers` are sent beside those of the rules. `time` is the time for it, if that is less than the rules'. If it
    /// `stopsAtVideo`, the body of a video is not read, unless it is short.
    func download(
        _ source: ImageSource, passing passed: PassedHeaders, headers: [(name: String, value: String)],
        limit: Int, within time: Duration? = nil, stopsAtVideo: Bool = false
    ) async -> Result<RemoteSource.Response, RequestFailure> {
        do throws(RequestFailure) {
            return try await download(source, passed, headers, limit, time, stopsAtVideo)
        } catch {
            return .failure(error)
        }
    }

    private func download(
        _ source: ImageSource, _ passed: PassedHeaders, _ headers: [(name: String, value: String)],
        _ limit: Int, _ time: Duration?, _ stopsAtVideo: Bool
    ) async throws(RequestFailure) -> Result<RemoteSource.Response, RequestFailure> {
        switch source {
        case .local: throw .internalError("a file can't be downloaded")
        case .http(let url):
            var request = try request(for: url, limit: limit)
            var passed = passed
            passed.replace(in: &request.headers)
            request.headers += headers
            if let time { request.timeouts.total = min(request.timeouts.total, time) }
            return await engine.origins.response(
                to: request, for: source, passing: passed, stopsAtVideo: stopsAtVideo)
        case .object(let object):
            guard let store = rules.stores[object.scheme] else {
                throw .unreachable("\(object.scheme.rawValue) sources are off: set \(object.scheme.setting)")
            }
            let start = ContinuousClock.now
            return await store.response(
                for: object, adding: headers, by: engine.origins.transport, now: engine.now
            ) { [self] url, authorization, isFirst in
                do throws(RequestFailure) {
                    var request = try request(for: url, limit: limit)
                    request.headers += authorization + headers
                    // The operator has named the address. A redirect is the response: no other host gets a credential.
                    (request.addressPolicy, request.maximumRedirects) = (.any, 1)
                    store.limit(&request.timeouts)
                    if let time { request.timeouts.total = min(request.timeouts.total, time) }
                    if !isFirst {
                        request.timeouts.total = max(
                            .milliseconds(10), request.timeouts.total - (ContinuousClock.now - start))
                    }
                    return await engine.origins.response(
                        to: request, for: source, stopsAtVideo: stopsAtVideo)
                } catch {
                    return .failure(error)
                }
            }
        }
    }

    /// A request of the rules for `url`.
    func request(for url: String, limit: Int) throws(RequestFailure) -> TransportRequest {
        var request: TransportRequest
        do throws(TransportError) {
            request = try TransportRequest(address: url)
        } catch {
            throw RequestFailure(error)
        }
        request.headers = [("User-Agent", rules.userAgent), ("Accept", "*/*")]
        request.maximumBodyBytes = limit
        request.maximumRedirects = rules.maxRedirects
        request.connectionsPerHost = rules.connectionsPerHost
        request.addressPolicy = rules.addressPolicy
        request.verifiesServer = rules.verifiesServers
        let timeout = Duration.seconds(rules.downloadTimeout)
        request.timeouts = TransportTimeouts(
            queue: timeout, connect: timeout, firstByte: timeout, stall: timeout, total: timeout)
        return request
    }

    func byteLimit(_ maxBytes: Int?) -> Int {
        let limit = maxBytes ?? rules.maxFileSize
        return limit > 0 ? limit : Self.byteLimit
    }

    private func remote(
        _ source: ImageSource, _ passed: PassedHeaders, _ conditions: SourceConditions, _ limit: Int,
        _ frame: VideoFrameChoice?, _ deadline: ContinuousClock.Instant
    ) async -> SourceOutcome {
        let date = engine.now()
        let result = await download(
            source, passing: passed, headers: conditions.headers, limit: limit, stopsAtVideo: frame != nil)
        if let frame {
            let video = RemoteVideoSource(
                source: source, passed: passed, frame: frame, limit: limit, date: date, deadline: deadline)
            if let outcome = await self.outcome(of: video, after: result) { return outcome }
        }
        return outcome(of: result, from: source, date, isConditional: conditions != .none)
    }

    private func outcome(
        of result: Result<RemoteSource.Response, RequestFailure>, from source: ImageSource, _ date: Date,
        isConditional: Bool = false
    ) -> SourceOutcome {
        switch result {
        case .failure(let failure): return .failed(failure)
        case .success(let response):
            switch response.status {
            case 200, 203:
                return .fetched(
                    FetchedSource(data: response.result.body, head: response.head, checked: date))
            case 304 where isConditional: return .notModified(response.head, checked: date)
            default: return .failed(RequestFailure(response, from: source))
            }
        }
    }

    /// The head of a local source as it is now: one look at the file.
    func head(ofLocal path: String) async -> Result<SourceHead, RequestFailure> {
        guard let root = rules.localRoot else { return .failure(.localSourcesAreOff) }
        let files = engine.files
        let limit = Duration.seconds(rules.downloadTimeout)
        let look = await engine.sources.local.run(path, limit: limit) { _ in
            Result { () throws(RequestFailure) in try files.open(path, root).head }
        }
        switch look {
        case .success(let result): return result
        case .failure(let failure): return .failure(RequestFailure(failure, of: path, prefix: "local://"))
        }
    }

    private func local(
        _ path: String, _ conditions: SourceConditions, _ limit: Int, _ frame: VideoFrameChoice?,
        _ deadline: ContinuousClock.Instant
    ) async -> SourceOutcome {
        guard let root = rules.localRoot else {
            return .failed(.localSourcesAreOff)
        }
        let (files, now) = (engine.files, engine.now)
        let span = Trace.start("file")
        defer { span?.end() }
        let read = await engine.sources.local.run(path, limit: .seconds(rules.downloadTimeout)) { isWanted in
            let date = now()
            do throws(RequestFailure) {
                let file = try files.open(path, root)
                if conditions.match(file.head) {
                    return LocalRead.outcome(.notModified(file.head, checked: date))
                }
                // The calls that a file system has held up return all at once.
                guard isWanted.isSet else { throw .cancelled }
                if frame != nil, file.isVideo { return .video(file, date) }
                return .outcome(
                    .fetched(FetchedSource(data: try file.data(limit: limit), head: file.head, checked: date))
                )
            } catch {
                return .outcome(.failed(error))
            }
        }
        switch read {
        case .success(.outcome(let outcome)): return outcome
        case .success(.video(let file, let date)):
            guard let frame else { return .failed(.internalError("no frame was chosen")) }
            return await outcome(of: frame, in: file, date, deadline)
        case .failure(let failure): return .failed(RequestFailure(failure, of: path, prefix: "local://"))
        }
    }

    private enum LocalRead: Sendable {
        case outcome(SourceOutcome)
        case video(LocalSource, Date)
    }
}

extension RequestFailure {
    static let localSourcesAreOff = unreachable("local sources are off: set the local root")

    /// A host that has not responded since.
    static func unresponsive(_ origin: String, since: ContinuousClock.Instant) -> Self {
        let seconds = Int((ContinuousClock.now - since).seconds)
        return RequestFailure(
            status: 503, text: "Source does not respond", kind: .timeout,
            reason: "\(origin) has not responded for \(seconds) s: check whether it hangs", isOfDownload: true
        ).passing()
    }

    /// A file of the local root, or one that settings name, that was given up.
    fileprivate init(_ failure: FileCalls.Failure, of path: String, prefix: String) {
        let reason: String
        let status: Int
        switch failure {
        case .cancelled:
            self = .cancelled
            return
        case .timedOut: (status, reason) = (504, "\(prefix)\(path) has not responded in time")
        case .unresponsive(let level, let since):
            let seconds = Int((ContinuousClock.now - since).seconds)
            (status, reason) = (
                503,
                "\(prefix)\(level) has not responded for \(seconds) s: check whether its file system hangs"
            )
        case .noThread(let folders):
            let names = folders.map { prefix + $0 }.joined(separator: " and ")
            (status, reason) = (
                503,
                "no thread is left for \(prefix)\(path), as calls for files in \(names) have not returned: "
                    + "check whether a file system hangs there"
            )
        }
        self.init(
            status: status, text: "Local source does not respond", kind: .timeout, reason: reason,
            isOfDownload: true)
        isPassing = true
    }
}
