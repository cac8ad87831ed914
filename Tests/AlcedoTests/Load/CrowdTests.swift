import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)), .serialized)
struct `Two thousand loads` {
    private static let count = 2_000
    let loading: Loading
    let manager: KingfisherManager
    var server: LoopbackServer { loading.server }
    let processor = CountingProcessor()
    let gate = Gate()

    init() throws {
        loading = try Loading()
        // The first load waits for all others.
        loading.downloader.downloadTimeout = 600
        manager = KingfisherManager(downloader: loading.downloader, cache: loading.cache)
        manager.defaultOptions = [.callbackQueue(.untouch)]
    }

    private func load(
        _ path: String, then: @escaping @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void
    ) -> DownloadTask? {
        manager.retrieveImage(
            with: server.url(path), options: [.processor(processor), .cacheMemoryOnly],
            completionHandler: then)
    }

    /// Returns once the loads have a transfer each, or share one.
    private func waitForTransfers(of loads: [DownloadTask?]) async {
        for load in loads {
            while load?.isInitialized == false, !Task.isCancelled { await Task.yield() }
        }
    }

    @Test func `two thousand loads of one URL are one download and one decoding`() async throws {
        server.serve("/a", Reply(body: try Sample.png(4, 4)).hold(.body, until: gate))
        let outcomes = Recorder<KingfisherError?>()
        let loads = (0..<Self.count).map { _ in load("/a") { outcomes.append($0.error) } }
        await waitForTransfers(of: loads)
        gate.open()
        let failures = await outcomes.waitFor(count: Self.count).compactMap(\.self)
        #expect(failures.isEmpty, "\(failures.count), such as \(String(describing: failures.first))")
        #expect(outcomes.count == Self.count)
        #expect(server.requestCount() == 1)
        #expect(processor.runs.value == 1)
    }

    @Test func `two thousand loads of one URL, all but one cancelled, leave that one alone`() async throws {
        server.serve("/a", Reply(body: try Sample.png(4, 4)).hold(.body, until: gate))
        let (cancelled, loaded) = (CallCounter(), Recorder<Int>())
        let tasks = (0..<Self.count).map { index in
            load("/a") { result in
                guard result.error?.isTaskCancelled == true else { return loaded.append(index) }
                cancelled.increment()
            }
        }
        await waitForTransfers(of: tasks)
        await server.waitForRequests(1)
        for task in tasks.dropLast() { task?.cancel() }
        #expect(cancelled.value == Self.count - 1)
        gate.open()
        #expect(await loaded.waitFor(count: 1) == [Self.count - 1])
        #expect(server.requestCount() == 1)
        #expect(processor.runs.value == 1)
    }

    @Test(arguments: [1, 2])
    func `two thousand loads cancelled at all kinds of moments end exactly once`(round: Int) async throws {
        for index in 0..<100 { server.serve("/\(index)", try Sample.png(4, 4)) }
        let ends = Recorder<Int>()
        var tasks: [DownloadTask?] = []
        for index in 0..<Self.count {
            tasks.append(load("/\(index % 100)?\(index)") { _ in ends.append(index) })
            // One that has begun a moment ago or some milliseconds.
            tasks[max(0, index - (index * 7_919 + round * 104_729) % 500)]?.cancel()
        }
        #expect(Set(await ends.waitFor(count: Self.count)) == Set(0..<Self.count))
        // Whatever was still on its way has arrived when a load that came later has.
        _ = try await loading.manager.retrieveImage(with: server.url("/0"))
        #expect(ends.count == Self.count)
    }

    @Test func `a thousand loads are all over when the downloader cancels them`() async throws {
        for index in 0..<1000 { server.serve("/\(index)", Reply.text.hold(.head, until: gate)) }
        let ends = Recorder<KingfisherError?>()
        let loads = (0..<1000).map { index in load("/\(index)") { ends.append($0.error) } }
        await waitForTransfers(of: loads)
        loading.downloader.cancelAll()
        let others = await ends.waitFor(count: 1000).filter { $0?.isTaskCancelled != true }
        #expect(others.isEmpty, "\(others.count), such as \(String(describing: others.first))")
        #expect(ends.count == 1000)
    }
}

extension Reply {
    fileprivate static var text: Reply { Reply(body: Array("text".utf8)) }
}
