import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

struct `A bucket of starts` {
    @Test func `a bucket of starts allows a burst, and then one after each interval`() {
        var bucket = StartBucket(DownloadRate(perSecond: 10, burst: 3))
        let taken = (0..<5).map { _ in bucket.take(at: .seconds(7)) }
        #expect(taken == [true, true, true, false, false])
        #expect(bucket.delay(at: .seconds(7)) == .milliseconds(100))
        let later = [7_099, 7_100, 7_100].map { bucket.take(at: .milliseconds($0)) }
        #expect(later == [false, true, false])
    }

    @Test func `a bucket of starts is full again after a pause, and never more than full`() {
        var bucket = StartBucket(DownloadRate(perSecond: 10, burst: 3))
        for _ in 0..<3 { _ = bucket.take(at: .zero) }
        let taken = (0..<4).map { _ in bucket.take(at: .seconds(3_600)) }
        #expect(taken == [true, true, true, false])
    }

    @Test(arguments: [-1, 0, .nan, .infinity, -.infinity, 1e-300, 1e300])
    func `a bucket of starts works with any rate`(rate: Double) {
        for burst in [.min, 0, 1, .max] {
            var bucket = StartBucket(DownloadRate(perSecond: rate, burst: burst))
            let isTaken = bucket.take(at: .seconds(1))
            #expect(isTaken)
            #expect(bucket.delay(at: .seconds(1)) <= .seconds(100))
        }
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `Downloads with a start rate` {
    let loading: Loading
    let time = ManualTime()
    let finished = Recorder<String>()
    var downloader: ImageDownloader { loading.downloader }

    init() throws {
        loading = try Loading()
        let body = try Sample.png(2, 2)
        loading.server.route("/a") { _ in Reply(body: body) }
        downloader.clock = time.clock
        downloader.startRate = DownloadRate(perSecond: 10, burst: 2)
    }

    @discardableResult
    private func download(_ name: String, priority: Float = 0.5) -> DownloadTask {
        downloader.downloadImage(
            with: loading.server.url("/a?" + name),
            options: [.callbackQueue(.untouch), .downloadPriority(priority)]
        ) { [finished] in finished.append($0.error == nil ? name : "-" + name) }
    }

    private var asked: [String] { loading.server.requests().map { String($0.target.dropFirst(3)) } }

    @Test func `downloads with a start rate start at once after a pause, and the others one by one`() async {
        for name in ["1", "2", "3", "4"] { download(name) }
        await finished.waitFor(count: 2)
        #expect(Set(finished.values) == ["1", "2"])
        await time.waitForTimers(1)
        time.advance(by: .milliseconds(99))
        #expect(loading.server.requestCount() == 2)
        time.advance(by: .milliseconds(1))
        await finished.waitFor(count: 3)
        #expect(finished.values.last == "3")
        time.advance(by: .milliseconds(100))
        await finished.waitFor(count: 4)
        await time.waitForTimers(0)
        time.advance(by: .seconds(1))
        for name in ["5", "6"] { download(name) }
        await finished.waitFor(count: 6)
        #expect(asked.count == 6)
    }

    @Test func `downloads that are cancelled while they wait for the start rate never start`() async {
        for name in ["1", "2"] { download(name) }
        await finished.waitFor(count: 2)
        for index in 0..<200 { download("scrolled\(index)").cancel() }
        download("shown")
        time.advance(by: .milliseconds(100))
        await finished.waitFor(count: 203)
        #expect(Set(asked) == ["1", "2", "shown"])
    }

    @Test
    func `downloads with a start rate start with the highest priority, not with the latest call`() async {
        for name in ["1", "2"] { download(name) }
        await finished.waitFor(count: 2)
        download("low", priority: 0.1)
        let task = download("raised", priority: 0.2)
        download("high", priority: 0.9)
        task.priority = 1
        for count in 3...5 {
            time.advance(by: .milliseconds(100))
            await finished.waitFor(count: count)
        }
        #expect(finished.values.dropFirst(2) == ["raised", "high", "low"])
    }

    @Test
    func `downloads with a start rate keep the order when a token comes before the timer fires`() async {
        var clock = time.clock
        clock.timer = { _, _ in {} }
        downloader.clock = clock
        for name in ["1", "2"] { download(name) }
        await finished.waitFor(count: 2)
        download("first", priority: 0.9)
        time.advance(by: .milliseconds(100))
        download("second", priority: 0.1)
        await finished.waitFor(count: 3)
        #expect(finished.values.last == "first")
    }

    @Test func `downloads with a start rate respect the limit of running downloads, too`() async {
        let gate = Gate()
        loading.server.serve("/held", Reply(body: [1]).hold(.head, until: gate))
        downloader.maximumActiveDownloads = 1
        let held = Recorder<Bool>()
        downloader.downloadImage(with: loading.server.url("/held"), options: [.callbackQueue(.untouch)]) {
            held.append($0.error == nil)
        }
        for name in ["1", "2"] { download(name) }
        await loading.server.waitForRequests(1)
        time.advance(by: .seconds(1))
        #expect(loading.server.requestCount() == 1)
        gate.open()
        await finished.waitFor(count: 2)
        #expect(await held.waitFor(count: 1) == [false])
    }

    @Test func `waiting downloads all start when the start rate is removed`() async {
        for index in 0..<10 { download("\(index)") }
        await finished.waitFor(count: 2)
        downloader.startRate = nil
        await finished.waitFor(count: 10)
        #expect(finished.count == 10)
    }

    @Test func `a start rate that is set again and again leaves no timer behind`() async {
        for index in 0..<30 { download("\(index)") }
        await finished.waitFor(count: 2)
        // Each new bucket lets one start at once.
        for rate in 1...20 { downloader.startRate = DownloadRate(perSecond: Double(rate), burst: 1) }
        await time.waitForTimers(1)
        await finished.waitFor(count: 22)
        time.advance(by: .milliseconds(50))
        await finished.waitFor(count: 23)
        await time.waitForTimers(1)
        downloader.startRate = nil
        await time.waitForTimers(0)
        await finished.waitFor(count: 30)
    }

    @Test func `a download that waits too long for the start rate says so`() async {
        for name in ["1", "2"] { download(name) }
        downloader.queueTimeout = .seconds(0.01)
        let error = await kingfisherError {
            try await downloader.downloadImage(with: loading.server.url("/a?3"))
        }
        #expect(error?.description.contains("the start rate of 10.0 downloads per second") == true)
        await finished.waitFor(count: 2)
    }

    @Test func `a downloader has no start rate by default`() {
        #expect(ImageDownloader(name: "plain").startRate == nil)
    }
}
