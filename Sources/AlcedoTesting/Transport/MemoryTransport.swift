public import Alcedo
import AlcedoWaiting
public import Foundation

/// A transport that responds from memory, as a test has scripted, and records the requests.
///
/// Use it in a downloader: `ImageDownloader(name: "test", transport: transport)`. It follows no redirects and demands no
/// credentials. A URL without a script fails with `TransportError.invalidURL`.
public final class MemoryTransport: Transport {
    private struct Scripts {
        var byURL: [URL: [ScriptedResponse]] = [:]

        /// The next response to `url`; the last one stays.
        mutating func next(for url: URL) -> ScriptedResponse? {
            guard let script = byURL[url], let response = script.first else { return nil }
            if script.count > 1 { byURL[url] = Array(script.dropFirst()) }
            return response
        }
    }

    private let scripts = Monitor(Scripts())

    /// The requests that were started, in order.
    public let requests = Recorder<TransportRequest>()

    /// The URLs of the transfers that were cancelled before their end.
    public let cancellations = Recorder<URL>()

    public init() {}

    /// Scripts the responses to `url`: the first request gets the first one, and so on; the last one repeats.
    ///
    /// Replaces the earlier script of the URL. Applies to requests that start later.
    public func respond(to url: URL, with responses: ScriptedResponse...) {
        scripts.update { $0.byURL[url.absoluteURL] = responses }
    }

    @discardableResult
    public func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask {
        let response =
            scripts.update { $0.next(for: request.url.absoluteURL) }
            ?? .failure(
                .invalidURL(
                    request.url.absoluteString,
                    reason: "the memory transport has no response; call respond(to:with:)"))
        requests.append(request)
        return MemoryTransfer(request, response, handler: handler, cancellations: cancellations)
    }
}
