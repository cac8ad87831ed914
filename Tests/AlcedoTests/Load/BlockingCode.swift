import AlcedoTestSupport
import AlcedoTransport
import Foundation
import FoundationNetworking

@testable import Alcedo

/// A gate that tells which threads it has blocked.
struct NamedGate: Sendable {
    let gate = Gate()
    let threads = Recorder<String>()

    func wait() {
        threads.append(Thread.current.name ?? "")
        gate.wait()
    }
}

/// Code of the program that blocks its thread at a gate.
struct Blocking: Sendable {
    let gate = NamedGate()
    let image: Data

    struct Provider: ImageDataProvider {
        let cacheKey: String
        let blocking: Blocking

        func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
            blocking.gate.wait()
            handler(.success(blocking.image))
        }
    }

    struct AsyncProvider: ImageDataProvider {
        let cacheKey: String
        let blocking: Blocking

        func data() async throws -> Data {
            await Task.yield()
            blocking.gate.wait()
            return blocking.image
        }
    }

    struct Modifier: ImageDownloadRequestModifier {
        let gate: NamedGate

        func modified(for request: URLRequest) -> URLRequest? {
            gate.wait()
            return request
        }
    }

    struct AsyncModifier: AsyncImageDownloadRequestModifier {
        let gate: NamedGate

        func modified(for request: URLRequest) async -> URLRequest? {
            gate.wait()
            return request
        }
    }

    struct Strategy: RetryStrategy {
        let gate: NamedGate

        func retry(context: RetryContext, retryHandler: @escaping @Sendable (RetryDecision) -> Void) {
            gate.wait()
            retryHandler(.stop)
        }
    }

    struct Store: SharedImageStore {
        let gate: NamedGate

        func value(forKey key: String) async throws -> Data? {
            gate.wait()
            return nil
        }

        func set(_ value: Data, forKey key: String, expiringAfter seconds: Int) async throws {}
        func add(_ value: Data, forKey key: String, expiringAfter seconds: Int) async throws -> Bool { true }
        func delete(_ key: String) async throws {}
    }

    final class Delegate: ImageDownloaderDelegate, AuthenticationChallengeResponsible, Sendable {
        let start: NamedGate?
        let response: NamedGate?
        let body: NamedGate?
        let challenge: NamedGate?

        init(
            start: NamedGate? = nil, response: NamedGate? = nil, body: NamedGate? = nil,
            challenge: NamedGate? = nil
        ) {
            (self.start, self.response, self.body, self.challenge) = (start, response, body, challenge)
        }

        func imageDownloader(
            _ downloader: ImageDownloader, willDownloadImageForURL url: URL, with request: URLRequest?
        ) { start?.wait() }

        func imageDownloader(
            _ downloader: ImageDownloader, didReceive response: URLResponse
        ) async -> URLSession.ResponseDisposition {
            self.response?.wait()
            return .allow
        }

        func imageDownloader(_ downloader: ImageDownloader, didDownload data: Data, for url: URL) -> Data? {
            body?.wait()
            return data
        }

        func downloader(
            _ downloader: ImageDownloader, task: URLSessionTask,
            didReceive challenge: URLAuthenticationChallenge
        ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
            self.challenge?.wait()
            return (.performDefaultHandling, nil)
        }
    }
}
