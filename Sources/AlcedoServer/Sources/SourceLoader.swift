import Alcedo
import Foundation

/// Loads sources.
struct SourceLoader: Sendable {
    let rules: SourceRules
    let engine: ServerEngine

    /// The largest source that is read into memory if no limit is set: 256 MiB.
    private static let byteLimit = 256 << 20

    /// Loads a source; what equal requests do at the same time, happens once.
    func load(
        _ source: ImageSource, conditions: SourceConditions, maxBytes: Int?,
        until deadline: ContinuousClock.Instant
    ) async -> SourceOutcome {
        let limit = byteLimit(maxBytes)
        switch source {
        case .local(let path): return await engine.blocking { local(path, conditions, limit) }
        case .http(let url):
            let key = [
                url, conditions.etags ?? "", conditions.date ?? "", "\(limit)", "\(rules.addressPolicy)",
            ].joined(separator: "\n")
            let end = await engine.downloads.outcome(forKey: key, until: deadline) {
                await remote(url, conditions, limit)
            }
            switch end {
            case .finished(let outcome): return outcome
            case .timedOut: return .failed(.timedOut)
            case .cancelled: return .failed(.cancelled)
            }
        }
    }

    /// Loads an image that settings name.
    func load(_ image: FixedImage) async -> SourceOutcome {
        switch image {
        case .data(let data): return .fetched(FetchedSource(data: data, head: SourceHead()))
        case .path(let path):
            return await engine.blocking {
                guard let data = try? Data(contentsOf: URL(filePath: path)) else {
                    return .failed(.unreachable("the file can't be read: \(path)", kind: .io))
                }
                return .fetched(FetchedSource(data: data, head: SourceHead()))
            }
        case .url(let url):
            var open = self.request(for: url, limit: Self.byteLimit)
            // The operator has named the address, but not where it redirects.
            (open.addressPolicy, open.maximumRedirects) = (.any, 0)
            return outcome(of: await RemoteSource.load(open, with: engine.transport), url: url)
        }
    }

    /// A request of the rules for `url`.
    func request(for url: String, limit: Int) -> TransportRequest {
        TransportRequest(url: url) { request in
            request.headers = [("User-Agent", rules.userAgent), ("Accept", "*/*")]
            request.maximumBodyBytes = limit
            request.maximumRedirects = rules.maxRedirects
            request.connectionsPerHost = rules.connectionsPerHost
            request.addressPolicy = rules.addressPolicy
            let timeout = rules.downloadTimeout
            request.timeouts = TransportTimeouts(
                queue: timeout, connect: timeout, firstByte: timeout, stall: timeout, total: timeout)
        }
    }

    func byteLimit(_ maxBytes: Int?) -> Int {
        let limit = maxBytes ?? rules.maxFileSize
        return limit > 0 ? limit : Self.byteLimit
    }

    private func remote(_ url: String, _ conditions: SourceConditions, _ limit: Int) async
        -> SourceOutcome
    {
        var request = request(for: url, limit: limit)
        request.headers += conditions.headers
        let result = await RemoteSource.load(request, with: engine.transport)
        return outcome(of: result, url: url, isConditional: conditions != .none)
    }

    private func outcome(
        of result: Result<RemoteSource.Response, TransportError>, url: String, isConditional: Bool = false
    ) -> SourceOutcome {
        switch result {
        case .failure(let error): return .failed(AnswerFailure(error))
        case .success(let response):
            switch response.status {
            case 200, 203:
                return .fetched(FetchedSource(data: response.result.body, head: response.head))
            case 304 where isConditional: return .notModified(response.head)
            default: return .failed(AnswerFailure(response, from: url))
            }
        }
    }

    private func local(_ path: String, _ conditions: SourceConditions, _ limit: Int) -> SourceOutcome {
        do throws(AnswerFailure) {
            guard let root = rules.localRoot else {
                throw .unreachable("local sources are off: set the local root")
            }
            let file = try LocalSource(path, below: root)
            if conditions.match(file.head) { return .notModified(file.head) }
            return .fetched(FetchedSource(data: try file.data(limit: limit), head: file.head))
        } catch {
            return .failed(error)
        }
    }
}
