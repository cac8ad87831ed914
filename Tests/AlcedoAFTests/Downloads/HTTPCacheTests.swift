import AlcedoAF
import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import Alcedo

@Suite(.timeLimit(.minutes(10)))
struct `Cached responses` {
    let server: LoopbackServer
    let folder: TemporaryDirectory
    let cache: HTTPCache

    init() throws {
        server = try LoopbackServer()
        folder = try TemporaryDirectory()
        cache = HTTPCache(
            memoryCapacity: 1 << 20, diskCapacity: 1 << 24, directory: folder.url, timeout: .seconds(1000))
    }

    private func downloader(_ cache: HTTPCache? = nil) -> AlcedoAF.ImageDownloader {
        let configuration = AFLoading.configuration
        configuration.urlCache = cache ?? self.cache
        return AlcedoAF.ImageDownloader(configuration: configuration, imageCache: nil)
    }

    private func serve(_ headers: (String, String)..., status: Int = 200, width: Int = 3) throws {
        server.serve(
            "/a",
            Reply(status: status, body: try Picture.png(width, 2), contentType: "image/png", headers: headers)
        )
    }

    private func request(_ path: String) -> URLRequest {
        URLRequest(url: server.url(path), timeoutInterval: 600)
    }

    private func load(
        _ downloader: AlcedoAF.ImageDownloader, _ change: (inout URLRequest) -> Void = { _ in }
    ) async -> AFIDataResponse<Image> {
        var request = request("/a")
        change(&request)
        return await downloader.response(to: request)
    }

    @Test func `cached responses are used for as long as they are fresh`() async throws {
        try serve(("Cache-Control", "max-age=3600"), ("Set-Cookie", "a=b"))
        let downloader = downloader()
        let first = await load(downloader)
        let second = await load(downloader)
        #expect(server.requestCount() == 1)
        #expect(second.value?.pixelSize == first.value?.pixelSize)
        #expect(second.data == first.data)
        #expect(second.response?.statusCode == 200)
        #expect(second.response?.value(forHTTPHeaderField: "Age") != nil)
        #expect(second.response?.value(forHTTPHeaderField: "Set-Cookie") == nil)
    }

    @Test
    func `cached responses can be looked up by any number at once, while others are written`() async throws {
        let body = try Picture.png(3, 2)
        let paths = (0..<600).map { "/\($0)" }
        for path in paths {
            let headers = [("Cache-Control", "max-age=3600")]
            server.serve(path, Reply(body: body, contentType: "image/png", headers: headers))
        }
        let configuration = AFLoading.configuration
        configuration.urlCache = cache
        let downloader = AlcedoAF.ImageDownloader(
            configuration: configuration, maximumActiveDownloads: paths.count, imageCache: nil)
        let errors = Recorder<AFIError?>()
        for path in paths { downloader.download(request(path)) { errors.append($0.error) } }
        let failures = await errors.waitFor(count: paths.count).compactMap(\.self)
        #expect(failures.isEmpty, "\(failures)")
    }

    @Test(arguments: [
        ("if-none-match", "ETag", "\"1\""),
        ("if-modified-since", "Last-Modified", "Tue, 14 Nov 2023 22:13:20 GMT"),
    ])
    func `cached responses are revalidated by their tag or date when they are not fresh`(
        condition: String, field: String, value: String
    ) async throws {
        let png = try Picture.png(3, 2)
        server.route("/a") { request in
            request.header(condition) == value
                ? .status(304, headers: [(field, value), ("X-New", "yes")])
                : Reply(
                    body: png, contentType: "image/png",
                    headers: [(field, value), ("Cache-Control", "no-cache")])
        }
        let downloader = downloader()
        for _ in 0..<3 { #expect(await load(downloader).value?.pixelSize.width == 3) }
        #expect(server.requests().map { $0.header(condition) } == [nil, value, value])
        let response = await load(downloader)
        #expect(response.response?.statusCode == 200)
        #expect(response.response?.value(forHTTPHeaderField: "X-New") == "yes")
    }

    @Test func `cached responses are replaced by new ones`() async throws {
        let (old, new) = (try Picture.png(3, 2), try Picture.png(5, 2))
        let first = Reply(body: old, contentType: "image/png", headers: [("ETag", "\"1\"")])
        server.serve(
            "/a", first,
            Reply(body: new, contentType: "image/png", headers: [("Cache-Control", "max-age=3600")])
        )
        let downloader = downloader()
        #expect(await load(downloader).value?.pixelSize.width == 3)
        #expect(await load(downloader).value?.pixelSize.width == 5)
        #expect(await load(downloader).value?.pixelSize.width == 5)
        #expect(server.requestCount() == 2)
    }

    @Test(arguments: [
        [("Cache-Control", "no-store")],
        [("Cache-Control", "max-age=3600"), ("Vary", "*")],
        [("Cache-Control", "max-age=0")],
        [("Expires", "0")],
        [("Cache-Control", "max-age=3600"), ("Age", "3600")],
        [],
    ])
    func `cached responses are not used where the server does not allow it`(headers: [(String, String)])
        async throws
    {
        server.serve("/a", Reply(body: try Picture.png(3, 2), contentType: "image/png", headers: headers))
        let downloader = downloader()
        for _ in 0..<2 { _ = await load(downloader) }
        #expect(server.requestCount() == 2)
    }

    @Test func `cached responses vary by the header fields that the server names`() async throws {
        try serve(("Cache-Control", "max-age=3600"), ("Vary", "Accept"))
        let downloader = downloader()
        for type in ["image/png", "image/png", "image/*", "image/*"] {
            #expect(await load(downloader) { $0.setValue(type, forHTTPHeaderField: "Accept") }.value != nil)
        }
        #expect(server.requestCount() == 2)
    }

    @Test func `cached responses honour the request's policy`() async throws {
        try serve(("Cache-Control", "max-age=0"))
        let downloader = downloader()
        let missing = await load(downloader) { $0.cachePolicy = .returnCacheDataDontLoad }
        #expect(missing.error?.isAlamofireError == true)
        #expect(server.requestCount() == 0)
        for policy in [
            URLRequest.CachePolicy.returnCacheDataElseLoad, .returnCacheDataElseLoad,
            .returnCacheDataDontLoad,
        ] {
            #expect(await load(downloader) { $0.cachePolicy = policy }.value?.pixelSize.width == 3)
        }
        #expect(server.requestCount() == 1)
        _ = await load(downloader) { $0.cachePolicy = .reloadIgnoringLocalCacheData }
        #expect(server.requestCount() == 2)
    }

    @Test func `cached responses do not exist without a cache`() async throws {
        try serve(("Cache-Control", "max-age=3600"))
        let downloader = AlcedoAF.ImageDownloader(configuration: AFLoading.configuration, imageCache: nil)
        for _ in 0..<2 { _ = await load(downloader) }
        #expect(server.requestCount() == 2)
        let only = await load(downloader) { $0.cachePolicy = .returnCacheDataDontLoad }
        #expect(only.error?.isAlamofireError == true)
        #expect(server.requestCount() == 2)
    }

    @Test func `cached responses serve Kingfisher's downloader where its requests allow that`() async throws {
        try serve(("Cache-Control", "max-age=3600"))
        let downloader = Alcedo.ImageDownloader(name: "test")
        downloader.downloadTimeout = 600
        let configuration = downloader.sessionConfiguration
        configuration.urlCache = cache
        downloader.sessionConfiguration = configuration
        for _ in 0..<2 { _ = try await downloader.downloadImage(with: server.url("/a")) }
        #expect(server.requestCount() == 2)
        let allowing = AnyModifier { request in
            var request = request
            request.cachePolicy = .useProtocolCachePolicy
            return request
        }
        let result = try await downloader.downloadImage(
            with: server.url("/a"), options: [.requestModifier(allowing)])
        #expect(result.image.pixelSize.width == 3)
        #expect(server.requestCount() == 2)
        downloader.addressPolicy = .publicOnly
        await #expect(throws: KingfisherError.self) {
            try await downloader.downloadImage(
                with: server.url("/a"), options: [.requestModifier(allowing)])
        }
    }

    @Test func `cached responses honour the cache control of a request`() async throws {
        try serve(("Cache-Control", "max-age=3600"))
        let downloader = downloader()
        _ = await load(downloader)
        _ = await load(downloader) { $0.setValue("no-cache", forHTTPHeaderField: "Cache-Control") }
        _ = await load(downloader) { $0.setValue("bytes=0-", forHTTPHeaderField: "Range") }
        #expect(server.requestCount() == 3)
    }

    @Test func `cached responses are removed when something is sent to their URL`() async throws {
        try serve(("Cache-Control", "max-age=3600"))
        let downloader = downloader()
        _ = await load(downloader)
        _ = await load(downloader) { $0.httpMethod = "POST" }
        _ = await load(downloader)
        #expect(server.requestCount() == 3)
    }

    @Test(
        arguments: ["Authorization", "Cookie", "Proxy-Authorization"],
        ["max-age=3600", "private, must-revalidate, max-age=3600"])
    func `cached responses of a user with a credential are for nobody else`(field: String, control: String)
        async throws
    {
        try serve(("Cache-Control", control))
        let downloader = downloader()
        for _ in 0..<2 { _ = await load(downloader) { $0.setValue("x", forHTTPHeaderField: field) } }
        #expect(server.requestCount() == 2)
    }

    @Test func `cached responses stay on disk`() async throws {
        try serve(("Cache-Control", "max-age=3600"))
        _ = await load(downloader())
        cache.responses.waitForDisk()
        let later = HTTPCache(
            memoryCapacity: 0, diskCapacity: 1 << 24, directory: folder.url, timeout: .seconds(1000))
        #expect(await load(downloader(later)).value?.pixelSize.width == 3)
        #expect(server.requestCount() == 1)
        later.removeAllCachedResponses()
        #expect(await load(downloader(later)).value?.pixelSize.width == 3)
        #expect(server.requestCount() == 2)
    }

    @Test func `cached responses that are damaged on disk are loaded again`() async throws {
        try serve(("Cache-Control", "max-age=3600"))
        _ = await load(downloader())
        cache.responses.waitForDisk()
        for file in try FileManager.default.contentsOfDirectory(
            at: folder.url, includingPropertiesForKeys: nil)
        where !file.lastPathComponent.hasPrefix(".") { try Data([0, 0, 9, 9, 1]).write(to: file) }
        let later = HTTPCache(
            memoryCapacity: 1 << 20, diskCapacity: 1 << 24, directory: folder.url, timeout: .seconds(1000))
        #expect(await load(downloader(later)).value?.pixelSize.width == 3)
        #expect(server.requestCount() == 2)
    }

    @Test func `cached responses can be cancelled while they are delivered`() async throws {
        try serve(("Cache-Control", "max-age=3600"))
        let downloader = downloader()
        _ = await load(downloader)
        let responses = AFRecorder()
        for _ in 0..<50 {
            let receipt = downloader.download(request("/a")) { responses.append($0) }
            if let receipt { downloader.cancelRequest(with: receipt) }
        }
        await responses.waitFor(count: 50)
        #expect(server.requestCount() == 1)
    }
}
