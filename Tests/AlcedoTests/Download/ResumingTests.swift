import AlcedoLocks
import AlcedoTestSupport
import AlcedoTransport
import Foundation
import FoundationNetworking
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A download that breaks off` {
    let resuming: Resuming
    var image: [UInt8] { resuming.image }

    init() throws { resuming = try Resuming() }

    @Test(arguments: 1...9)
    func `a broken download is resumed by the next process, from 64 KiB on`(tenths: Int) async throws {
        let cut = image.count * tenths / 10
        resuming.serve(cut: cut)
        #expect(await resuming.load() == nil)
        let next = resuming.reopened()
        #expect(await resuming.load(next) == image)
        next.waitForDisk()
        let range = cut >= 64 << 10 ? "bytes=\(cut)-" : nil
        #expect(resuming.ranges == [nil, range])
        #expect(resuming.server.requests().last?.header("If-Range") == range.map { _ in "\"1\"" })
        #expect(resuming.files() == [])
    }

    @Test
    func `a broken download is resumed by a retry, and however often it breaks off again`() async throws {
        let (image, cuts) = (image, [100_000, 150_000, 200_000])
        let count = CallCounter()
        resuming.server.route("/a") { request in
            let number = count.increment()
            let reply = Resuming.rest(request, of: image)
            guard number <= cuts.count else { return reply }
            return reply.cut(after: cuts[number - 1] - (number > 1 ? cuts[number - 2] : 0))
        }
        let retry = DelayRetryStrategy(maxRetryCount: 5, retryInterval: .seconds(0))
        let cache = try ImageCache.patient(in: resuming.folder.file("cache"))
        let manager = KingfisherManager(downloader: resuming.downloader(), cache: cache)
        let result = try await manager.retrieveImage(with: resuming.url, options: [.retryStrategy(retry)])
        #expect(result.data().map { [UInt8]($0) } == image)
        #expect(resuming.ranges == [nil] + cuts.map { "bytes=\($0)-" })
    }

    @Test func `a download is resumed after it was cancelled`() async throws {
        let (image, gate) = (image, Gate())
        let first = resuming.whole().hold(.byte(180_000), until: gate)
        resuming.server.route("/a") {
            $0.header("Range") == nil ? first : Resuming.rest($0, of: image)
        }
        let counter = ByteCounter()
        let downloader = resuming.downloader(delegate: counter)
        let ended = Recorder<Bool>()
        let task = downloader.downloadImage(with: resuming.url, options: [.callbackQueue(.untouch)]) {
            ended.append($0.error?.isTaskCancelled == true)
        }
        await counter.bytes.waitFor(180_000)
        task.cancel()
        #expect(await ended.waitFor(count: 1) == [true])
        #expect(await resuming.load(delegate: counter) == image)
        #expect(resuming.ranges == [nil, "bytes=180000-"])
        gate.open()
    }

    @Test func `a resumed download continues its progress, and shows one response`() async throws {
        resuming.serve(cut: 200_000)
        #expect(await resuming.load() == nil)
        let downloader = resuming.downloader()
        let progress = Recorder<[Int64]>()
        var options = KingfisherParsedOptionsInfo([])
        options.downloadContext.progress = ProgressCallback(queue: DispatchQueue(label: "progress")) {
            progress.append([$0, $1])
        }
        let result = try await downloader.downloadImage(with: resuming.url, options: options)
        let total = Int64(image.count)
        #expect(await progress.wait { $0.last == [total, total] })
        #expect(progress.values.first == [200_000, total])
        #expect(result.metrics?.httpStatusCode == 200)
        #expect(result.metrics?.rawMetrics.transport.requests.last?.status == 206)
    }

    @Test func `a broken download is replaced when the image has changed`() async throws {
        resuming.serve(cut: 200_000)
        #expect(await resuming.load() == nil)
        let other = try Resuming.noise(seed: 2)
        resuming.server.serve("/a", Reply(body: other, headers: [("ETag", "\"2\"")]))
        #expect(await resuming.load() == other)
        #expect(resuming.ranges == [nil, "bytes=200000-"])
        #expect(resuming.files() == [])
    }

    @Test(arguments: [500, 503, 429])
    func `a broken download survives a server that fails for a while`(status: Int) async {
        let count = CallCounter()
        resuming.serve(cut: 200_000) { [image] request in
            count.increment() == 1 ? .status(status) : Resuming.rest(request, of: image)
        }
        for _ in 0..<2 { #expect(await resuming.load() == nil) }
        #expect(await resuming.load() == image)
        #expect(resuming.ranges == [nil, "bytes=200000-", "bytes=200000-"])
    }

    @Test func `a broken download is dropped when the image is gone`() async {
        resuming.serve(cut: 200_000) { _ in .status(404) }
        for _ in 0..<2 { #expect(await resuming.load() == nil) }
        #expect(resuming.files() == [])
    }

    // MARK: - Servers that send something else

    enum Lie: CaseIterable, Sendable {
        case wrongStart, wrongTotal, openTotal, shorterEnd, noRange, twoRanges, noRangeUnit
        case otherTag, noTag, weakTag, compressed, multipart, notSatisfiable, longer, otherDate

        func reply(_ image: [UInt8], from start: Int = 200_000) -> Reply {
            let (last, total) = (image.count - 1, image.count)
            var headers = [("ETag", "\"1\""), ("Content-Range", "bytes \(start)-\(last)/\(total)")]
            var body = Array(image[start...])
            var status = 206
            switch self {
            case .wrongStart: headers[1].1 = "bytes 0-\(last)/\(total)"
            case .wrongTotal: headers[1].1 = "bytes \(start)-\(last)/\(total + 1)"
            case .openTotal: headers[1].1 = "bytes \(start)-\(last)/*"
            case .shorterEnd:
                headers[1].1 = "bytes \(start)-\(last - 1)/\(total)"
                body.removeLast()
            case .noRange: headers.removeLast()
            case .twoRanges: headers.append(headers[1])
            case .noRangeUnit: headers[1].1 = "\(start)-\(last)/\(total)"
            case .otherTag: headers[0].1 = "\"2\""
            case .noTag: headers.removeFirst()
            case .weakTag: headers[0].1 = "W/\"1\""
            case .compressed: headers.append(("Content-Encoding", "br"))
            case .multipart: headers.append(("Content-Type", "Multipart/byteranges; boundary=x"))
            case .notSatisfiable: status = 416
            case .longer: body += [1, 2, 3]
            case .otherDate: headers.append(("Last-Modified", "Tue, 14 Nov 2023 22:13:20 GMT"))
            }
            return Reply(status: status, body: body, headers: headers)
        }
    }

    @Test(arguments: Lie.allCases)
    func `a broken download starts again when the rest does not fit`(lie: Lie) async {
        let (image, rest) = (image, lie.reply(image))
        resuming.serve(cut: 200_000) {
            $0.header("Range") == nil ? Resuming.rest($0, of: image) : rest
        }
        #expect(await resuming.load() == nil)
        #expect(await resuming.load() == image)
        #expect(resuming.ranges == [nil, "bytes=200000-", nil])
        #expect(resuming.files() == [])
    }

    @Test func `a broken download starts again when the rest does not end`() async {
        let (image, headers) = (image, [("ETag", "\"1\""), Self.rangeField(of: resuming.image)])
        let body = Array(image[200_000...]) + [UInt8](repeating: 0, count: 1 << 20)
        // The connection stays open after the body; only the count of bytes says that it is too long.
        let (gate, endless) = (
            Gate(), Reply(status: 206, body: body, headers: headers, framing: .chunked(64 << 10))
        )
        resuming.serve(cut: 200_000) {
            $0.header("Range") == nil
                ? Resuming.rest($0, of: image) : endless.hold(.byte(body.count), until: gate)
        }
        #expect(await resuming.load() == nil)
        #expect(await resuming.load() == image)
        #expect(resuming.ranges == [nil, "bytes=200000-", nil])
        #expect(resuming.files() == [])
        gate.open()
    }

    private static func rangeField(of image: [UInt8]) -> (String, String) {
        ("Content-Range", "bytes 200000-\(image.count - 1)/\(image.count)")
    }

    @Test func `a broken download starts again when the rest has other bytes of the same tag`() async {
        let image = image
        let damaged = image[..<200_000] + [UInt8](repeating: 0, count: image.count - 200_000)
        resuming.serve(cut: 200_000) { request in
            Resuming.rest(request, of: request.header("Range") == nil ? image : Array(damaged))
        }
        #expect(await resuming.load() == nil)
        #expect(await resuming.load() == image)
        #expect(resuming.ranges == [nil, "bytes=200000-", nil])
    }

    @Test
    func `a resumed body counts for the backpressure while it waits to be joined by a worker thread`()
        async throws
    {
        let transport = CurlTransport(backpressureLimit: 250_000)
        let downloader = ImageDownloader(name: "resuming", transport: transport)
        downloader.downloadTimeout = 120
        downloader.resumableDownloads = resuming.downloads
        resuming.serve(cut: 200_000)
        _ = try? await downloader.downloadImage(with: resuming.url)
        let (gate, full) = (Gate(), Gate())
        let backpressure = try #require(downloader.backpressure)
        backpressure.observe(for: gate) { if backpressure.isFull { full.open() } }
        for _ in 0..<WorkerPool.shared.threadCount { WorkerPool.shared.submit { gate.wait() } }
        async let loaded = downloader.downloadImage(with: resuming.url)
        await full.pass()
        gate.open()
        #expect(try await [UInt8](loaded.originalData) == image)
        #expect(resuming.ranges == [nil, "bytes=200000-"])
    }

    @Test
    func `a resumed download fails once, and not for ever, when an observer saw the wrong bytes`() async {
        let image = image
        resuming.serve(cut: 200_000) { request in
            guard request.header("Range") != nil else { return Resuming.rest(request, of: image) }
            return Resuming.rest(request, of: [UInt8](repeating: 0, count: image.count))
        }
        let observer = ByteCounter()
        #expect(await resuming.load(delegate: observer) == nil)
        let error = await kingfisherError {
            try await resuming.downloader(delegate: observer).downloadImage(with: resuming.url)
        }
        #expect(error?.errorCode == 4001)
        #expect(await resuming.load(delegate: observer) == image)
        #expect(resuming.ranges == [nil, "bytes=200000-", nil])
    }
}
