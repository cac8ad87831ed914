import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

/// Notes all bytes that it is told of.
private final class Observer: DataReceivingSideEffect {
    let seen = Recorder<Data>()

    func download(_ task: SessionDataTask, didReceive data: Data) { seen.append(Data(data.map { $0 })) }
}

@Suite(.timeLimit(.minutes(10)))
struct `Who joins a running download` {
    let loading: Loading
    let body: [UInt8]
    let half = Gate()
    let rest = Gate()
    let done = Recorder<Bool>()

    init() throws {
        loading = try Loading()
        body = try Sample.png(200, 200) + [UInt8](repeating: 7, count: 100_000)
        loading.server.serve(
            "/a", Reply(body: body).hold(.byte(50_000), until: half).hold(.byte(80_000), until: rest))
    }

    private func download(_ observer: Observer? = nil) -> DownloadTask {
        var options = KingfisherParsedOptionsInfo([.callbackQueue(.untouch)])
        if let observer { options.downloadContext.onDataReceived = [observer] }
        return loading.downloader.downloadImage(with: loading.server.url("/a"), options: options) { [done] in
            done.append($0.error == nil)
        }
    }

    @Test
    func `a caller who joins a running download is told of the bytes from the first one on`() async throws {
        let first = download()
        let late = Observer()
        await half.waitForArrivals(1)
        let task = try #require(first.sessionTask)
        let joined = download(late)
        #expect(joined.sessionTask === task)
        half.open()
        _ = await late.seen.wait { ($0.last?.count ?? 0) >= 80_000 }
        rest.open()
        await done.waitFor(count: 2)
        for seen in late.seen.values { #expect(seen.elementsEqual(body.prefix(seen.count))) }
        #expect(late.seen.values.last?.count == body.count)
        #expect(task.mutableData.elementsEqual(body))
    }

    @Test func `the bytes of a running download grow while somebody watches`() async throws {
        let task = try #require(download().sessionTask)
        // The first half may be here already; the second waits at the gate.
        #expect(task.mutableData.count <= 50_000)
        let observed = Observer()
        await half.waitForArrivals(1)
        let probe = download(observed)
        half.open()
        _ = await observed.seen.wait { ($0.last?.count ?? 0) >= 80_000 }
        probe.cancel()
        #expect(task.mutableData.elementsEqual(body.prefix(80_000)))
        rest.open()
        await done.waitFor(count: 2)
        #expect(task.mutableData.elementsEqual(body))
    }

    @Test func `the bytes of a running download grow although nobody watches`() async throws {
        let received = Recorder<Int64>()
        var options = KingfisherParsedOptionsInfo([.callbackQueue(.untouch)])
        let (start, looks) = (ContinuousClock.now, CallCounter())
        options.downloadContext.progress = ProgressCallback(
            queue: DispatchQueue(label: "progress"), now: { start + .seconds(looks.increment()) }
        ) { count, _ in received.append(count) }
        let handle = loading.downloader.downloadImage(with: loading.server.url("/a"), options: options) {
            [done] in done.append($0.error == nil)
        }
        let task = try #require(handle.sessionTask)
        half.open()
        _ = await received.wait { ($0.last ?? 0) >= 80_000 }
        #expect(task.mutableData.elementsEqual(body.prefix(80_000)))
        rest.open()
        await done.waitFor(count: 1)
    }
}
