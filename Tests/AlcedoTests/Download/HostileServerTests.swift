import Alcedo
import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@testable import EngineFixtures

/// What servers do that is no image, as a program sees it.
@Suite(.timeLimit(.minutes(10)))
struct `Responses that are no image` {
    let loading: Loading
    var server: LoopbackServer { loading.server }

    init() throws { loading = try Loading() }

    /// Loads `/a`, which must fail and leave nothing behind.
    private func failure() async throws -> KingfisherError? {
        let url = server.url("/a")
        let error = await kingfisherError {
            try await loading.manager.retrieveImage(
                with: url, options: [.waitForCache, .cacheOriginalImage])
        }
        #expect(!loading.cache.isCached(forKey: url.cacheKey))
        #expect(try await loading.cache.diskStorageSize == 0)
        return error
    }

    private func transportError() async throws -> TransportError? {
        guard case .responseError(reason: .URLSessionError(let error)) = try await failure() else {
            return nil
        }
        return error.transportError
    }

    @Test(arguments: [
        Reply(body: Array("<!DOCTYPE html><p>Sign in</p>".utf8), contentType: "image/png"),
        Reply(body: [], contentType: "image/png"), Reply.status(204), Reply.redirect(to: ""),
    ])
    func `responses that are no image are an error and never cached`(reply: Reply) async throws {
        server.serve("/a", reply)
        #expect(try await failure()?.errorCode == 4001)
    }

    @Test(arguments: [304, 401, 407])
    func `a 304, 401 or 407 is an error with the status, and nothing is cached`(status: Int) async throws {
        server.serve("/a", .status(status, headers: [("WWW-Authenticate", "Basic realm=\"x\"")]))
        #expect(try await failure()?.isInvalidResponseStatusCode(status) == true)
        #expect(server.requestCount() == 1)
    }

    @Test func `a partial response that nobody asked for is an error`() async throws {
        let whole = try Sample.png(4, 4)
        server.serve(
            "/a",
            Reply(
                status: 206, body: whole,
                headers: [("Content-Range", "bytes 0-\(whole.count - 1)/\(whole.count)")]))
        guard case .malformedResponse = try await transportError() else {
            Issue.record("accepted")
            return
        }
    }

    @Test func `an image of unannounced length is cut short if the connection ends early`() async throws {
        let whole = try Sample.jpeg(64, 64)
        server.serve("/a", Reply(body: Array(whole.dropLast(whole.count / 3))).withoutLength())
        let error = try await failure()
        #expect(error?.description.contains("cut short") == true)
    }

    @Test func `a body shorter than announced is an incomplete body`() async throws {
        server.serve("/a", Reply(body: try Sample.png(40, 40)).cut(after: 20))
        guard case .incompleteBody(received: 20, _, _) = try await transportError() else {
            Issue.record("not incomplete")
            return
        }
        #expect(server.requestCount() == 1)
    }

    @Test func `a response whose chunks stop is asked for once more`() async throws {
        server.serve("/a", Reply(body: try Sample.png(40, 40)).chunked(10).cut(after: 20))
        guard case .incompleteBody(received: 20, expected: nil, _) = try await transportError() else {
            Issue.record("not incomplete")
            return
        }
        #expect(server.requestCount() == 2)
    }

    @Test func `an image is loaded though the first response's connection breaks`() async throws {
        let whole = try Sample.png(40, 40)
        server.serve("/a", Reply(body: whole).chunked(10).cut(after: 20, .reset), Reply(body: whole))
        let result = try await loading.manager.retrieveImage(with: server.url("/a"))
        #expect(result.image.size.width == 40)
        #expect(result.data() == Data(whole))
    }

    @Test func `no file is loaded where only public addresses may be`() async throws {
        let file = loading.folder.file("secret.png")
        try Data(try Sample.png(4, 4)).write(to: file)
        _ = try await loading.manager.retrieveImage(with: file, options: [.forceRefresh, .cacheMemoryOnly])
        loading.cache.clearMemoryCache()
        loading.downloader.addressPolicy = .publicOnly
        let error = await kingfisherError { try await loading.manager.retrieveImage(with: file) }
        guard case .responseError(reason: .URLSessionError(let cause)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause.transportError == .addressRejected("file:", url: file.absoluteString))
    }
}
