import AlcedoLocks
import AlcedoTestSupport
import AlcedoTransport
import Foundation
import FoundationNetworking
import Testing

@testable import Alcedo
@testable import EngineFixtures

/// A transport that notes which priority its transfers have, and ends them when a test says so.
private final class RankedTransport: Transport {
    final class Task: TransportTask {
        private let ranks: Lock<[Float]>
        let url: String
        let handler: any TransportHandler

        init(_ request: TransportRequest, _ handler: any TransportHandler) {
            ranks = Lock([request.priority])
            url = request.url.absoluteString
            self.handler = handler
        }

        var priority: Float {
            get { ranks.withLock { $0.last ?? .nan } }
            set { ranks.withLock { $0.append(newValue) } }
        }

        func cancel() { finish() }

        func finish() { handler.transferDidFinish(.failure(.cancelled)) }
    }

    let started = Recorder<Task>()

    func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask {
        let task = Task(request, handler)
        started.append(task)
        return task
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `The priority of a transfer` {
    private let transport = RankedTransport()
    private let downloader: ImageDownloader

    init() {
        downloader = ImageDownloader(name: "ranked", transport: transport)
        downloader.maximumActiveDownloads = 1
    }

    @discardableResult
    private func download(_ name: String, _ priority: Float = 0.5) throws -> DownloadTask {
        let url = try #require(URL(string: "http://127.0.0.1/\(name)"))
        return downloader.downloadImage(
            with: url, options: [.callbackQueue(.untouch), .downloadPriority(priority)])
    }

    @Test
    func `a transfer has the priority that it was raised to while it waited for its turn`() async throws {
        try download("first")
        let task = try download("a")
        task.sessionTask?.task.priority = 0.9
        transport.started.values[0].finish()
        let started = await transport.started.waitFor(count: 2)
        #expect(started.last?.priority == 0.9)
    }

    @Test
    func `a transfer has the highest priority of the callers who joined while it waited`() async throws {
        try download("first")
        for priority: Float in [0.3, 0.8, 0.6] { try download("a", priority) }
        transport.started.values[0].finish()
        #expect(await transport.started.waitFor(count: 2).last?.priority == 0.8)
    }

    @Test func `a transfer's priority falls when the caller who needed it most has left`() async throws {
        try download("first")
        try download("a", 0.3)
        let urgent = try download("a", 0.8)
        try download("b", 0.5)
        urgent.cancel()
        transport.started.values[0].finish()
        #expect(await transport.started.waitFor(count: 2).last?.url == "http://127.0.0.1/b")
        transport.started.values[1].finish()
        #expect(await transport.started.waitFor(count: 3).last?.priority == 0.3)
    }

    @Test func `a running transfer's priority follows the callers who join and leave`() async throws {
        try download("a", 0.3)
        let running = await transport.started.waitFor(count: 1)[0]
        let urgent = try download("a", 0.8)
        #expect(running.priority == 0.8)
        let middle = try download("a", 0.6)
        urgent.cancel()
        #expect(running.priority == 0.6)
        middle.cancel()
        #expect(running.priority == 0.3)
    }

    @Test func `a transfer has the priority of its download task`() async throws {
        try download("first")
        let tasks = try ["a", "b", "c"].map { try download($0) }
        #expect(tasks.map(\.priority) == [0.5, 0.5, 0.5])
        tasks[2].priority = 0.9
        tasks[0].priority = 7
        tasks[1].priority = .nan
        #expect(tasks.map(\.priority) == [1, 0, 0.9])
        for index in 0..<3 {
            transport.started.values[index].finish()
            await transport.started.waitFor(count: index + 2)
        }
        #expect(transport.started.values.map { $0.url.suffix(1) } == ["t", "a", "c", "b"])
        #expect(transport.started.values.map(\.priority) == [0.5, 1, 0.9, 0])
    }

    @Test func `a shared transfer keeps the highest priority of its download tasks`() async throws {
        let first = try download("a", 0.3)
        let second = try download("a", 0.8)
        let running = await transport.started.waitFor(count: 1)[0]
        #expect([first.priority, second.priority] == [0.3, 0.8])
        second.priority = 0.1
        #expect(running.priority == 0.3)
        first.priority = 0.6
        #expect(running.priority == 0.6)
        first.cancel()
        #expect(running.priority == 0.1)
    }

    @Test func `a transfer's priority may be set before the request is there`() async throws {
        let gate = Gate()
        let modifier = SlowModifier(gate: gate)
        try download("first")
        let url = try #require(URL(string: "http://127.0.0.1/late"))
        let late = downloader.downloadImage(
            with: url,
            options: [.callbackQueue(.untouch), .requestModifier(modifier), .downloadPriority(0.7)]
        ) { _ in }
        #expect(late.sessionTask == nil && late.priority == 0.7)
        late.priority = 0.8
        #expect(late.priority == 0.8)
        try download("b")
        gate.open()
        while late.sessionTask?.task.priority != 0.8, !Task.isCancelled { await Task.yield() }
        transport.started.values[0].finish()
        #expect(await transport.started.waitFor(count: 2).last?.url == "http://127.0.0.1/late")
    }

    @Test func `a transfer gets the priority of the manager's task`() async throws {
        let directory = try TemporaryDirectory()
        let cache = try ImageCache.patient(in: directory.url)
        let manager = KingfisherManager(downloader: downloader, cache: cache)
        try download("first")
        try download("a", 0.6)
        let url = try #require(URL(string: "http://127.0.0.1/b"))
        let task = try #require(
            manager.retrieveImage(with: url, options: [.forceRefresh, .callbackQueue(.untouch)]) { _ in })
        task.priority = 0.7
        while task.sessionTask?.task.priority != 0.7, !Task.isCancelled { await Task.yield() }
        transport.started.values[0].finish()
        #expect(await transport.started.waitFor(count: 2).last?.url == "http://127.0.0.1/b")
        withExtendedLifetime(directory) {}
    }

    @Test func `a transfer has the priority of prefetching until a view needs it`() async throws {
        let url = try #require(URL(string: "http://127.0.0.1/a"))
        let prefetcher = ImagePrefetcher(urls: [url], options: [.downloader(downloader), .forceRefresh])
        prefetcher.start()
        let running = await transport.started.waitFor(count: 1)[0]
        #expect(running.priority == 0.25)
        let view = try download("a")
        // The transfer has started, but the thread that started it may not have told the download of it yet.
        while running.priority != 0.5, !Task.isCancelled { await Task.yield() }
        view.cancel()
        #expect(running.priority == 0.25)
        prefetcher.stop()
    }
}

/// Returns the request when a gate opens.
private struct SlowModifier: AsyncImageDownloadRequestModifier {
    let gate: Gate

    func modified(for request: URLRequest) async -> URLRequest? {
        await gate.pass()
        return request
    }
}

/// Notes which thread it is told on.
private final class ThreadProbe: TransportHandler {
    private let threads: Recorder<pthread_t>

    init(_ threads: Recorder<pthread_t>) { self.threads = threads }

    func transferDidFinish(_ result: Result<TransferResult, TransportError>) {
        threads.append(pthread_self())
    }
}

/// Notes what it is given.
private struct NotingProcessor: ImageProcessor {
    let identifier: String
    let seen: Recorder<String>

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        seen.append(identifier)
        return DefaultImageProcessor.default.process(item: item, options: options)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `Decoding` {
    let loading: Loading

    init() throws { loading = try Loading() }

    /// Keeps all worker threads busy until the gate opens.
    private func occupy(until gate: Gate) async {
        let count = WorkerPool.shared.threadCount
        for _ in 0..<count { WorkerPool.shared.submit { gate.wait() } }
        await gate.waitForArrivals(count)
    }

    @Test func `decoding starts with the image that has the highest priority`() async throws {
        let gate = Gate()
        await occupy(until: gate)
        let (seen, done) = (Recorder<String>(), CallCounter())
        for (index, priority) in [0.1, 0.2, 0.9, 0.8].enumerated() {
            loading.server.serve("/\(priority)", try Sample.png(2, 2))
            loading.downloader.downloadImage(
                with: loading.server.url("/\(priority)"),
                options: [
                    .callbackQueue(.untouch), .downloadPriority(Float(priority)),
                    .processor(NotingProcessor(identifier: "\(priority)", seen: seen)),
                ]
            ) { _ in done.increment() }
            await loading.server.waitForReplies(index + 1)
        }
        // A body that needs no worker shows that the network thread has handed over those before.
        loading.server.serve("/last", try Sample.png(2, 2))
        _ = try await loading.downloader.downloadImage(with: loading.server.url("/last"))
        // One thread takes them all; of several, neighbours could change places.
        gate.admit(1)
        await done.waitFor(4)
        #expect(seen.values == ["0.9", "0.8", "0.2", "0.1"])
        gate.open()
    }

    @Test(arguments: ["svg", "gif", "bmp", "jpeg", "large png", "png"])
    func `the network thread decodes headers of small, common pictures alone`(kind: String) async throws {
        let body: [UInt8] =
            switch kind {
            case "svg": Array("<svg xmlns='http://www.w3.org/2000/svg' width='4' height='4'/>".utf8)
            case "gif": try Fixture.data("gif/solid2.gif")
            case "bmp": Array("BM nothing".utf8)
            case "jpeg": try Sample.jpeg(4, 4)
            case "large png": try Sample.png(2, 2) + [UInt8](repeating: 0, count: 1 << 20)
            default: try Sample.png(4, 4)
            }
        // A completion that comes before the call has returned is made elsewhere.
        let gate = Gate()
        loading.server.serve("/a", Reply(body: Payload(body)).hold(.head, until: gate))
        var options = KingfisherParsedOptionsInfo(nil)
        options.callbackQueue = .untouch
        options.downloadContext.completionMayBlock = false
        let threads = Recorder<pthread_t>()
        loading.downloader.downloadImage(with: loading.server.url("/a"), options: options) { _ in
            threads.append(pthread_self())
        }
        gate.open()
        let thread = await threads.waitFor(count: 1)[0]
        let network = Recorder<pthread_t>()
        let nothing = ThreadProbe(network)
        StandardTransport.shared.start(
            TransportRequest(url: loading.server.url("/missing")), handler: nothing)
        let networkThread = await network.waitFor(count: 1)[0]
        #expect((thread == networkThread) == ["jpeg", "png"].contains(kind))
    }
}
