import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `The progress of a prefetcher` {
    let loading: Loading
    var server: LoopbackServer { loading.server }

    init() throws { loading = try Loading() }

    private var options: KingfisherOptionsInfo {
        [.targetCache(loading.cache), .downloader(loading.downloader)]
    }

    private func serve(_ count: Int, until gate: Gate? = nil) throws -> [URL] {
        let body = try Sample.png(2, 2)
        for index in 0..<count {
            let reply = Reply(body: Payload(body))
            server.serve("/\(index)", gate.map { reply.hold(.head, until: $0) } ?? reply)
        }
        return (0..<count).map { server.url("/\($0)") }
    }

    @Test func `a prefetcher's progress counts each source with what became of it`() async throws {
        let urls = try serve(2) + [server.url("/missing")]
        _ = try await loading.manager.retrieveImage(with: urls[0], options: [.waitForCache])
        var outcomes: [URL: ImagePrefetcher.Outcome] = [:]
        var finished: [Int] = []
        var last: ImagePrefetcher.Progress?
        for await progress in ImagePrefetcher(urls: urls, options: options).run() {
            outcomes[try #require(progress.source.url)] = progress.outcome
            finished.append(progress.finishedCount)
            last = progress
        }
        #expect(finished == [1, 2, 3])
        #expect(last?.skippedCount == 1 && last?.failedCount == 1 && last?.completedCount == 1)
        #expect(last?.totalCount == 3)
        guard case .skipped = outcomes[urls[0]], case .completed = outcomes[urls[1]],
            case .failed(let error) = outcomes[urls[2]]
        else {
            Issue.record("\(outcomes)")
            return
        }
        #expect(error.isInvalidResponseStatusCode(404))
    }

    @Test func `a prefetcher's progress ends at once without sources, and after the end`() async throws {
        for await _ in ImagePrefetcher(urls: [], options: options).run() { Issue.record("there is nothing") }
        let prefetcher = ImagePrefetcher(urls: try serve(1), options: options)
        var count = 0
        for await _ in prefetcher.run() { count += 1 }
        for await _ in prefetcher.run() { count += 1 }
        #expect(count == 1)
    }

    @Test func `a prefetcher's progress can be followed by several, with the blocks`() async throws {
        let gate = Gate()
        let completed = Recorder<Int>()
        let prefetcher = ImagePrefetcher(urls: try serve(2, until: gate), options: options) {
            completed.append($2.count)
        }
        let (one, other) = (prefetcher.run(), prefetcher.run())
        gate.open()
        var counts = [0, 0]
        for await _ in one { counts[0] += 1 }
        for await _ in other { counts[1] += 1 }
        #expect(counts == [2, 2])
        #expect(await completed.waitFor(count: 1) == [2])
    }

    @Test func `a prefetcher stops when the task that follows its progress is cancelled`() async throws {
        let gate = Gate()
        let urls = try serve(3, until: gate)
        let failed = Recorder<Int>()
        let prefetcher = ImagePrefetcher(urls: urls, options: options) { _, failures, _ in
            failed.append(failures.count)
        }
        prefetcher.maxConcurrentDownloads = 1
        let task = Task { for await _ in prefetcher.run() {} }
        await gate.waitForArrivals(1)
        task.cancel()
        await task.value
        #expect(await failed.waitFor(count: 1) == [3])
        await server.waitForAbandonedReplies(1)
        #expect(server.requestCount() == 1)
    }

    @Test func `a prefetcher stops when the loop that follows its progress is left`() async throws {
        let gate = Gate()
        let urls = [server.url("/first")] + (try serve(3, until: gate))
        server.serve("/first", try Sample.png(2, 2))
        let reported = Recorder<[Int]>()
        let prefetcher = ImagePrefetcher(urls: urls, options: options) {
            reported.append([$0.count, $1.count, $2.count])
        }
        prefetcher.maxConcurrentDownloads = 1
        for await progress in prefetcher.run() {
            #expect(progress.completedCount == 1)
            break
        }
        #expect(await reported.waitFor(count: 1) == [[0, 3, 1]])
    }

    @Test func `a prefetcher's progress ends early when the prefetcher is stopped, during a pause too`()
        async throws
    {
        server.serve("/first", try Sample.png(2, 2))
        let urls = [server.url("/first")] + (try serve(3, until: Gate()))
        let prefetcher = ImagePrefetcher(urls: urls, options: options)
        prefetcher.maxConcurrentDownloads = 1
        var count = 0
        for await _ in prefetcher.run() {
            count += 1
            prefetcher.pause()
            prefetcher.stop()
        }
        // The second source may run already, and then fails.
        #expect((1...2).contains(count))
    }

    @Test func `a prefetcher that has ended is released by those who followed its progress`() async throws {
        weak var released: ImagePrefetcher?
        do {
            let prefetcher = ImagePrefetcher(urls: try serve(1), options: options)
            released = prefetcher
            for await _ in prefetcher.run() {}
        }
        while released != nil, !Task.isCancelled { await Task.yield() }
        #expect(released == nil)
    }
}
