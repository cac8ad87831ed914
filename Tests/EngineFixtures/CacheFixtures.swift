import AlcedoLocks
import AlcedoTestSupport
import Dispatch
import Foundation
import Glibc

@testable import Alcedo
@testable import AlcedoCaches

/// A wall clock that only a test moves.
final class TestClock: Sendable {
    private let date = Lock(Date(timeIntervalSince1970: 1_900_000_000))

    var now: Date { date.withLock { $0 } }

    func advance(by seconds: TimeInterval) { date.withLock { $0 += seconds } }
}

/// A disk storage in a folder and in a time of its own.
struct DiskFixture {
    let parent: TemporaryDirectory
    let clock = TestClock()
    var config: DiskStorage.Config

    init() throws {
        parent = try TemporaryDirectory()
        config = DiskStorage.Config(name: "test", sizeLimit: 0, directory: parent.url)
    }

    /// A storage that waits for its disk and for other processes as long as it takes, unless told otherwise.
    func storage(
        faults: DiskFaultReport = DiskFaultReport(), stallCheck: DiskStallCheck = .never,
        lockWait: DiskLockWait = .patient
    ) throws -> DiskStorage.Backend<Data> {
        try DiskStorage.Backend(
            config: config, now: { [clock] in clock.now }, faults: faults, stallCheck: stallCheck,
            lockWait: lockWait)
    }
}

extension DiskLockWait {
    /// For processes that may have to wait for a core.
    static let patient = DiskLockWait(seconds: 1000)
}

extension DiskStallCheck {
    /// For a disk that may take any time: no read fails, and whoever waits for a write waits for it.
    static let never = DiskStallCheck(schedule: { _ in }, error: DiskStallError(seconds: 1000))
}

extension ImageCache {
    /// A cache in a folder, whose disk may take any time.
    static func patient(_ name: String = "test", in folder: URL) throws -> ImageCache {
        ImageCache(
            memoryStorage: .init(config: .quarterOfMemory),
            diskStorage: try .init(
                config: .init(name: name, sizeLimit: 0, directory: folder), now: { Date() },
                faults: DiskFaultReport(), stallCheck: .never))
    }
}

extension DiskStorage.Backend {
    /// Waits until trims that run behind are done.
    func settle() { core.housekeeping.sync {} }

    /// Everything in the folder, hidden files too.
    var fileNames: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directoryURL.path)) ?? []).sorted()
    }

    /// The entries in the folder.
    var entryNames: [String] { fileNames.filter { !$0.hasPrefix(".") } }

    func path(forKey key: String) -> String { cacheFileURL(forKey: key).path }

    func file(forKey key: String) -> stat? { AlcedoCaches.attributes(ofPath: path(forKey: key)) }
}

extension KingfisherError {
    /// The code of the error that `body` throws; nil if it throws none.
    static func code(_ body: () throws -> some Any) -> Int? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? KingfisherError)?.errorCode
        }
    }
}

/// A value with a cost of its own.
final class Weight: CacheCostCalculable, Sendable {
    let cacheCost: Int
    private let onRelease: (@Sendable () -> Void)?

    init(_ cost: Int, onRelease: (@Sendable () -> Void)? = nil) {
        cacheCost = cost
        self.onRelease = onRelease
    }

    deinit { onRelease?() }
}

/// An image cache in a folder and in a time of its own.
struct CacheFixture {
    let disk: DiskFixture
    let cache: ImageCache
    let warnings = Recorder<String>()
    var clock: TestClock { disk.clock }

    init() throws {
        disk = try DiskFixture()
        cache = Self.cache(try disk.storage(faults: Self.faults(warnings)), clock: disk.clock)
    }

    static func cache(_ disk: DiskStorage.Backend<Data>, clock: TestClock) -> ImageCache {
        ImageCache(
            memoryStorage: .init(
                config: .init(totalCostLimit: 1 << 24, cleanInterval: 0), now: { clock.now }),
            diskStorage: disk)
    }

    static func faults(_ warnings: Recorder<String>) -> DiskFaultReport {
        DiskFaultReport { warnings.append($0.description) }
    }

    /// The same folder with nothing in memory.
    func restarted() throws -> ImageCache {
        Self.cache(try disk.storage(faults: Self.faults(warnings)), clock: clock)
    }
}
