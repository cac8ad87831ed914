import Alcedo
import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `Cancelling a load` {
    let loading: Loading
    var server: LoopbackServer { loading.server }
    var manager: KingfisherManager { loading.manager }

    init() throws { loading = try Loading() }

    @Test func `cancelling an awaited load reaches its second attempt`() async throws {
        let gate = Gate()
        server.serve(
            "/a.png", Reply.status(503), Reply(body: try Sample.png(4, 4)).hold(.head, until: gate))
        let retry = DelayRetryStrategy(maxRetryCount: 1, retryInterval: .seconds(0))
        let task = Task { [manager, server] in
            try await manager.retrieveImage(with: server.url("/a.png"), options: [.retryStrategy(retry)])
        }
        await server.waitForRequests(2)
        task.cancel()
        // The server may have heard of the second attempt before the task has.
        let code = await kingfisherError { try await task.value }?.errorCode
        #expect([1003, 1005].contains(code))
        await server.waitForAbandonedReplies(1)
    }

    @Test func `cancelling a load ends it at once while a retry strategy makes up its mind`() async throws {
        server.serve("/a.png", Reply.status(503))
        let strategy = AskingStrategy()
        let outcome = Recorder<KingfisherError?>()
        let task = manager.retrieveImage(
            with: server.url("/a.png"), options: [.retryStrategy(strategy)]
        ) { outcome.append($0.error) }
        let answer = await strategy.questions.waitFor(count: 1)[0]
        task?.cancel()
        #expect(outcome.values.first??.isTaskCancelled == true)
        answer(.retry(userInfo: nil))
        answer(.stop)
        #expect(outcome.count == 1)
        #expect(server.requestCount() == 1)
    }

    @Test func `a queue of the program's that drops its operations ends a load as cancelled`() async throws {
        let file = loading.folder.url.appending(path: "a.png")
        try Data(Sample.png(4, 4)).write(to: file)
        server.serve("/a.png", Reply(body: try Sample.png(4, 4)))
        let sources: [Source] = [
            .provider(LocalFileImageDataProvider(fileURL: file)), .network(server.url("/a.png")),
        ]
        for source in sources {
            let queue = DroppingQueue()
            let error = await kingfisherError {
                try await manager.retrieveImage(
                    with: source, options: [.processingQueue(.operationQueue(queue))])
            }
            // A provider's cancellation, an asynchronous task's, a download's.
            #expect([1003, 1005, 1006].contains(error?.errorCode))
            #expect(queue.dropped.value == 1)
        }
    }

    @Test func `a retry strategy that decides twice is heard once`() async throws {
        server.serve("/a.png", Reply.status(503))
        let strategy = AskingStrategy()
        let outcome = Recorder<KingfisherError?>()
        manager.retrieveImage(
            with: server.url("/a.png"), options: [.retryStrategy(strategy)]
        ) { outcome.append($0.error) }
        let answer = await strategy.questions.waitFor(count: 1)[0]
        answer(.stop)
        answer(.stop)
        _ = await outcome.waitFor(count: 1)
        #expect(outcome.count == 1)
    }

    @Test func `a load can be cancelled while an asynchronous request modifier works`() async throws {
        let modifier = SlowModifier()
        let outcome = Recorder<KingfisherError?>()
        let task = loading.downloader.downloadImage(
            with: server.url("/a.png"),
            options: [.requestModifier(modifier), .callbackQueue(.untouch)]
        ) { outcome.append($0.error) }
        await modifier.gate.waitForArrivals(1)
        task.cancel()
        #expect(outcome.values.first??.errorCode == 1005)
        modifier.gate.open()
        await modifier.finished.waitFor(1)
        #expect(outcome.count == 1)
        #expect(server.requestCount() == 0)
    }

    private struct SlowModifier: AsyncImageDownloadRequestModifier {
        let gate = Gate()
        let finished = CallCounter()

        func modified(for request: URLRequest) async -> URLRequest? {
            await gate.pass()
            _ = finished.increment()
            return request
        }
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `A load's sources` {
    let loading: Loading
    var server: LoopbackServer { loading.server }

    init() throws { loading = try Loading() }

    @Test func `a cached alternative is returned when nothing may be loaded`() async throws {
        server.serve("/small.png", try Sample.png(4, 4))
        let small = server.url("/small.png")
        _ = try await loading.manager.retrieveImage(with: small)
        let result = try await loading.manager.retrieveImage(
            with: server.url("/large.png"),
            options: [.onlyFromCache, .alternativeSources([.network(small)])]
        )
        #expect(result.source.url == small)
        #expect(result.cacheType == .memory)
        #expect(server.requestCount() == 1)
    }

    @Test func `a downloader's subclass is asked by the manager and by an awaited download`() async throws {
        let downloader = CannedDownloader(Image(bitmap: try Sample.bitmap(6, 4)))
        let manager = KingfisherManager(downloader: downloader, cache: loading.cache)
        let url = server.url("/a.png")
        let loaded = try await manager.retrieveImage(with: url)
        let downloaded = try await downloader.downloadImage(with: url, options: nil, progressBlock: nil)
        #expect(loaded.image.size.width == 6)
        #expect(downloaded.image.size.width == 6)
        #expect(downloader.asked.values == [url, url])
        downloader.cancelAll()
    }

    @Test func `trust in a host does not follow a redirect to another`() async throws {
        let transport = ScriptedTransport()
        let downloader = ImageDownloader(name: "scripted", transport: transport)
        downloader.trustedHosts = ["dev.local"]
        let url = try #require(URL(string: "https://dev.local/a.png"))
        downloader.downloadImage(with: url, options: nil) { _ in }
        let (request, handler) = await transport.started.waitFor(count: 1)[0]
        #expect(!request.verifiesServer)
        var next = request
        next.url = try #require(URL(string: "https://cdn.example.org/a.png"))
        let decided = Recorder<Bool?>()
        handler.transfer(
            willRedirect: TransportResponse(url: request.url, status: 302), to: next
        ) { decided.append($0?.verifiesServer) }
        #expect(decided.values == [true])
        handler.transferDidFinish(.failure(.cancelled))
    }

    @Test func `a transfer's error has URLSession's code and a sentence`() async throws {
        server.serve("/a.png", Reply(body: try Sample.png(40, 40)).cut(after: 20))
        let error = await kingfisherError {
            try await loading.downloader.downloadImage(with: server.url("/a.png"))
        }
        guard case .responseError(reason: .URLSessionError(let cause)) = error else {
            Issue.record("\(String(describing: error)) is no transfer error")
            return
        }
        #expect((cause as NSError).code == NSURLErrorNetworkConnectionLost)
        #expect(cause.localizedDescription.contains("/a.png"))
    }
}

/// An operation queue whose operations never run.
private final class DroppingQueue: CallbackOperationQueue {
    let dropped = CallCounter()
    var underlyingQueue: DispatchQueue? { nil }

    func addOperation(_ block: @escaping @Sendable () -> Void) { dropped.increment() }
}
