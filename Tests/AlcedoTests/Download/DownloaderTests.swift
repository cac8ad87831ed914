import Alcedo
import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `Downloading` {
    let loading: Loading
    var server: LoopbackServer { loading.server }
    var downloader: ImageDownloader { loading.downloader }

    init() throws { loading = try Loading() }

    @Test func `a download brings an image with its bytes and metrics`() async throws {
        let bytes = try Sample.png(30, 20)
        server.serve("/a.png", bytes)
        let result = try await downloader.downloadImage(with: server.url("/a.png"))
        #expect(result.image.size == CGSize(width: 30, height: 20))
        #expect(result.originalData == Data(bytes))
        #expect(result.url == server.url("/a.png"))
        #expect(result.metrics?.httpStatusCode == 200)
        #expect(result.metrics?.redirectCount == 0)
        #expect((result.metrics?.responseBodyBytesReceived ?? 0) >= Int64(bytes.count))
    }

    @Test func `two callers of one URL share a transfer and get their own processor's image`() async throws {
        let gate = Gate()
        server.serve("/a.png", Reply(body: try Sample.png(40, 40)).hold(.body, until: gate))
        let outcomes = Recorder<CGSize?>()
        let url = server.url("/a.png")
        let processors: [any ImageProcessor] = [
            DefaultImageProcessor.default,
            ResizingImageProcessor(referenceSize: CGSize(width: 10, height: 10)),
        ]
        for processor in processors {
            downloader.downloadImage(with: url, options: [.processor(processor), .callbackQueue(.untouch)]) {
                outcomes.append(try? $0.get().image.size)
            }
        }
        gate.open()
        let sizes = await outcomes.waitFor(count: 2).compactMap { $0?.width }.sorted()
        #expect(sizes == [10, 40])
        #expect(server.requestCount() == 1)
    }

    @Test func `one processor is run once for all callers who want it`() async throws {
        let gate = Gate()
        server.serve("/a.png", Reply(body: try Sample.png(4, 4)).hold(.body, until: gate))
        let processor = CountingProcessor()
        let outcomes = Recorder<Bool>()
        for _ in 0..<5 {
            downloader.downloadImage(
                with: server.url("/a.png"), options: [.processor(processor), .callbackQueue(.untouch)]
            ) { outcomes.append((try? $0.get()) != nil) }
        }
        gate.open()
        #expect(await outcomes.waitFor(count: 5) == Array(repeating: true, count: 5))
        #expect(processor.runs.value == 1)
    }

    @Test func `cancelling one of two callers leaves the other's download running`() async throws {
        let gate = Gate()
        server.serve("/a.png", Reply(body: try Sample.png(4, 4)).hold(.body, until: gate))
        let first = Recorder<KingfisherError?>()
        let second = Recorder<Bool>()
        let url = server.url("/a.png")
        let task = downloader.downloadImage(with: url, options: [.callbackQueue(.untouch)]) {
            first.append($0.error)
        }
        downloader.downloadImage(with: url, options: [.callbackQueue(.untouch)]) {
            second.append($0.error == nil)
        }
        await server.waitForRequests(1)
        task.cancel()
        #expect(await first.waitFor(count: 1).first??.isTaskCancelled == true)
        gate.open()
        #expect(await second.waitFor(count: 1) == [true])
        #expect(server.requestCount() == 1)
    }

    @Test func `the last caller to leave ends the transfer`() async throws {
        let gate = Gate()
        server.serve("/a.png", Reply(body: try Sample.png(4, 4)).hold(.body, until: gate))
        let outcome = Recorder<KingfisherError?>()
        let task = downloader.downloadImage(
            with: server.url("/a.png"), options: [.callbackQueue(.untouch)]
        ) { outcome.append($0.error) }
        await server.waitForRequests(1)
        task.cancel()
        #expect(await outcome.waitFor(count: 1).first??.errorCode == 1003)
        await server.waitForAbandonedReplies(1)
        #expect(outcome.count == 1)
    }

    @Test func `a download that is over does not complete a new one`() async throws {
        server.serve("/a.png", try Sample.png(4, 4))
        for _ in 0..<2 { _ = try await downloader.downloadImage(with: server.url("/a.png")) }
        #expect(server.requestCount() == 2)
    }

    @Test(arguments: [404, 500, 304])
    func `a status that brings no image is an error with the status`(_ status: Int) async throws {
        server.serve("/a", Reply.status(status))
        let error = await kingfisherError { try await downloader.downloadImage(with: server.url("/a")) }
        #expect(error?.isInvalidResponseStatusCode(status) == true)
        #expect(error?.description.contains("\(status)") == true)
        #expect(error?.description.contains(server.address("/a")) == true)
    }

    @Test func `an HTML page instead of an image is an error that says so`() async throws {
        server.serve("/a", Array("<!DOCTYPE html><p>Sign in</p>".utf8), contentType: "text/html")
        let error = await kingfisherError { try await downloader.downloadImage(with: server.url("/a")) }
        #expect(error?.errorCode == 4001)
        #expect(error?.description.contains("not an image") == true)
    }

    @Test func `a truncated image is an error that says so`() async throws {
        let bytes = try Sample.jpeg(64, 64)
        server.serve("/a", Array(bytes.dropLast(bytes.count / 3)))
        let error = await kingfisherError { try await downloader.downloadImage(with: server.url("/a")) }
        #expect(error?.errorCode == 4001)
        #expect(error?.description.contains("cut short") == true)
    }

    @Test func `a body shorter than announced is a transfer error`() async throws {
        server.serve("/a", Reply(body: try Sample.png(40, 40)).cut(after: 20))
        let error = await kingfisherError { try await downloader.downloadImage(with: server.url("/a")) }
        #expect(error?.errorCode == 2003)
    }

    @Test func `a request modifier that returns no request fails the download`() async throws {
        server.serve("/a", try Sample.png(4, 4))
        let error = await kingfisherError {
            try await downloader.downloadImage(
                with: server.url("/a"), options: [.requestModifier(AnyModifier { _ in nil })])
        }
        #expect(error?.errorCode == 1001)
        #expect(server.requestCount() == 0)
    }

    @Test func `a request modifier's headers are sent`() async throws {
        server.serve("/a.png", try Sample.png(4, 4))
        let modifier = AnyModifier { request in
            var request = request
            request.setValue("secret", forHTTPHeaderField: "X-Token")
            return request
        }
        _ = try await downloader.downloadImage(
            with: server.url("/a.png"), options: [.requestModifier(modifier)])
        #expect(server.requests().first?.header("X-Token") == "secret")
    }

    @Test func `a redirect handler may send the request elsewhere`() async throws {
        server.serve("/a", Reply.redirect(to: "/b"))
        server.serve("/b", Reply.status(404))
        server.serve("/c", try Sample.png(9, 4))
        let target = server.url("/c")
        let handler = AnyRedirectHandler { _, response, request, decide in
            #expect(response.statusCode == 302)
            #expect(request.url?.path == "/b")
            decide(URLRequest(url: target))
        }
        let result = try await downloader.downloadImage(
            with: server.url("/a"), options: [.redirectHandler(handler)])
        #expect(result.image.size.width == 9)
        #expect(server.requestCount(path: "/b") == 0)
    }

    @Test func `a download's progress is told with the known length and ends with it`() async throws {
        let bytes = try Sample.png(200, 200)
        server.serve("/a.png", Reply(body: bytes))
        let reports = Recorder<(Int64, Int64)>()
        _ = try await downloader.downloadImage(
            with: server.url("/a.png"), progressBlock: { reports.append(($0, $1)) })
        let total = Int64(bytes.count)
        // The first report may be of a part of the bytes.
        #expect(await reports.wait { $0.last?.0 == total })
        #expect(reports.values.map { $0.1 }.filter { $0 != total } == [])
    }

    @Test func `cancelling the calling task ends the transfer`() async throws {
        let gate = Gate()
        server.serve("/a.png", Reply(body: try Sample.png(4, 4)).hold(.head, until: gate))
        let task = Task { [downloader, server] in
            try await downloader.downloadImage(with: server.url("/a.png"))
        }
        await server.waitForRequests(1)
        task.cancel()
        // The server may have heard of the request before the task has.
        let code = await kingfisherError { try await task.value }?.errorCode
        #expect([1003, 1005].contains(code))
        await server.waitForAbandonedReplies(1)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `A downloader's delegate` {
    let loading: Loading

    init() throws { loading = try Loading() }

    @Test
    func `a downloader's delegate is asked about response and data, and told of the rest`() async throws {
        let delegate = Delegate()
        loading.downloader.delegate = delegate
        loading.server.serve("/a.png", try Sample.png(4, 4))
        _ = try await loading.downloader.downloadImage(with: loading.server.url("/a.png"))
        #expect(delegate.events.values == ["will", "response 200", "data", "finish", "image"])
    }

    @Test func `a downloader's delegate may reject a response before its body`() async throws {
        let delegate = Delegate(refuses: true)
        loading.downloader.delegate = delegate
        loading.server.serve("/a.png", try Sample.png(4, 4))
        let error = await kingfisherError {
            try await loading.downloader.downloadImage(with: loading.server.url("/a.png"))
        }
        #expect(error?.errorCode == 2006)
    }

    private final class Delegate: ImageDownloaderDelegate, Sendable {
        let events = Recorder<String>()
        let refuses: Bool

        init(refuses: Bool = false) { self.refuses = refuses }

        func imageDownloader(
            _ downloader: ImageDownloader, willDownloadImageForURL url: URL, with request: URLRequest?
        ) { events.append("will") }

        func imageDownloader(
            _ downloader: ImageDownloader,
            didFinishDownloadingImageForURL url: URL,
            with response: URLResponse?,
            error: (any Error)?
        ) { events.append("finish") }

        func imageDownloader(_ downloader: ImageDownloader, didDownload data: Data, for url: URL) -> Data? {
            events.append("data")
            return data
        }

        func imageDownloader(
            _ downloader: ImageDownloader,
            didDownload image: KFCrossPlatformImage,
            for url: URL,
            with response: URLResponse?
        ) { events.append("image") }

        func imageDownloader(
            _ downloader: ImageDownloader, didReceive response: URLResponse
        ) async -> URLSession.ResponseDisposition {
            events.append("response \((response as? HTTPURLResponse)?.statusCode ?? 0)")
            return refuses ? .cancel : .allow
        }
    }
}
