import AlcedoTestSupport
import AlcedoTransport
import Foundation
import FoundationNetworking
import Testing

@testable import Alcedo
@testable import EngineFixtures

/// Blocks in one of its methods until a gate opens.
private final class StuckDelegate: ImageDownloaderDelegate {
    let gate = Gate()

    func imageDownloader(_ downloader: ImageDownloader, didDownload data: Data, for url: URL) -> Data? {
        gate.wait()
        return data
    }
}

private final class StuckImageDelegate: ImageDownloaderDelegate {
    let gate = Gate()

    func imageDownloader(
        _ downloader: ImageDownloader, didDownload image: KFCrossPlatformImage, for url: URL,
        with response: URLResponse?
    ) {
        gate.wait()
    }
}

/// Safe because it only has a gate.
private final class StuckSession: SessionDelegate, @unchecked Sendable {
    let gate = Gate()

    override func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        gate.wait()
    }
}

/// One of them must not stop the loads of others.
@Suite(.timeLimit(.minutes(10)))
struct `A stuck consumer` {
    let server: LoopbackServer
    let transport: CurlTransport
    let downloader: ImageDownloader
    let stuck = DispatchQueue(label: "stuck")
    let done = Recorder<String>()

    init() throws {
        server = try LoopbackServer()
        let body = try Sample.png(2, 2)
        for name in ["a", "b", "c"] { server.serve("/\(name)", Reply(body: body)) }
        transport = CurlTransport(backpressureLimit: 3 * body.count)
        downloader = ImageDownloader(name: "test", transport: transport)
        downloader.downloadTimeout = 120
    }

    private func download(
        _ name: String, from downloader: ImageDownloader? = nil, options: KingfisherOptionsInfo = []
    ) {
        (downloader ?? self.downloader).downloadImage(
            with: server.url("/" + name), options: [.callbackQueue(.untouch)] + options
        ) { [done] in done.append($0.error == nil ? name : "-" + name) }
    }

    private var toStuck: KingfisherOptionsInfo { [.processingQueue(.dispatch(stuck))] }

    /// How many requests there have been once the network thread has done what it was told before.
    private func requestCount() async throws -> Int {
        let nowhere = try #require(URL(string: "http://"))
        #expect(await kingfisherError { try await downloader.downloadImage(with: nowhere) } != nil)
        return server.requestCount()
    }

    /// Fills the allowance of the stuck queue, with more that wait behind.
    private func fill(_ count: Int = 40) async {
        stuck.suspend()
        for index in 0..<count { download("a?\(index)", options: toStuck) }
        await server.waitForRequests(3)
    }

    private func finish(_ count: Int = 40) async {
        stuck.resume()
        _ = await done.wait { names in names.filter { $0.hasPrefix("a?") }.count == count }
    }

    @Test func `a stuck consumer holds back its own loads alone`() async throws {
        await fill()
        let other = ImageDownloader(name: "other", transport: transport)
        other.downloadTimeout = 120
        for index in 0..<20 {
            download("b?\(index)")
            download("c?\(index)", from: other, options: [.processor(BlurImageProcessor(blurRadius: 1))])
        }
        _ = await done.wait { $0.count == 40 }
        #expect(done.values.filter { !$0.hasPrefix("b") && !$0.hasPrefix("c") } == [])
        #expect(try await requestCount() < 80)
        await finish()
    }

    @Test func `a stuck consumer holds back its own loads alone where few may run at once`() async throws {
        downloader.maximumActiveDownloads = 2
        await fill()
        for index in 0..<20 { download("b?\(index)") }
        _ = await done.wait { $0.count == 20 }
        #expect(done.values.filter { !$0.hasPrefix("b") } == [])
        await finish()
    }

    @Test func `a stuck consumer does not keep the image from others who want the same`() async throws {
        stuck.suspend()
        let gate = Gate()
        server.serve("/a", Reply(body: try Sample.png(2, 2)).hold(.head, until: gate))
        download("a", options: toStuck)
        await server.waitForRequests(1)
        for _ in 0..<3 { download("a") }
        download("a", options: [.processor(BlurImageProcessor(blurRadius: 1))])
        gate.open()
        #expect(await done.waitFor(count: 4) == ["a", "a", "a", "a"])
        #expect(server.requestCount() == 1)
        stuck.resume()
        await done.waitFor(count: 5)
    }

    @Test func `a stuck consumer's waiting download starts when somebody else wants it`() async throws {
        await fill()
        let waiting = server.requestCount()
        download("a?39")
        #expect(await done.waitFor(count: 1) == ["a?39"])
        #expect(server.requestCount() > waiting)
        await finish(41)
    }

    @Test func `a delegate that is stuck with bytes holds back no other downloader`() async throws {
        let (delegate, other) = (StuckDelegate(), ImageDownloader(name: "other", transport: transport))
        other.downloadTimeout = 120
        downloader.delegate = delegate
        for index in 0..<40 { download("a?\(index)") }
        await delegate.gate.waitForArrivals(1)
        for index in 0..<20 {
            download("c?\(index)", from: other, options: [.processor(BlurImageProcessor(blurRadius: 1))])
        }
        _ = await done.wait { $0.count == 20 }
        #expect(done.values.filter { !$0.hasPrefix("c") } == [])
        delegate.gate.open()
        _ = await done.wait { $0.count == 60 }
    }

    @Test func `a delegate that is stuck with an image holds back no other downloader`() async throws {
        let (delegate, other) = (StuckImageDelegate(), ImageDownloader(name: "other", transport: transport))
        other.downloadTimeout = 120
        downloader.delegate = delegate
        for index in 0..<40 { download("a?\(index)") }
        await delegate.gate.waitForArrivals(1)
        for index in 0..<20 {
            download("c?\(index)", from: other, options: [.processor(BlurImageProcessor(blurRadius: 1))])
        }
        _ = await done.wait { $0.count == 20 }
        delegate.gate.open()
        _ = await done.wait { $0.count == 60 }
    }

    @Test func `a stuck session delegate holds back no other downloader`() async throws {
        let (delegate, other) = (StuckSession(), ImageDownloader(name: "other", transport: transport))
        other.downloadTimeout = 120
        downloader.sessionDelegate = delegate
        for index in 0..<40 { download("a?\(index)") }
        await delegate.gate.waitForArrivals(1)
        for index in 0..<20 { download("c?\(index)", from: other) }
        _ = await done.wait { $0.count == 20 }
        #expect(done.values.filter { !$0.hasPrefix("c") } == [])
        delegate.gate.open()
        _ = await done.wait { $0.count == 60 }
    }

    @Test(arguments: [false, true])
    func `a stuck serializer or image modifier holds back no other loads`(isModifier: Bool) async throws {
        let (gate, folder) = (Gate(), try TemporaryDirectory())
        let manager = KingfisherManager(downloader: downloader, cache: try .patient(in: folder.url))
        let modifier = AnyImageModifier { image in
            gate.wait()
            return image
        }
        let options: KingfisherOptionsInfo =
            isModifier ? [.imageModifier(modifier)] : [.cacheSerializer(Gated(gate: gate)), .waitForCache]
        for index in 0..<200 {
            manager.retrieveImage(
                with: server.url("/a?\(index)"), options: [.callbackQueue(.untouch)] + options
            ) { [done] in done.append((try? $0.get()) == nil ? "-a" : "a") }
        }
        await gate.waitForArrivals(1)
        for index in 0..<20 { download("b?\(index)") }
        _ = await done.wait { $0.count == 20 }
        #expect(done.values.allSatisfy { $0.hasPrefix("b") })
        #expect(server.requestCount() < 200)
        gate.open()
        _ = await done.wait { $0.count == 220 }
        #expect(!done.values.contains("-a"))
    }

    @Test func `a stuck callback queue holds back no other loads`() async throws {
        stuck.suspend()
        for index in 0..<40 { download("a?\(index)", options: [.callbackQueue(.dispatch(stuck))]) }
        for index in 0..<20 { download("b?\(index)") }
        _ = await done.wait { $0.count == 20 }
        #expect(done.values.filter { !$0.hasPrefix("b") } == [])
        await finish()
    }
}
