import AlcedoLocks
import AlcedoTestSupport
import Dispatch
import Foundation
import Testing

@testable import Alcedo
@testable import AlcedoCaches
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A folder that hangs` {
    let fixture: CacheFixture
    let hang = Gate()

    init() throws { fixture = try CacheFixture() }

    @Test func `removing damaged files from a folder that hangs takes no thread that decodes`() async throws {
        let cache = fixture.cache
        let count = WorkerPool.shared.threadCount
        let damaged = Data(try Sample.damagedPNG(6, 4))
        for number in 0..<count { try await cache.storeToDisk(damaged, forKey: "\(number)") }
        // Changes of the folder's names wait for this.
        DispatchQueue(label: "rename").async { [hang, folder = cache.diskStorage.core.folder] in
            folder.publishing { hang.wait() }
        }
        await hang.waitForArrivals(1)
        let results = Recorder<Bool>()
        for number in 0..<count {
            cache.retrieveImageInDiskCache(
                forKey: "\(number)", options: [.backgroundDecode, .downloadPriority(1)]
            ) { results.append((try? $0.get()) == nil) }
        }
        // After all that decode, which have a higher priority; never, if these wait for the disk.
        await withCheckedContinuation { done in WorkerPool.shared.submit { done.resume() } }
        #expect(results.count == 0)
        hang.open()
        #expect(await results.waitFor(count: count) == Array(repeating: true, count: count))
        #expect(cache.diskStorage.entryNames.isEmpty)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `Receivers of staged images that block` {
    @Test
    func `receivers of staged images that block hold up no others for longer than a stall`() async throws {
        let (fixture, clock, hang) = (try CacheFixture(), ManualStallCheck(), Gate())
        let cache = ImageCache(
            memoryStorage: .init(config: .init(totalCostLimit: 1 << 24, cleanInterval: 0)),
            diskStorage: try fixture.disk.storage(stallCheck: clock.check))
        cache.writes.append { hang.wait() }
        await hang.waitForArrivals(1)
        cache.storeToDisk(Data(try Sample.png(6, 4)), forKey: "a", completionHandler: nil)
        let (blocked, found) = (Gate(), Recorder<Bool>())
        for _ in 0..<4 {
            cache.retrieveImageInDiskCache(forKey: "a", callbackQueue: .untouch) { _ in blocked.wait() }
        }
        await blocked.waitForArrivals(4)
        cache.retrieveImageInDiskCache(forKey: "a", callbackQueue: .untouch) {
            found.append((try? $0.get()) != nil)
        }
        clock.tick()
        clock.tick()
        #expect(await found.waitFor(count: 1) == [true])
        blocked.open()
        hang.open()
    }
}
