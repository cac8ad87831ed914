import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import Alcedo
@testable import EngineFixtures

/// Opens a gate when it is freed, with the transfer that has it.
private final class Witness: DataReceivingSideEffect {
    private let gate: Gate

    init(_ gate: Gate) { self.gate = gate }

    deinit { gate.open() }

    func download(_ task: SessionDataTask, didReceive data: Data) {}
}

@Suite(.timeLimit(.minutes(10)))
struct `A download that is over` {
    let caching: Caching
    let downloader: ImageDownloader
    var server: LoopbackServer { caching.server }

    init() throws {
        caching = try Caching()
        downloader = caching.downloader()
    }

    enum Ending: CaseIterable { case success, failure, cancelled }

    /// Loads, and waits until the transfer is freed; the task that the caller has may live on.
    private func load(
        _ url: URL, by downloader: ImageDownloader? = nil, policy: URLRequest.CachePolicy? = nil,
        cancelling: Bool = false
    ) async {
        let gate = Gate()
        var handle: DownloadTask?
        await withCheckedContinuation { continuation in
            var options = KingfisherParsedOptionsInfo(policy.map { [Caching.policy($0)] } ?? [])
            options.downloadContext.onDataReceived = [Witness(gate)]
            let task = (downloader ?? self.downloader).downloadImage(with: url, options: options) { _ in
                continuation.resume()
            }
            handle = task
            if cancelling { task.cancel() }
        }
        await gate.pass()
        withExtendedLifetime(handle) {}
        weak let transfer = handle?.sessionTask
        handle = nil
        // Whoever has called back lets go of it a moment later.
        while transfer != nil, !Task.isCancelled { await Task.yield() }
        #expect(transfer == nil)
    }

    @Test(arguments: Ending.allCases, [nil, URLRequest.CachePolicy.useProtocolCachePolicy])
    func `a download that is over is freed`(ending: Ending, policy: URLRequest.CachePolicy?) async throws {
        let gate = Gate()
        var reply = Reply(
            status: ending == .failure ? 404 : 200, body: try Sample.png(4, 4),
            headers: [("Cache-Control", "max-age=60")])
        if ending == .cancelled { reply = reply.hold(.body, until: gate) }
        server.serve("/a", reply)
        let plain = ImageDownloader(name: "plain")
        plain.downloadTimeout = 120
        await load(
            server.url("/a"), by: policy == nil ? plain : nil, policy: policy,
            cancelling: ending == .cancelled)
        gate.open()
    }

    @Test(arguments: [1 << 20, 0])
    func `a download that is over is freed though a kept response was used`(memoryCapacity: Int) async throws
    {
        let caching = try Caching(memoryCapacity: memoryCapacity)
        let headers = [("Cache-Control", "max-age=3600")]
        caching.server.serve("/a", Reply(body: try Sample.png(4, 4), headers: headers))
        let downloader = caching.downloader()
        #expect(await caching.width("/a", by: downloader) == 4)
        caching.cache.responses.waitForDisk()
        await load(caching.server.url("/a"), by: downloader, policy: .useProtocolCachePolicy)
        await load(
            caching.server.url("/a"), by: downloader, policy: .useProtocolCachePolicy, cancelling: true)
        #expect(caching.server.requestCount() == 1)
        await load(caching.server.url("/b"), by: downloader, policy: .returnCacheDataDontLoad)
    }

    @Test
    func `a download is freed though the server was asked whether a response is still good`() async throws {
        let image = try Sample.png(4, 4)
        let (tag, other) = ([("ETag", "\"1\"")], [("ETag", "\"2\"")])
        server.route("/a") { request in
            request.header("If-None-Match") == nil
                ? Reply(body: image, headers: tag) : .status(304, headers: tag)
        }
        server.route("/b") { request in
            request.header("If-None-Match") == nil
                ? Reply(body: image, headers: tag) : .status(304, headers: other)
        }
        for path in ["/a", "/a", "/b", "/b"] {
            await load(server.url(path), policy: .useProtocolCachePolicy)
        }
        #expect(server.requestCount() == 5)
    }

    @Test(arguments: Ending.allCases)
    func `a download that is over is freed though it needed no network`(ending: Ending) async throws {
        let file = caching.folder.url.appending(path: "a.png")
        try Data(try Sample.png(4, 4)).write(to: file)
        let missing = caching.folder.url.appending(path: "b.png")
        let data = try #require(
            URL(string: "data:image/png;base64," + Data(try Sample.png(4, 4)).base64EncodedString()))
        let broken = try #require(URL(string: "data:image/png;base64,AAAA"))
        for url in ending == .failure ? [missing, broken] : [file, data] {
            await load(url, cancelling: ending == .cancelled)
        }
    }

    @Test func `a manager's download that is over is freed too`() async throws {
        let loading = try Loading()
        loading.server.serve("/a", Reply(body: try Sample.png(4, 4)))
        loading.server.serve("/b", .status(404))
        for path in ["/a", "/b"] {
            let gate = Gate()
            await withCheckedContinuation { continuation in
                var context = LoadContext()
                context.download.onDataReceived = [Witness(gate)]
                _ = loading.manager.retrieveImage(
                    with: .network(loading.server.url(path)),
                    parsedOptions: KingfisherParsedOptionsInfo([.callbackQueue(.untouch)]), context: context
                ) { _ in
                    continuation.resume()
                }
            }
            await gate.pass()
        }
    }
}
