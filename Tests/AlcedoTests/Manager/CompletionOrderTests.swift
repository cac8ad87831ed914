import Alcedo
import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10))) struct `A completion` {
    let loading: Loading
    let cache: WatchedCache
    let manager: KingfisherManager
    /// What happened, in order.
    let events = Recorder<String>()
    var server: LoopbackServer { loading.server }

    init() throws {
        loading = try Loading()
        cache = WatchedCache(loading.cache)
        manager = KingfisherManager(downloader: loading.downloader, cache: cache)
        manager.defaultOptions = [.callbackQueue(.untouch)]
    }

    /// A transport that is done before its call returns.
    private final class ImmediateTransport: Transport {
        let body: Data

        init(_ body: Data) { self.body = body }

        func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask {
            let response = TransportResponse(url: request.url, status: 200)
            handler.transfer(didReceive: response) { _ in }
            handler.transferDidFinish(
                .success(TransferResult(response: response, body: body)))
            return ScriptedTransport.Task()
        }
    }

    private func immediate() throws -> ImageDownloader {
        ImageDownloader(name: "immediate", transport: ImmediateTransport(Data(try Sample.png(4, 4))))
    }

    private let inline: KingfisherOptionsInfo = [.callbackQueue(.operationQueue(InlineQueue()))]

    /// How a call ended in forty rounds, from the two events of each.
    ///
    /// What ends on the calling thread before the call has returned came inside of it, which may never be. What ends on
    /// another thread before the note of the return may have come after the call, too, as the calling thread may be preempted
    /// in between, often on a busy machine: it is too early if it does so each time.
    private func expectLate(_ call: (_ index: Int, _ end: @escaping @Sendable () -> Void) -> Void) async {
        var early = 0
        for index in 0..<40 {
            let (start, caller) = (events.count, pthread_self())
            call(index) { [events] in events.append(pthread_self() == caller ? "end on the caller" : "end") }
            events.append("return")
            let order = await events.waitFor(count: start + 2).suffix(2)
            #expect(order.first != "end on the caller")
            if order.first != "return" { early += 1 }
        }
        #expect(early < 40)
    }

    @Test
    func `a downloader's completion comes after the call, however soon the bytes are there`() async throws {
        let downloader = try immediate()
        await expectLate { index, end in
            downloader.downloadImage(with: server.url("/\(index)"), options: inline) { _ in end() }
        }
    }

    @Test(arguments: ["network", "provider", "uncached", "refused"])
    func `a manager's completion comes after the call, however soon the load is over`(kind: String)
        async throws
    {
        let manager = KingfisherManager(downloader: try immediate(), cache: cache)
        await expectLate { index, end in
            let source: Source =
                switch kind {
                case "provider": .provider(RawImageDataProvider(data: Data(), cacheKey: "\(index)"))
                default: .network(server.url("/\(index)"))
                }
            let options: KingfisherOptionsInfo =
                switch kind {
                case "refused": [.requestModifier(AnyModifier { _ in nil })]
                case "uncached": [.fromMemoryCacheOrRefresh, .onlyFromCache]
                default: []
                }
            let task = manager.retrieveImage(with: source, options: inline + options) { _ in end() }
            #expect(task != nil)
        }
    }

    @Test @MainActor
    func `a completion on the main thread comes after the call, five hundred times`() async throws {
        server.route("/") { _ in (try? Sample.png(2, 2)).map { Reply(body: $0) } ?? .status(500) }
        var early = 0
        let ended = CallCounter()
        for index in 0..<500 {
            let order = Recorder<String>()
            manager.retrieveImage(
                with: server.url("/?\(index)"), options: [.callbackQueue(.mainCurrentOrAsync)]
            ) { _ in
                order.append("end")
                ended.increment()
            }
            order.append("return")
            if order.values.first != "return" { early += 1 }
            if index % 50 == 49 { await ended.waitFor(index + 1) }
        }
        #expect(early == 0)
    }

    @Test func `a completion comes within the call if memory has the image, or the disk is read there`()
        async throws
    {
        server.serve("/a", try Sample.png(4, 4))
        let url = server.url("/a")
        _ = try await manager.retrieveImage(with: url, options: [.waitForCache])
        for options in [[], [.loadDiskFileSynchronously]] as [KingfisherOptionsInfo] {
            let before = events.count
            let task = manager.retrieveImage(with: url, options: options) { [events] _ in
                events.append("end")
            }
            #expect(events.count == before + 1 && task == nil)
            cache.clearMemoryCache()
        }
    }

    @Test func `a load of what the disk has returns a task before its completion`() async throws {
        server.serve("/a", try Sample.png(4, 4))
        let url = server.url("/a")
        _ = try await manager.retrieveImage(with: url, options: [.waitForCache])
        cache.clearMemoryCache()
        let types = Recorder<CacheType?>()
        let task = manager.retrieveImage(with: url) { types.append(try? $0.get().cacheType) }
        #expect(task != nil)
        #expect(await types.waitFor(count: 1) == [.disk])
    }

    @Test func `a load does not ask on the calling thread which cache has the image`() async throws {
        server.serve("/a", try Sample.png(4, 4))
        let url = server.url("/a")
        let blur = BlurImageProcessor(blurRadius: 2)
        _ = try await manager.retrieveImage(with: url, options: [.waitForCache])
        cache.clearMemoryCache()
        let types = Recorder<CacheType?>()
        manager.retrieveImage(with: url, options: [.processor(blur)]) {
            types.append(try? $0.get().cacheType)
        }
        #expect(await types.waitFor(count: 1) == [CacheType.none])
        #expect(cache.lookUps.value == 0 && server.requestCount() == 1)
    }

    @Test(arguments: [true, false])
    func `a completion comes after the notice that a download has started`(isAsync: Bool) async throws {
        let downloader = try immediate()
        let manager = KingfisherManager(downloader: downloader, cache: cache)
        let started: @Sendable (DownloadTask?) -> Void = { [events] _ in events.append("started") }
        let modifier: any AsyncImageDownloadRequestModifier =
            isAsync
            ? AsyncModifier(onDownloadTaskStarted: started) : SyncModifier(onDownloadTaskStarted: started)
        let options = inline + [.requestModifier(modifier)]
        for index in 0..<40 {
            let start = events.count
            let url = server.url("/\(index)")
            if index % 2 == 0 {
                downloader.downloadImage(with: url, options: options) { [events] _ in events.append("end") }
            } else {
                manager.retrieveImage(with: url, options: options) { [events] _ in events.append("end") }
            }
            #expect(await events.waitFor(count: start + 2).suffix(2) == ["started", "end"])
        }
    }

    @Test func `a completion that the notice of a download's start brings about comes after the notice`()
        async throws
    {
        server.serve("/a", try Sample.png(4, 4))
        let modifier = AsyncModifier { [events] task in
            task?.cancel()
            events.append("started")
        }
        loading.downloader.downloadImage(
            with: server.url("/a"), options: inline + [.requestModifier(modifier)]
        ) { [events] _ in events.append("end") }
        #expect(await events.waitFor(count: 2) == ["started", "end"])
    }

    @Test func `a completion comes after the notice of another task, even one that cancels the task`()
        async throws
    {
        server.serve("/a", Reply.status(503))
        let retry = DelayRetryStrategy(maxRetryCount: 1, retryInterval: .seconds(0))
        manager.retrieveImage(
            with: server.url("/a"), options: [.retryStrategy(retry)],
            downloadTaskUpdated: { [events] task in
                task?.cancel()
                events.append("updated")
            },
            completionHandler: { [events] _ in events.append("end") })
        #expect(await events.waitFor(count: 2) == ["updated", "end"])
    }

    private struct AsyncModifier: AsyncImageDownloadRequestModifier {
        let onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)?
        func modified(for request: URLRequest) async -> URLRequest? { request }
    }

    private struct SyncModifier: ImageDownloadRequestModifier {
        let onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)?
        func modified(for request: URLRequest) -> URLRequest? { request }
    }
}
