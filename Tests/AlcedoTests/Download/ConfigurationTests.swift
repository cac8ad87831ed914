import Alcedo
import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A session configuration` {
    let loading: Loading
    let configuration = URLSessionConfiguration.ephemeral
    var server: LoopbackServer { loading.server }

    init() throws {
        loading = try Loading()
        server.serve("/a", try Sample.png(2, 2))
    }

    private func download(_ path: String = "/a") async throws {
        _ = try await loading.downloader.downloadImage(with: server.url(path))
    }

    @Test func `a downloader under publicOnly connects to no private address`() async throws {
        loading.downloader.addressPolicy = .publicOnly
        let error = await kingfisherError { try await download() }
        guard case .responseError(reason: .URLSessionError(let cause)) = error else {
            Issue.record("not \(String(describing: error))")
            return
        }
        let refusal = TransportError.addressRejected("127.0.0.1", url: server.address("/a"))
        #expect(cause.transportError == refusal)
        #expect(server.traffic.connectionsAccepted == 0)
    }

    @Test func `a session configuration's additional headers are sent`() async throws {
        configuration.httpAdditionalHeaders = ["X-One": "1", "User-Agent": "mine"]
        loading.downloader.sessionConfiguration = configuration
        try await download()
        let request = try #require(server.requests().first)
        #expect(request.header("X-One") == "1")
        #expect(request.header("User-Agent") == "mine")
    }

    @Test func `a session configuration limits the wait for a request`() async throws {
        configuration.timeoutIntervalForRequest = 0.05
        loading.downloader.sessionConfiguration = configuration
        server.serve("/slow", Reply(body: try Sample.png(2, 2)).hold(.head, until: Gate()))
        let error = await kingfisherError { try await download("/slow") }
        guard case .responseError(reason: .URLSessionError(let cause)) = error,
            case .timedOut(let phase, seconds: 0.05, _)? = cause.transportError
        else {
            Issue.record("not \(String(describing: error))")
            return
        }
        // It limits each of the waits, and on a busy machine connecting may be the one that lasts.
        #expect(phase == .firstByte || phase == .connect)
    }

    @Test func `a session configuration limits the time for a resource`() async throws {
        configuration.timeoutIntervalForResource = 0.05
        loading.downloader.sessionConfiguration = configuration
        server.serve("/slow", Reply(body: try Sample.png(2, 2)).hold(.body, until: Gate()))
        let error = await kingfisherError { try await download("/slow") }
        guard case .responseError(reason: .URLSessionError(let cause)) = error,
            case .timedOut(.total, seconds: 0.05, _)? = cause.transportError
        else {
            Issue.record("not \(String(describing: error))")
            return
        }
    }

    @Test func `a downloader keeps cookies that a server sets, and sends them again`() async throws {
        server.serve(
            "/set", Reply(body: try Sample.png(2, 2)).header("Set-Cookie", "flavour=plain; Path=/"))
        try await download("/set")
        try await download()
        #expect(server.requests().last?.header("Cookie") == "flavour=plain")
        let stored = loading.downloader.sessionConfiguration.httpCookieStorage?.cookies ?? []
        #expect(stored.map(\.name) == ["flavour"])
    }

    @Test func `a session configuration's cookies are sent until the program deletes them`() async throws {
        let storage = try #require(configuration.httpCookieStorage)
        let cookie = try #require(
            HTTPCookie(properties: [.name: "mine", .value: "1", .domain: "127.0.0.1", .path: "/"]))
        storage.setCookie(cookie)
        loading.downloader.sessionConfiguration = configuration
        try await download()
        #expect(server.requests().last?.header("Cookie") == "mine=1")
        storage.deleteCookie(cookie)
        try await download()
        #expect(server.requests().last?.header("Cookie") == nil)
    }

    @Test func `a downloader forgets a cookie that the server takes back`() async throws {
        server.serve(
            "/set", Reply(body: try Sample.png(2, 2)).header("Set-Cookie", "flavour=plain; Path=/"),
            Reply(body: try Sample.png(2, 2)).header("Set-Cookie", "flavour=; Path=/; Max-Age=0"))
        try await download("/set")
        try await download("/set")
        try await download()
        #expect(server.requests().last?.header("Cookie") == nil)
        #expect(loading.downloader.sessionConfiguration.httpCookieStorage?.cookies?.isEmpty == true)
    }

    @Test func `a session configuration that wants no cookies keeps and sends none`() async throws {
        configuration.httpShouldSetCookies = false
        loading.downloader.sessionConfiguration = configuration
        server.serve("/set", Reply(body: try Sample.png(2, 2)).header("Set-Cookie", "flavour=plain"))
        try await download("/set")
        try await download()
        #expect(server.requests().map { $0.header("Cookie") } == [nil, nil])
        let storage = try #require(loading.downloader.sessionConfiguration.httpCookieStorage)
        #expect(storage.cookies?.map(\.name) == [])
    }

    @Test func `requests go through the proxy that a session configuration names`() async throws {
        configuration.connectionProxyDictionary = [
            "HTTPEnable": true, "HTTPProxy": "127.0.0.1", "HTTPPort": server.port,
        ]
        loading.downloader.sessionConfiguration = configuration
        server.route("http://elsewhere.invalid/a") { _ in Reply(status: 500, body: []) }
        let url = try #require(URL(string: "http://elsewhere.invalid/a"))
        _ = try? await loading.downloader.downloadImage(with: url)
        #expect(server.requests().last?.header("Host") == "elsewhere.invalid")
    }

    @Test func `a session configuration limits the connections to a host`() async throws {
        configuration.httpMaximumConnectionsPerHost = 2
        loading.downloader.sessionConfiguration = configuration
        let gate = Gate()
        let done = CallCounter()
        for index in 0..<4 {
            server.serve("/\(index)", Reply(body: try Sample.png(2, 2)).hold(.head, until: gate))
            loading.downloader.downloadImage(
                with: server.url("/\(index)"), options: [.callbackQueue(.untouch)]
            ) { _ in done.increment() }
        }
        await gate.waitForArrivals(2)
        #expect(server.requestCount() == 2)
        gate.open()
        await done.waitFor(4)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `A download's metrics` {
    let loading: Loading

    init() throws { loading = try Loading() }

    @Test func `a download's metrics tell of each request`() async throws {
        let body = try Sample.png(4, 4)
        loading.server.serve("/from", Reply.redirect(to: "/to"))
        loading.server.serve("/to", body)
        let result = try await loading.downloader.downloadImage(with: loading.server.url("/from"))
        let metrics = try #require(result.metrics)
        #expect(metrics.redirectCount == 1)
        #expect(metrics.httpStatusCode == 200)
        #expect(metrics.responseBodyBytesReceived == Int64(body.count))
        #expect(metrics.totalRequestDuration > 0)
        let raw = metrics.rawMetrics
        #expect(raw.redirectCount == 1)
        #expect(raw.taskInterval.duration == metrics.totalRequestDuration)
        #expect(raw.transactionMetrics.map(\.statusCode) == [302, 200])
        let last = try #require(raw.transactionMetrics.last)
        #expect(last.request.url == loading.server.url("/to"))
        #expect(last.networkProtocolName == "http/1.1")
        #expect(last.remotePort == Int(loading.server.port))
        #expect(last.isReusedConnection)
        let start = try #require(last.requestStartDate)
        let end = try #require(last.responseEndDate)
        #expect(start <= end)
        #expect(last.countOfResponseBodyBytesReceived == Int64(body.count))
    }

    @Test func `a download's metrics say how many bytes of a request's body were sent`() async throws {
        loading.server.serve("/a", try Sample.png(4, 4))
        let modifier = AnyModifier { request in
            var request = request
            request.httpMethod = "POST"
            request.httpBody = Data("hello".utf8)
            return request
        }
        let result = try await loading.downloader.downloadImage(
            with: loading.server.url("/a"), options: [.requestModifier(modifier)])
        #expect(result.metrics?.requestBodyBytesSent == 5)
    }
}
