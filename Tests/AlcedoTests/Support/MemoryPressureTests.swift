import AlcedoLocks
import AlcedoTestSupport
import Dispatch
import Foundation
import Glibc
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10))) struct `Memory pressure` {
    let root: TemporaryDirectory
    let levels = Recorder<MemoryPressureMonitor.Level>()
    private let group = "sys/fs/cgroup/system.slice/a.service"

    init() throws {
        root = try TemporaryDirectory()
        try write("0::/system.slice/a.service\n", to: "proc/self/cgroup")
        try write("low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\n", to: group + "/memory.events")
        try write("1000\n", to: group + "/memory.max")
        try write("max\n", to: group + "/memory.high")
        try use(100, ofFiles: 0)
    }

    private func write(_ text: String, to path: String) throws {
        let file = root.file(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func use(_ bytes: Int, ofFiles files: Int) throws {
        try write("\(bytes)\n", to: group + "/memory.current")
        try write("anon \(bytes - files)\ninactive_file \(files)\n", to: group + "/memory.stat")
    }

    /// The group has reached its limit once more, as the kernel would tell.
    private func reachLimit(killing kills: Int = 0) throws {
        try write("low 0\nhigh 0\nmax 1\noom 0\noom_kill \(kills)\n", to: group + "/memory.events")
    }

    private func makeMonitor() -> MemoryPressureMonitor {
        MemoryPressureMonitor(allowance: MemoryAllowance(root: root.path)) { [levels] in levels.append($0) }
    }

    @Test
    func `memory pressure is a warning from 85 percent of a group's limit, critical from 95`() async throws {
        let monitor = makeMonitor()
        #expect(monitor.isActive)
        try use(860, ofFiles: 0)
        try reachLimit()
        #expect(await levels.waitFor(count: 1).first == .warning)
        try use(990, ofFiles: 30)
        try reachLimit()
        while levels.values.last != .critical, !Task.isCancelled { await Task.yield() }
        withExtendedLifetime(monitor) {}
    }

    @Test
    func `memory pressure is not what the kernel holds of files, but a killed process is`() async throws {
        let monitor = makeMonitor()
        try use(1000, ofFiles: 700)
        try reachLimit()
        try reachLimit(killing: 1)
        #expect(await levels.waitFor(count: 1) == [.critical])
        withExtendedLifetime(monitor) {}
    }

    @Test func `memory pressure is not watched where the kernel says nothing`() throws {
        let empty = try TemporaryDirectory()
        let monitor = MemoryPressureMonitor(allowance: MemoryAllowance(root: empty.path)) { _ in }
        #expect(!monitor.isActive)
    }

    @Test(.enabled(if: mayWatchStalls))
    func `memory pressure is watched through the kernel's stall information`() throws {
        try write("", to: "proc/self/cgroup")
        let queue = DispatchQueue(label: "stalls")
        let sources = PressureStalls.watch(MemoryAllowance(), on: queue) { _ in }
        #expect(sources.count == 2)
        for source in sources {
            source.value.resume()
            source.value.cancel()
        }
    }

    @Test func `trimming memory evicts the less recently used half of the images, or all`() throws {
        let fixture = try CacheFixture()
        let image = Image(bitmap: try Sample.bitmap(10, 10))
        for key in 0..<4 {
            fixture.cache.store(image, forKey: "\(key)", toDisk: false, completionHandler: nil)
        }
        _ = fixture.cache.retrieveImageInMemoryCache(forKey: "0")
        fixture.cache.trimMemoryCache(toShare: 0.5)
        let kept = (0..<4).filter { fixture.cache.memoryStorage.isCached(forKey: "\($0)") }
        #expect(kept == [0, 3])
        fixture.cache.trimMemoryCache(toShare: 0)
        #expect(fixture.cache.memoryStorageCacheCost == 0)
    }

    @Test func `a cache is in the registry of caches for as long as it is trimmed automatically`() throws {
        let cache = try CacheFixture().cache
        #expect(!cache.trimsAutomatically)
        cache.trimsAutomatically = true
        #expect(cache.trimsAutomatically && ImageCacheRegistry.all.contains { $0 === cache })
        cache.trimsAutomatically = false
        #expect(!cache.trimsAutomatically && !ImageCacheRegistry.all.contains { $0 === cache })
    }

    @Test(arguments: [true, false])
    func `a cache is trimmed in the background, unless it keeps its images there`(keeps: Bool) async throws {
        let fixture = try CacheFixture()
        let cache = fixture.cache
        cache.memoryStorage.config.keepWhenEnteringBackground = keeps
        try await cache.storeToDisk(Data([1]), forKey: "old", expiration: .seconds(10))
        let image = Image(bitmap: try Sample.bitmap(10, 10))
        for key in ["a", "b"] { cache.store(image, forKey: key, toDisk: false, completionHandler: nil) }
        fixture.clock.advance(by: 20)
        cache.trimInBackground()
        #expect(cache.memoryStorage.isCached(forKey: "a") == keeps)
        #expect(cache.memoryStorage.isCached(forKey: "b"))
        try await cache.flush(within: .seconds(1000))
        #expect(cache.diskStorage.entryNames == [])
    }
}

private let mayWatchStalls: Bool = {
    let file = open("/proc/pressure/memory", O_RDWR | O_NONBLOCK)
    defer { if file >= 0 { close(file) } }
    return file >= 0 && write(file, "some 200000 2000000", 20) >= 0
}()
