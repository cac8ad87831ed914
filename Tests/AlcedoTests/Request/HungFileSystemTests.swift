import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import AlcedoCaches
@testable import AlcedoTransport
@testable import EngineFixtures

/// With the real kernel and the real queue of all files.
@Suite(.serialized, .enabled(if: HungFileSystem.isPossible), .timeLimit(.minutes(10)))
struct `A file system that hangs` {
    let hung: HungFileSystem
    let folder: TemporaryDirectory
    let downloader = ImageDownloader(name: "impatient")
    let manager: KingfisherManager

    /// Whose files may take any time.
    let patient: KingfisherManager

    init() throws {
        (hung, folder) = (try HungFileSystem(), try TemporaryDirectory())
        try Data(Sample.png(40, 20)).write(to: folder.file("a.png"))
        downloader.downloadTimeout = 1
        manager = KingfisherManager(downloader: downloader, cache: try .patient(in: folder.url))
        let other = ImageDownloader(name: "patient")
        other.downloadTimeout = 0
        patient = KingfisherManager(downloader: other, cache: manager.cache)
    }

    private func load(_ source: Source, by manager: KingfisherManager) async -> String {
        do {
            let options: KingfisherOptionsInfo = [.forceRefresh, .callbackQueue(.untouch)]
            return "\(try await manager.retrieveImage(with: source, options: options).image.size.width)"
        } catch {
            return "\(error)"
        }
    }

    @Test(arguments: [1, 4, 20])
    func `a file system that hangs fails what reads it after the timeout, and nothing else`(count: Int) async
    {
        await withTaskGroup { group in
            for number in 0..<count {
                let file = hung.file("\(number)/a.png")
                let sources: [Source] = [
                    .network(file), .provider(LocalFileImageDataProvider(fileURL: file)),
                    .provider(ThumbnailImageDataProvider(url: file, maxPixelSize: 10)),
                    .provider(AVAssetImageDataProvider(assetURL: file, seconds: 0)),
                ]
                for source in sources { group.addTask { await load(source, by: manager) } }
                group.addTask { [downloader] in
                    do { return "\(try await downloader.downloadImage(with: file))" } catch {
                        return "\(error)"
                    }
                }
            }
            let good = folder.file("a.png")
            let thumbnail = ThumbnailImageDataProvider(url: good, maxPixelSize: 10)
            #expect(await load(.network(good), by: patient) == "40.0")
            #expect(await load(.provider(thumbnail), by: patient) == "10.0")
            for await error in group {
                #expect(error.contains("has not responded for 1 s"))
                #expect(error.contains(hung.path))
            }
        }
        hung.end()
        // Whoever reads while the threads return may still be refused.
        while await load(.network(hung.file("a.png")), by: manager).contains("has not responded"),
            !Task.isCancelled
        {}
    }

    @Test func `a cancelled load from a file system that hangs ends at once`() async {
        downloader.downloadTimeout = 0
        let (file, ends) = (hung.file("a.png"), Recorder<Bool>())
        let note: @Sendable (Bool) -> Void = { ends.append($0) }
        let tasks = [
            manager.retrieveImage(with: file, options: [.callbackQueue(.untouch)]) { result in
                if case .failure(let error) = result { note(error.isTaskCancelled) }
            },
            downloader.downloadImage(with: file, options: [.callbackQueue(.untouch)]) { result in
                if case .failure(let error) = result { note(error.isTaskCancelled) }
            },
        ]
        for task in tasks { task?.cancel() }
        #expect(await ends.waitFor(count: 2) == [true, true])
    }

    @Test func `a cache in a file system that hangs is created all the same`() async throws {
        let config = DiskStorage.Config(name: "test", sizeLimit: 0, directory: hung.file("caches"))
        let clock = ManualStallCheck()
        let impatient = DiskStallCheck(schedule: clock.check.schedule, error: DiskStallError(seconds: 1))
        let cache = ImageCache(
            memoryStorage: .init(config: .quarterOfMemory),
            diskStorage: try .init(
                config: config, now: { Date() }, faults: DiskFaultReport(), stallCheck: impatient))
        let codes = Recorder<Int?>()
        cache.retrieveImage(forKey: "a", callbackQueue: .untouch) { result in
            if case .failure(let error) = result { codes.append(error.errorCode) }
        }
        clock.tick()
        clock.tick()
        #expect(await codes.waitFor(count: 1) == [3004])
        cache.storeToDisk(Data([1]), forKey: "a", completionHandler: nil)
        let error = await #expect(throws: CacheFlushError.self) { try await cache.flush(within: .seconds(0)) }
        #expect(error?.pendingCount == 1)
    }
}
