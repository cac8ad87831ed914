import AlcedoTestSupport
import AlcedoTransport
import Foundation
import FoundationNetworking
import Testing

@testable import Alcedo
@testable import AlcedoCaches
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `Downloads that wait for their turn` {
    let loading: Loading
    let gate = Gate()
    let finished = Recorder<String>()
    var server: LoopbackServer { loading.server }
    var downloader: ImageDownloader { loading.downloader }

    init() throws {
        loading = try Loading()
        downloader.maximumActiveDownloads = 1
        let body = try Sample.png(2, 2)
        for name in ["first", "a", "b", "c", "d"] {
            let reply = Reply(body: body)
            server.serve("/" + name, name == "first" ? reply.hold(.head, until: gate) : reply)
        }
    }

    @discardableResult
    private func download(_ name: String, priority: Float = 0.5) -> DownloadTask {
        downloader.downloadImage(
            with: server.url("/" + name), options: [.callbackQueue(.untouch), .downloadPriority(priority)]
        ) { [finished] in finished.append($0.error == nil ? name : "-" + name) }
    }

    /// The order in which the server was asked.
    private var asked: [String] { server.requests().map { String($0.target.dropFirst()) } }

    @Test func `waiting downloads start in the order in which they were asked for`() async {
        for name in ["first", "a", "b", "c"] { download(name) }
        await gate.waitForArrivals(1)
        #expect(server.requestCount() == 1)
        gate.open()
        await finished.waitFor(count: 4)
        #expect(asked == ["first", "a", "b", "c"])
    }

    @Test func `the latest waiting download starts first when the order says so`() async {
        downloader.downloadOrder = .lifo
        for name in ["first", "a", "b", "c"] { download(name) }
        gate.open()
        await finished.waitFor(count: 4)
        #expect(asked == ["first", "c", "b", "a"])
    }

    @Test func `waiting downloads start with the highest priority, also one that was raised later`() async {
        download("first")
        download("a")
        let task = download("b")
        download("c", priority: 0.9)
        download("d", priority: 0.1)
        #expect(task.sessionTask?.task.priority == 0.5)
        task.sessionTask?.task.priority = 1
        #expect(task.sessionTask?.task.priority == 1)
        gate.open()
        await finished.waitFor(count: 5)
        #expect(asked == ["first", "b", "c", "a", "d"])
    }

    @Test func `a waiting download goes first when a caller with a higher priority joins`() async {
        for name in ["first", "a", "b"] { download(name) }
        download("b", priority: 0.9)
        gate.open()
        await finished.waitFor(count: 4)
        #expect(asked == ["first", "b", "a"])
    }

    @Test func `a cancelled download leaves the wait queue, and never starts`() async {
        download("first")
        let task = download("a")
        download("b")
        task.cancel()
        #expect(finished.values == ["-a"])
        gate.open()
        await finished.waitFor(count: 3)
        #expect(asked == ["first", "b"])
    }

    @Test func `waiting downloads start when the limit is raised`() async {
        for name in ["first", "a", "b"] { download(name) }
        await gate.waitForArrivals(1)
        downloader.maximumActiveDownloads = 2
        await finished.waitFor(count: 2)
        #expect(asked == ["first", "a", "b"])
        gate.open()
        await finished.waitFor(count: 3)
    }

    @Test func `a waiting download starts after a cancelled one has made room`() async {
        let task = download("first")
        download("a")
        await gate.waitForArrivals(1)
        task.cancel()
        await finished.waitFor(count: 2)
        // Which of the two threads is quicker is open.
        #expect(Set(finished.values) == ["-first", "a"])
    }

    @Test func `running and waiting downloads all end when everything is cancelled`() async {
        for name in ["first", "a", "b"] { download(name) }
        await gate.waitForArrivals(1)
        downloader.cancelAll()
        #expect(Set(finished.values) == ["-first", "-a", "-b"])
        download("c")
        await finished.waitFor(count: 4)
        #expect(finished.values.last == "c")
        #expect(asked == ["first", "c"])
    }

    @Test func `each waiting download ends once in a storm of cancellations`() async throws {
        downloader.maximumActiveDownloads = 3
        gate.open()
        let tasks = (0..<300).map { index in
            loading.downloader.downloadImage(
                with: server.url("/a?\(index)"), options: [.callbackQueue(.untouch)]
            ) { [finished] _ in finished.append("\(index)") }
        }
        await withTaskGroup(of: Void.self) { group in
            for (index, task) in tasks.enumerated() where index % 2 == 0 {
                group.addTask { task.cancel() }
            }
        }
        await finished.waitFor(count: 300)
        #expect(Set(finished.values).count == 300)
        #expect(finished.count == 300)
        download("b")
        await finished.waitFor(count: 301)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `A transfer's task` {
    let loading: Loading

    init() throws { loading = try Loading() }

    @Test func `a transfer's task shows request, response and counts`() async throws {
        let gate = Gate()
        let body = try Sample.png(4, 4)
        let url = loading.server.url("/a.png")
        loading.server.serve("/a.png", Reply(body: body).hold(.body, until: gate))
        let ended = Recorder<KingfisherError?>()
        let handle = loading.downloader.downloadImage(with: url, options: [.callbackQueue(.untouch)]) {
            ended.append($0.error)
        }
        let task = try #require(handle.sessionTask?.task)
        #expect(task.originalRequest?.url == url)
        #expect(task.state == .running)
        #expect(handle.sessionTask?.task === task)
        gate.open()
        await ended.waitFor(count: 1)
        #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
        #expect(task.countOfBytesReceived == Int64(body.count))
        #expect(task.countOfBytesExpectedToReceive == Int64(body.count))
        #expect(task.state == .completed)
        #expect(task.error == nil)
    }

    @Test func `a transfer's task that is cancelled ends the transfer`() async throws {
        loading.server.serve("/a.png", Reply(body: try Sample.png(4, 4)).hold(.body, until: Gate()))
        let ended = Recorder<KingfisherError?>()
        let handle = loading.downloader.downloadImage(
            with: loading.server.url("/a.png"), options: [.callbackQueue(.untouch)]
        ) { ended.append($0.error) }
        await loading.server.waitForRequests(1)
        handle.sessionTask?.task.cancel()
        #expect(await ended.waitFor(count: 1).first??.isTaskCancelled == true)
        await loading.server.waitForAbandonedReplies(1)
    }

    @Test func `a transfer's task tells why the transfer failed`() async throws {
        let gate = Gate()
        loading.server.serve(
            "/a.png", Reply(body: try Sample.png(40, 40)).hold(.head, until: gate).cut(after: 20))
        let ended = Recorder<KingfisherError?>()
        let handle = loading.downloader.downloadImage(
            with: loading.server.url("/a.png"), options: [.callbackQueue(.untouch)]
        ) { ended.append($0.error) }
        let transfer = try #require(handle.sessionTask)
        #expect(transfer.task.error == nil)
        gate.open()
        #expect(await ended.waitFor(count: 1).first??.errorCode == 2003)
        guard case .incompleteBody(received: 20, _, _)? = transfer.task.error?.transportError else {
            Issue.record("\(String(describing: transfer.task.error))")
            return
        }
        #expect(transfer.task.state == .completed)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `Downloads that are faster than what comes after them` {
    let server: LoopbackServer
    let downloader: ImageDownloader

    /// With room for four stores that wait.
    let patient: ImageDownloader
    let names = (0..<40).map { "/\($0)" }
    let finished = Recorder<Bool>()

    init() throws {
        server = try LoopbackServer()
        // As much as a waiting store counts besides, so that those that are being decoded hold others back as well.
        let body = try Sample.png(2, 2) + [UInt8](repeating: 0, count: StagedStore.overhead)
        for name in names { server.serve(name, Reply(body: body)) }
        downloader = Self.downloader(backpressureLimit: 3 * body.count)
        patient = Self.downloader(backpressureLimit: 4 * (body.count + StagedStore.overhead))
    }

    private static func downloader(backpressureLimit: Int) -> ImageDownloader {
        let downloader = ImageDownloader(
            name: "test", transport: CurlTransport(backpressureLimit: backpressureLimit))
        downloader.downloadTimeout = 120
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 1
        downloader.sessionConfiguration = configuration
        return downloader
    }

    /// How many requests there have been, once the network thread has done whatever else it has to do.
    private func requestCount(of downloader: ImageDownloader) async throws -> Int {
        // A transfer that comes later has failed.
        let nowhere = try #require(URL(string: "http://"))
        #expect(await kingfisherError { try await downloader.downloadImage(with: nowhere) } != nil)
        return server.requestCount()
    }

    private func end() async {
        await finished.waitFor(count: names.count)
        #expect(finished.values == names.map { _ in true })
    }

    @Test
    func `downloads wait for the processors, so that the memory does not fill with bodies`() async throws {
        let queue = DispatchQueue(label: "processing")
        queue.suspend()
        for name in names {
            downloader.downloadImage(
                with: server.url(name),
                options: [
                    .callbackQueue(.untouch), .processingQueue(.dispatch(queue)),
                    .processor(ResizingImageProcessor(referenceSize: CGSize(width: 1, height: 1))),
                ]
            ) { finished.append($0.error == nil) }
        }
        await server.waitForRequests(3)
        #expect(try await requestCount(of: downloader) == 3)
        queue.resume()
        await end()
    }

    @Test(arguments: Stored.allCases)
    func `downloads wait for the disk, so that the memory does not fill with files`(what: Stored) async throws
    {
        let loading = try Loading()
        let manager = KingfisherManager(downloader: patient, cache: loading.cache)
        loading.cache.writes.queue.suspend()
        for name in names {
            manager.retrieveImage(with: server.url(name), options: [.callbackQueue(.untouch)] + what.options)
            {
                finished.append((try? $0.get()) != nil)
            }
        }
        await finished.waitFor(count: 3)
        // Those that have begun come to their end, and no others follow.
        var (count, turns) = (0, 0)
        while turns < 20 {
            let next = try await requestCount(of: patient)
            turns = next == count ? turns + 1 : 0
            count = next
        }
        #expect(count < names.count / 2)
        loading.cache.writes.queue.resume()
        await end()
    }

    enum Stored: CaseIterable {
        case asItCame
        case processed
        case original

        var options: KingfisherOptionsInfo {
            let processor = ResizingImageProcessor(referenceSize: CGSize(width: 1, height: 1))
            return switch self {
            case .asItCame: []
            case .processed: [.processor(processor)]
            case .original: [.processor(processor), .cacheMemoryOnly, .cacheOriginalImage]
            }
        }
    }
}
