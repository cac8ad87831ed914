import AlcedoTestSupport
import AlcedoTransport
import Foundation
import FoundationNetworking
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `Failures that are remembered` {
    let loading: Loading
    let time = ManualTime()
    var downloader: ImageDownloader { loading.downloader }
    var server: LoopbackServer { loading.server }
    var url: URL { server.url("/a") }

    init() throws {
        loading = try Loading()
        downloader.clock = time.clock
        downloader.failureMemory = FailureMemory(duration: .seconds(60))
    }

    private func error(_ options: KingfisherOptionsInfo = [], _ url: URL? = nil) async -> KingfisherError? {
        await kingfisherError {
            try await loading.manager.retrieveImage(with: url ?? self.url, options: options)
        }
    }

    @Test(arguments: [404, 410])
    func `remembered failures fail later loads without a request`(status: Int) async throws {
        server.serve("/a", .status(status))
        #expect(await error()?.rememberedFailure == nil)
        let before = Date()
        for _ in 0..<3 {
            let error = try #require(await error())
            let failure = try #require(error.rememberedFailure)
            #expect(failure.status == status)
            #expect(failure.date <= before && failure.expiration == failure.date.addingTimeInterval(60))
            #expect(error.isInvalidResponseStatusCode(status) && error.isInvalidResponseStatusCode)
            #expect(!error.isInvalidResponseStatusCode(status + 1))
            for part in ["status \(status)", failure.expiration.formatted(.iso8601), url.absoluteString] {
                #expect(error.description.contains(part))
            }
        }
        #expect(server.requestCount() == 1)
        #expect(downloader.rememberedFailure(of: url)?.status == status)
    }

    @Test(arguments: [401, 407])
    func `a status that asks for a credential is not remembered as a failure`(status: Int) async throws {
        downloader.failureMemory = FailureMemory(statusCodes: [401, 407])
        server.serve("/a", .status(status))
        for _ in 0..<2 { #expect(await error()?.rememberedFailure == nil) }
        #expect(server.requestCount() == 2)
    }

    @Test func `bodies that are no image are remembered as failures, too`() async throws {
        let bodies: [[UInt8]] = [Array("<html>".utf8), [], try Sample.png(40, 40).dropLast(30)]
        for (index, body) in bodies.enumerated() {
            server.serve("/\(index)", body)
            let url = server.url("/\(index)")
            #expect(await error([], url)?.errorCode == 4001)
            #expect(await error([], url)?.rememberedFailure?.status == .some(nil))
            #expect(server.requestCount(path: "/\(index)") == 1)
        }
    }

    @Test func `failures that a second request may not repeat are not remembered`() async throws {
        server.serve("/a", .status(503), .status(403), .nothing())
        for _ in 0..<4 { #expect(await error()?.rememberedFailure == nil) }
        server.serve("/good", try Sample.png(20, 20))
        let url = server.url("/good")
        var limits = DecodeLimits()
        limits.pixelsPerFrame = 10
        #expect(await error([.decodeLimits(limits)], url)?.errorCode == 4001)
        #expect(await error([.processor(RefusingProcessor())], url)?.errorCode == 4001)
        #expect(downloader.rememberedFailure(of: url) == nil)
    }

    @Test func `remembered failures expire`() async throws {
        server.serve("/a", .status(404), Reply(body: try Sample.png(2, 2)))
        #expect(await error() != nil)
        time.advance(by: .milliseconds(59_999))
        #expect(await error()?.rememberedFailure != nil)
        time.advance(by: .milliseconds(1))
        #expect(await error() == nil)
    }

    @Test func `remembered failures do not stop a forced refresh, whose success clears them`() async throws {
        server.serve("/a", .status(404), Reply(body: try Sample.png(2, 2)), .status(500))
        #expect(await error() != nil)
        #expect(await error([.forceRefresh]) == nil)
        #expect(downloader.rememberedFailure(of: url) == nil)
        try await loading.cache.removeImage(forKey: url.cacheKey)
        #expect(await error()?.isInvalidResponseStatusCode(500) == true)
    }

    @Test func `remembered failures are forgotten on demand`() async {
        for name in ["/a", "/b"] { #expect(await error([], server.url(name)) != nil) }
        downloader.forgetFailure(of: url)
        #expect(downloader.rememberedFailure(of: url) == nil)
        #expect(downloader.rememberedFailure(of: server.url("/b")) != nil)
        downloader.forgetFailures()
        #expect(downloader.rememberedFailure(of: server.url("/b")) == nil)
        #expect(await error()?.rememberedFailure == nil)
        downloader.failureMemory = nil
        #expect(await error()?.rememberedFailure == nil)
        #expect(server.requestCount(path: "/a") == 3)
    }

    @Test func `remembered failures are not retried, and alternatives are tried`() async throws {
        server.serve("/b", try Sample.png(2, 2))
        let strategy = AskingStrategy()
        for _ in 0..<2 {
            let result = try await loading.manager.retrieveImage(
                with: url,
                options: [
                    .retryStrategy(strategy), .alternativeSources([.network(server.url("/b"))]),
                    .cacheMemoryOnly,
                ])
            #expect(result.source.url == server.url("/b"))
            loading.cache.clearMemoryCache()
        }
        #expect(strategy.questions.count == 0)
        #expect(server.requestCount(path: "/a") == 1)
    }

    @Test func `remembered failures are limited in number, and the oldest go first`() async {
        downloader.failureMemory = FailureMemory(duration: .seconds(60), countLimit: 3)
        for name in ["/1", "/2", "/3", "/4", "/4"] {
            _ = await error([], server.url(name))
            time.advance(by: .seconds(1))
        }
        let known = ["/1", "/2", "/3", "/4"].filter {
            downloader.rememberedFailure(of: server.url($0)) != nil
        }
        #expect(known == ["/2", "/3", "/4"])
    }

    @Test(arguments: [Duration.seconds(-1), .zero, .seconds(Int64.min), .seconds(Int64.max)])
    func `failures are remembered for any duration above zero, and for no other`(duration: Duration) async {
        downloader.failureMemory = FailureMemory(duration: duration)
        #expect(await error() != nil)
        #expect((await error()?.rememberedFailure != nil) == (duration > .zero))
    }

    @Test func `no failures are remembered by default`() async {
        #expect(ImageDownloader(name: "plain").failureMemory == nil)
        downloader.failureMemory = nil
        for _ in 0..<2 { #expect(await error()?.rememberedFailure == nil) }
        #expect(server.requestCount() == 2)
    }
}
