import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import AlcedoCaches
@testable import AlcedoTransport
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `Files of a folder that hangs` {
    let clock = ManualStallCheck()
    let hang = Gate()
    let files: FileQueue
    let folder: TemporaryDirectory
    let other: TemporaryDirectory

    init() throws {
        files = FileQueue(label: "test", mostThreads: 40, schedule: clock.check.schedule)
        (folder, other) = (try TemporaryDirectory(), try .inMemory())
        for folder in [folder, other] { try Data(Sample.png(40, 20)).write(to: folder.file("a.png")) }
    }

    private func hangFolder(on files: FileQueue, for seconds: Double = 15) async {
        for _ in 0..<4 {
            files.run(folder.file("b").path, limits: FileLimits(seconds: seconds)) { [hang] _ in
                hang.wait()
                return .success(())
            } then: { _ in
            }
        }
        await hang.waitForArrivals(4)
    }

    /// Starts one of the providers of files.
    private func start(
        _ kind: String, in folder: TemporaryDirectory, cancellation: Cancellation = Cancellation(),
        handler: @escaping @Sendable (Result<Data, any Error>) -> Void
    ) {
        let (url, limits) = (folder.file("a.png"), DecodeLimits())
        switch kind {
        case "file":
            LocalFileImageDataProvider(fileURL: url).data(
                limits: limits, timeout: 15, cancellation: cancellation, files: files, handler: handler)
        case "thumbnail":
            ThumbnailImageDataProvider(url: url, maxPixelSize: 10).data(
                limits: limits, timeout: 15, cancellation: cancellation, files: files, handler: handler)
        default:
            AVAssetImageDataProvider(assetURL: url, seconds: 0).data(
                limits: limits, timeout: 15, cancellation: cancellation, files: files, handler: handler)
        }
    }

    @Test(arguments: ["file", "thumbnail", "video"])
    func `files of a hanging folder are given up with path and advice, while others are read`(kind: String)
        async throws
    {
        await hangFolder(on: files)
        let (waiting, found) = (Recorder<String>(), Recorder<Bool>())
        start(kind, in: folder) { result in
            if case .failure(let error) = result { waiting.append("\(error)") }
        }
        start(kind, in: other) { result in
            // A PNG is no video.
            if case .failure(let error) = result { found.append(kind == "video" && error is CodecError) }
            if case .success = result { found.append(true) }
        }
        #expect(await found.waitFor(count: 1) == [true])
        for _ in 0..<15 { clock.tick() }
        #expect(waiting.count == 0)
        clock.tick()
        let text = try #require(await waiting.waitFor(count: 1).first)
        #expect(text.contains("Could not read the file “\(folder.file("a.png").path)”"))
        #expect(text.contains("has not responded for 15 s; check whether it hangs or is gone"))
        hang.open()
    }

    @Test(arguments: ["file", "thumbnail", "video"])
    func `files of a hanging folder leave nothing behind when their load is cancelled`(kind: String) async {
        await hangFolder(on: files)
        let cancellations = (0..<20).map { _ in Cancellation() }
        for cancellation in cancellations {
            start(kind, in: folder, cancellation: cancellation) { _ in Issue.record("not cancelled") }
        }
        #expect(files.pendingCount == 20)
        for cancellation in cancellations { cancellation.cancel() }
        #expect(files.pendingCount == 0)
        hang.open()
    }

    @Test(arguments: ["thumbnail", "video"])
    func `files are not read on while images of earlier files wait for a thread`(kind: String) async throws {
        let ends = Gate()
        for _ in 0..<20 { start(kind, in: folder) { _ in ends.wait() } }
        // One, as the other test has its turn as well.
        await ends.waitForArrivals(1)
        // Each volume has its turn.
        for _ in 0..<20 { await withCheckedContinuation { done in files.async { done.resume() } } }
        #expect(files.pendingCount >= 16)
        ends.open()
    }

    @Test func `files of a hanging folder fail a load after the timeout of its downloader`() async throws {
        // Only threads of this folder, on the queue of all.
        await hangFolder(on: .files, for: 1)
        let downloader = ImageDownloader(name: "impatient")
        downloader.downloadTimeout = 1
        let manager = KingfisherManager(downloader: downloader, cache: try .patient(in: other.url))
        let error = await #expect(throws: KingfisherError.self) {
            try await manager.retrieveImage(with: .network(folder.file("a.png")))
        }
        #expect("\(try #require(error))".contains("has not responded for 1 s"))
        downloader.downloadTimeout = 0
        let loaded = try await manager.retrieveImage(with: .network(other.file("a.png")))
        #expect(loaded.image.size == CGSize(width: 40, height: 20))
        hang.open()
    }

    @Test func `files do not wait for receivers of another folder that block`() async throws {
        let blocked = Gate()
        for _ in 0..<4 {
            LocalFileImageDataProvider(fileURL: folder.file("a.png")).data { _ in blocked.wait() }
        }
        await blocked.waitForArrivals(4)
        let data = try await LocalFileImageDataProvider(fileURL: other.file("a.png")).data
        #expect(data.kf.imageFormat == .PNG)
        blocked.open()
    }
}
