import AlcedoTestSupport
import Dispatch
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `Progress` {
    let loading: Loading
    let body: [UInt8]
    let half = Gate()
    let reports = Recorder<[Int64]>()
    let start = ContinuousClock.now
    let looks = CallCounter()
    private let queue = DispatchQueue(label: "progress")

    init() throws {
        loading = try Loading()
        body = try Sample.png(200, 200) + [UInt8](repeating: 7, count: 100_000)
    }

    private var total: Int64 { Int64(body.count) }

    /// Serves the body in two halves; the second comes once something of the first has been reported, or at once.
    private func download(
        _ reply: Reply, waits: Bool = true, secondsPerReport: Int, _ items: KingfisherOptionsInfo = []
    ) async throws {
        loading.server.serve("/a", reply.hold(.byte(50_000), until: half))
        var options = KingfisherParsedOptionsInfo(items + [.callbackQueue(.untouch)])
        options.downloadContext.progress = ProgressCallback(
            queue: queue, now: { [start, looks] in start + .seconds(looks.increment() * secondsPerReport) }
        ) { [reports] in reports.append([$0, $1]) }
        async let result = awaitCompletion { [loading, options] finish in
            loading.downloader.downloadImage(with: loading.server.url("/a"), options: options) { finish($0) }
        }
        if waits { await reports.waitFor(count: 1) }
        half.open()
        _ = try await result
        queue.sync {}
    }

    @Test func `progress of bytes that come quickly is reported for the first and the last`() async throws {
        try await download(Reply(body: body), secondsPerReport: 0)
        #expect(reports.count == 2)
        let first = try #require(reports.values.first)
        #expect(first[0] > 0 && first[0] < total && first[1] == total)
        #expect(reports.values.last == [total, total])
    }

    @Test func `progress of bytes that come slowly is reported each time`() async throws {
        try await download(Reply(body: body), secondsPerReport: 1)
        #expect(reports.count == looks.value)
        #expect(reports.values.last == [total, total])
    }

    @Test func `progress without a known total is not reported`() async throws {
        try await download(Reply(body: body).chunked(), waits: false, secondsPerReport: 1)
        #expect(reports.count == 0 && looks.value == 0)
    }

    @Test(arguments: [0, 1])
    func `progress without a known total is reported by request, and its end with both counts`(seconds: Int)
        async throws
    {
        try await download(
            Reply(body: body).withoutLength(), secondsPerReport: seconds, [.reportProgressOfUnknownSize])
        #expect(reports.count >= 2 && (seconds == 1 || reports.count == 2))
        #expect(reports.values.dropLast().filter { $0[0] <= 0 || $0[1] != -1 } == [])
        #expect(reports.values.last == [total, total])
    }
}

struct `The throttle of progress` {
    private var throttle = ProgressThrottle()
    private let start = ContinuousClock.now

    private mutating func admits(_ received: Int64, of expected: Int64?, at milliseconds: Int) -> Bool {
        throttle.admits(received: received, expected: expected, at: start + .milliseconds(milliseconds))
    }

    @Test mutating func `the progress throttle admits 30 reports a second, the first and the last`() {
        let admitted = (0..<1000).filter { admits(Int64($0), of: 1000, at: $0) }
        #expect((29...30).contains(admitted.count) && admitted.first == 0)
        let (last, end) = (admits(1000, of: 1000, at: 999), throttle.admitsEnd())
        #expect(last && !end)
    }

    @Test mutating func `the progress throttle admits the first report of a transfer that starts over`() {
        let admitted = [500, 600, 100, 200].enumerated().map { admits($1, of: nil, at: $0) }
        #expect(admitted == [true, false, true, false])
        let ends = [throttle.admitsEnd(), throttle.admitsEnd()]
        #expect(ends == [true, false])
    }

    @Test mutating func `the progress throttle has no end to admit without a report`() {
        let end = throttle.admitsEnd()
        #expect(!end)
    }
}
