import AlcedoLocks
import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import Alcedo
@testable import EngineFixtures

/// Responds to URLs of the host `stub.invalid`, as tests of apps do.
private final class StubProtocol: URLProtocol {
    static let requests = Recorder<URLRequest>()
    static let stops = CallCounter()

    override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "stub.invalid" }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func stopLoading() { Self.stops.increment() }

    override func startLoading() {
        Self.requests.append(request)
        guard let url = request.url, let png = try? Sample.png(5, 2) else { return }
        switch url.path {
        case "/offline":
            client?.urlProtocol(self, didFailWithError: URLError(.notConnectedToInternet))
        case "/moved":
            let target = URL(string: url.query ?? "") ?? url
            client?.urlProtocol(
                self, wasRedirectedTo: URLRequest(url: target), redirectResponse: response(302, to: url))
            // As many do, whose transfer is over by that.
            client?.urlProtocol(self, didFailWithError: CocoaError(.userCancelled))
        case "/hang":
            break
        default:
            client?.urlProtocol(
                self, didReceive: response(url.path == "/404" ? 404 : 200, to: url),
                cacheStoragePolicy: .notAllowed)
            client?.urlProtocol(self, didLoad: Data(png.prefix(20)))
            client?.urlProtocol(self, didLoad: Data(png.dropFirst(20)))
            client?.urlProtocolDidFinishLoading(self)
        }
    }

    private func response(_ status: Int, to url: URL) -> URLResponse {
        HTTPURLResponse(
            url: url, statusCode: status, httpVersion: nil, headerFields: ["Content-Type": "image/png"])
            ?? URLResponse(url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `Classes of a configuration's protocols` {
    let loading: Loading
    var downloader: ImageDownloader { loading.downloader }

    init() throws {
        loading = try Loading()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-One": "1"]
        configuration.protocolClasses = [StubProtocol.self]
        loading.downloader.sessionConfiguration = configuration
    }

    private func width(_ address: String, _ options: KingfisherOptionsInfo = []) async throws -> CGFloat {
        let url = try #require(URL(string: address))
        return try await downloader.downloadImage(with: url, options: options).image.size.width
    }

    private func code(_ address: String) async -> URLError.Code? {
        let error = await kingfisherError { try await width(address) }
        guard case .responseError(reason: .URLSessionError(let cause)) = error else { return nil }
        return (cause as? URLError)?.code
    }

    @Test
    func `protocol classes load the requests that they accept, with the session's headers`() async throws {
        #expect(try await width("https://stub.invalid/headers") == 5)
        let request = StubProtocol.requests.values.last { $0.url?.path == "/headers" }
        #expect(request?.value(forHTTPHeaderField: "X-One") == "1")
    }

    @Test func `protocol classes leave other requests to the transport`() async throws {
        loading.server.serve("/a", try Sample.png(2, 2))
        #expect(try await width(loading.server.address("/a")) == 2)
    }

    @Test func `protocol classes report a status and an error as a server does`() async throws {
        let error = await kingfisherError { try await width("https://stub.invalid/404") }
        guard case .responseError(reason: .invalidHTTPStatusCode(let response)) = error else {
            Issue.record("not \(String(describing: error))")
            return
        }
        #expect(response.statusCode == 404)
        #expect(await code("https://stub.invalid/offline") == .notConnectedToInternet)
    }

    @Test func `protocol classes redirect to themselves and to a server`() async throws {
        loading.server.serve("/a", try Sample.png(2, 2))
        #expect(try await width("https://stub.invalid/moved?https://stub.invalid/b") == 5)
        #expect(try await width("http://stub.invalid/moved?\(loading.server.address("/a"))") == 2)
        #expect(
            await code("https://stub.invalid/moved?\(loading.server.address("/a"))") != nil, "a downgrade")
        let error = await kingfisherError {
            try await width("https://stub.invalid/moved?https://stub.invalid/moved")
        }
        guard case .responseError(reason: .URLSessionError(let cause)) = error,
            case .tooManyRedirects? = cause.transportError
        else {
            Issue.record("not \(String(describing: error))")
            return
        }
    }

    @Test func `protocol classes redirect to another origin without credentials`() async throws {
        loading.server.serve("/a", try Sample.png(2, 2))
        let signing = AnyModifier { request in
            var request = request
            request.setValue("Bearer geheim", forHTTPHeaderField: "Authorization")
            return request
        }
        let address = "http://stub.invalid/moved?\(loading.server.address("/a"))"
        #expect(try await width(address, [.requestModifier(signing)]) == 2)
        #expect(loading.server.requests().last?.header("Authorization") == nil)
    }

    @Test func `protocol classes are stopped when the load is cancelled`() async throws {
        let url = try #require(URL(string: "https://stub.invalid/hang"))
        let (done, stops) = (Recorder<KingfisherError?>(), StubProtocol.stops.value)
        let task = downloader.downloadImage(with: url, options: [.callbackQueue(.untouch)]) {
            done.append($0.error)
        }
        await StubProtocol.requests.wait { $0.contains { $0.url?.path == "/hang" } }
        task.cancel()
        #expect(await done.waitFor(count: 1).first??.isTaskCancelled == true)
        await StubProtocol.stops.waitFor(stops + 1)
    }
}

struct `Settings without an effect` {
    private func names(_ change: (URLSessionConfiguration) -> Void) -> [String] {
        let configuration = URLSessionConfiguration.ephemeral
        change(configuration)
        return configuration.ignoredSettings.compactMap {
            guard case .ignoredSetting(let name, _) = $0 else { return nil }
            return name.replacingOccurrences(of: "URLSessionConfiguration.", with: "")
        }
    }

    @Test func `the configurations of Foundation have no settings without an effect`() {
        #expect(URLSessionConfiguration.ephemeral.ignoredSettings.isEmpty)
        #expect(URLSessionConfiguration.default.ignoredSettings.isEmpty)
    }

    @Test func `a configuration's settings without an effect are named`() {
        #expect(names { $0.identifier = "a" } == ["identifier"])
        #expect(names { $0.networkServiceType = .video } == ["networkServiceType"])
        #expect(names { $0.allowsCellularAccess = false } == ["allowsCellularAccess"])
        #expect(names { $0.isDiscretionary = true } == ["isDiscretionary"])
        #expect(
            names { $0.connectionProxyDictionary = ["ProxyAutoConfigEnable": 1] } == [
                "connectionProxyDictionary.ProxyAutoConfigEnable"
            ])
        let own = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: "/")
        #expect(names { $0.urlCache = own } == ["urlCache"])
        #expect(names { $0.urlCache = nil }.isEmpty)
    }

    @Test func `cache policies that need stored responses have no effect without an HTTP cache`() {
        for policy in [
            URLRequest.CachePolicy.returnCacheDataElseLoad, .returnCacheDataDontLoad,
            .reloadRevalidatingCacheData,
        ] {
            #expect(names { $0.requestCachePolicy = policy } == ["requestCachePolicy"])
            let cache = HTTPCache(memoryCapacity: 1, diskCapacity: 0)
            #expect(names { ($0.requestCachePolicy, $0.urlCache) = (policy, cache) }.isEmpty)
        }
        #expect(names { $0.requestCachePolicy = .reloadIgnoringLocalCacheData }.isEmpty)
    }

    @Test func `a request's settings without an effect are found`() throws {
        var request = URLRequest(url: URL(fileURLWithPath: "/"))
        #expect(request.ignoredSettings.isEmpty)
        request.httpBodyStream = InputStream(data: Data([1]))
        request.networkServiceType = .video
        request.allowsCellularAccess = false
        request.mainDocumentURL = request.url
        let names = request.ignoredSettings.compactMap {
            if case .ignoredSetting(let name, _) = $0 { name } else { nil }
        }
        #expect(
            names == [
                "URLRequest.httpBodyStream", "URLRequest.networkServiceType",
                "URLRequest.allowsCellularAccess", "URLRequest.mainDocumentURL",
            ])
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `A request that handles no cookies` {
    @Test func `a request that handles no cookies sends none, and is not coalesced with one that does`()
        async throws
    {
        let loading = try Loading()
        let (configuration, server) = (URLSessionConfiguration.ephemeral, loading.server)
        let cookie = try #require(
            HTTPCookie(properties: [.name: "mine", .value: "1", .domain: "127.0.0.1", .path: "/"]))
        configuration.httpCookieStorage?.setCookie(cookie)
        loading.downloader.sessionConfiguration = configuration
        let gate = Gate()
        server.serve("/a", Reply(body: try Sample.png(2, 2)).hold(.head, until: gate))
        let plain = AnyModifier { request in
            var request = request
            request.httpShouldHandleCookies = false
            return request
        }
        let done = CallCounter()
        for options in [[], [.requestModifier(plain)]] as [KingfisherOptionsInfo] {
            loading.downloader.downloadImage(
                with: server.url("/a"), options: options + [.callbackQueue(.untouch)]
            ) { _ in done.increment() }
        }
        await gate.waitForArrivals(2)
        gate.open()
        await done.waitFor(2)
        let sent = server.requests().map { $0.header("Cookie") }
        #expect(sent.count == 2 && sent.contains("mine=1") && sent.contains(nil))
    }
}
