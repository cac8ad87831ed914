import Alcedo
import AlcedoLocks
import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A session delegate of one's own` {
    let loading: Loading
    let delegate = Watching()
    var server: LoopbackServer { loading.server }

    init() throws {
        loading = try Loading()
        loading.downloader.sessionDelegate = delegate
    }

    @Test func `a session delegate sees response, data and the end`() async throws {
        let body = try Sample.png(4, 4)
        server.serve("/a.png", body)
        _ = try await loading.downloader.downloadImage(with: server.url("/a.png"))
        #expect(delegate.events.values == ["response 200", "data \(body.count)", "end"])
    }

    @Test func `a session delegate may reject a response`() async throws {
        delegate.disposition.withLock { $0 = .cancel }
        server.serve("/a.png", try Sample.png(4, 4))
        let error = await kingfisherError {
            try await loading.downloader.downloadImage(with: server.url("/a.png"))
        }
        #expect(error?.errorCode == 2006)
        #expect(delegate.events.values == ["response 200", "end with an error"])
    }

    @Test func `a session delegate may accept a status that a downloader would not`() async throws {
        delegate.disposition.withLock { $0 = .allow }
        server.serve("/a.png", Reply(status: 404, body: try Sample.png(4, 4)))
        _ = try await loading.downloader.downloadImage(with: server.url("/a.png"))
    }

    @Test func `a session delegate that calls super leaves the status to the downloader`() async throws {
        server.serve("/a.png", Reply.status(404))
        let error = await kingfisherError {
            try await loading.downloader.downloadImage(with: server.url("/a.png"))
        }
        #expect(error?.isInvalidResponseStatusCode(404) == true)
    }

    @Test func `a session delegate decides on redirects`() async throws {
        server.serve("/from", Reply.redirect(to: "/nowhere"))
        server.serve("/to", try Sample.png(4, 4))
        delegate.target.withLock { [server] in $0 = server.url("/to") }
        _ = try await loading.downloader.downloadImage(with: server.url("/from"))
        #expect(server.requestCount(path: "/nowhere") == 0)
    }

    @Test func `a new session delegate ends the downloads that are running`() async throws {
        server.serve("/a.png", Reply(body: try Sample.png(4, 4)).hold(.body, until: Gate()))
        let ended = Recorder<KingfisherError?>()
        loading.downloader.downloadImage(
            with: server.url("/a.png"), options: [.callbackQueue(.untouch)]
        ) { ended.append($0.error) }
        await server.waitForRequests(1)
        loading.downloader.sessionDelegate = SessionDelegate()
        #expect(await ended.waitFor(count: 1).first??.isTaskCancelled == true)
    }

    /// Notes what it is told; does what it is told to.
    ///
    /// Safe because its constants lock themselves.
    final class Watching: SessionDelegate, @unchecked Sendable {
        let events = Recorder<String>()
        let disposition = Lock<URLSession.ResponseDisposition?>(nil)
        let target = Lock<URL?>(nil)

        override func urlSession(
            _ session: URLSession,
            dataTask: URLSessionDataTask,
            didReceive response: URLResponse
        ) async -> URLSession.ResponseDisposition {
            events.append("response \((response as? HTTPURLResponse)?.statusCode ?? 0)")
            if let disposition = disposition.withLock({ $0 }) { return disposition }
            return await super.urlSession(session, dataTask: dataTask, didReceive: response)
        }

        override func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
        ) {
            events.append("data \(data.count)")
            #expect(dataTask.countOfBytesReceived == Int64(data.count))
        }

        override func urlSession(
            _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
        ) {
            events.append(error == nil ? "end" : "end with an error")
        }

        override func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest
        ) async -> URLRequest? {
            #expect(response.statusCode == 302)
            return target.withLock { $0 }.map { URLRequest(url: $0) } ?? request
        }
    }
}
