import AlcedoLocks
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import AlcedoCaches
@testable import AlcedoTransport
@testable import EngineFixtures

/// A disk that answers when a test lets it.
private final class GatedDisk: ResponseDisk {
    let reading = Gate()
    let writing = Gate()
    let reads = Recorder<String>()
    private let kept: Lock<[String: StoredResponse]>

    init(_ kept: [String: StoredResponse] = [:]) {
        self.kept = Lock(kept)
        reading.open()
        writing.open()
    }

    var bodies: [String: Data] { kept.withLock { $0.mapValues(\.body) } }

    func read(_ key: String) -> StoredResponse? {
        reads.append(key)
        reading.wait()
        return kept.withLock { $0[key] }
    }

    func write(_ response: StoredResponse, forKey key: String) {
        writing.wait()
        kept.withLock { $0[key] = response }
    }

    func remove(_ key: String) {
        writing.wait()
        kept.withLock { $0[key] = nil }
    }

    func removeAll() {
        writing.wait()
        kept.withLock { $0 = [:] }
    }

    func removeAll(since date: Date) { removeAll() }

    var byteCount: Int { kept.withLock { $0.values.reduce(0) { $0 + $1.byteCount } } }

    func setCapacity(_ bytes: Int) {}
}

private func response(_ byte: UInt8, count: Int = 1) -> StoredResponse {
    var response = StoredResponse.nothing
    response.status = 200
    response.body = Data(repeating: byte, count: count)
    return response
}

@Suite(.timeLimit(.minutes(10)))
struct `A cache of responses` {
    private let disk = GatedDisk(["old": response(1)])
    private let timeouts = Recorder<@Sendable () -> Void>()
    private let found = Recorder<Data?>()

    private func cache(memoryCapacity: Int = 1 << 20) -> ResponseCache {
        ResponseCache(memoryCapacity: memoryCapacity, disk: disk) { [timeouts] in timeouts.append($0) }
    }

    private func find(_ key: String, in cache: ResponseCache) {
        cache.find(key) { [found] in found.append($0?.body) }
    }

    @Test func `a cache of responses leaves out a disk that hangs until the disk responds`() async {
        let cache = cache()
        disk.reading.close()
        find("old", in: cache)
        await disk.reads.waitFor(count: 1)
        for timeout in await timeouts.waitFor(count: 1) { timeout() }
        #expect(found.values == [nil])
        for _ in 0..<10 { find("other", in: cache) }
        #expect(found.values.count == 11)
        #expect(disk.reads.count == 1)
        disk.reading.open()
        while found.values.last != Data([1]), !Task.isCancelled {
            find("old", in: cache)
            await Task.yield()
        }
    }

    @Test func `a cache of responses holds no time-out against a disk that has responded`() async {
        let cache = cache()
        find("old", in: cache)
        await found.waitFor(count: 1)
        for timeout in await timeouts.waitFor(count: 1) { timeout() }
        find("other", in: cache)
        #expect(await disk.reads.waitFor(count: 2).count == 2)
    }

    @Test func `a cache of responses finds staged stores, and not staged removals`() {
        let cache = cache(memoryCapacity: 0)
        disk.writing.close()
        cache.store(response(2), forKey: "new", generation: cache.generation)
        cache.remove(forKey: "old")
        find("new", in: cache)
        find("old", in: cache)
        #expect(found.values == [Data([2]), nil])
        cache.store(response(3), forKey: "new", generation: cache.generation)
        cache.store(response(4), forKey: "old", generation: cache.generation)
        find("new", in: cache)
        find("old", in: cache)
        #expect(found.values.suffix(2) == [Data([3]), Data([4])])
        disk.writing.open()
        cache.waitForDisk()
        #expect(disk.bodies == ["new": Data([3]), "old": Data([4])])
    }

    @Test(arguments: [false, true])
    func `a cache of responses does not bring back what was removed while being read`(removesAll: Bool) async
    {
        let cache = cache()
        disk.reading.close()
        find("old", in: cache)
        await disk.reads.waitFor(count: 1)
        if removesAll { cache.removeAll() } else { cache.remove(forKey: "old") }
        #expect(found.values == [nil])
        disk.reading.open()
        cache.waitForDisk()
        find("old", in: cache)
        #expect(await found.waitFor(count: 2) == [nil, nil])
    }

    @Test
    func `a cache of responses completes all lookups of what is read or stored meanwhile, once`() async {
        let cache = cache()
        disk.reading.close()
        for _ in 0..<3 { find("old", in: cache) }
        find("new", in: cache)
        await disk.reads.waitFor(count: 2)
        cache.store(response(2), forKey: "new", generation: cache.generation)
        #expect(found.values == [Data([2])])
        disk.reading.open()
        let old = Data([1])
        #expect(await found.waitFor(count: 4) == [Data([2]), old, old, old])
        #expect(disk.reads.count == 2)
    }

    @Test func `a cache of responses empties a disk that hangs rather than keep ever more changes`() {
        let cache = cache(memoryCapacity: 0)
        disk.writing.close()
        cache.remove(forKey: "first")
        for number in 0..<10_001 {
            cache.store(response(2), forKey: "\(number)", generation: cache.generation)
        }
        find("9", in: cache)
        find("old", in: cache)
        #expect(found.values == [nil, nil])
        disk.writing.open()
        cache.waitForDisk()
        #expect(disk.bodies.isEmpty)
        cache.store(response(3), forKey: "new", generation: cache.generation)
        cache.waitForDisk()
        #expect(disk.bodies == ["new": Data([3])])
    }

    @Test func `a cache of responses is emptied at once, and keeps what is stored after that`() {
        let cache = cache(memoryCapacity: 0)
        disk.writing.close()
        let before = cache.generation
        cache.store(response(1), forKey: "first", generation: before)
        cache.store(response(2), forKey: "a", generation: before)
        cache.removeAll()
        for key in ["old", "a"] { find(key, in: cache) }
        #expect(found.values == [nil, nil])
        cache.store(response(3), forKey: "late", generation: before)
        cache.store(response(5), forKey: "other", generation: cache.generation)
        cache.store(response(4), forKey: "a", generation: cache.generation)
        for key in ["late", "a"] { find(key, in: cache) }
        #expect(found.values.suffix(2) == [nil, Data([4])])
        disk.writing.open()
        cache.waitForDisk()
        #expect(disk.bodies == ["a": Data([4]), "other": Data([5])])
    }

    @Test func `a cache of responses leaves out stores while too many wait, and what they replace`() {
        let cache = cache(memoryCapacity: 0)
        disk.writing.close()
        for index in 0..<40 {
            cache.store(response(2, count: 1 << 20), forKey: "\(index)", generation: cache.generation)
        }
        cache.store(response(3, count: 1 << 20), forKey: "old", generation: cache.generation)
        for key in ["0", "39", "old"] { find(key, in: cache) }
        #expect(found.values.map { $0?.count } == [1 << 20, nil, nil])
        disk.writing.open()
        cache.waitForDisk()
        #expect((25..<33).contains(disk.bodies.count))
        #expect(disk.bodies["old"] == nil)
        cache.store(response(4), forKey: "old", generation: cache.generation)
        cache.waitForDisk()
        #expect(disk.bodies["old"] == Data([4]))
    }

    @Test func `a cache of responses stays within its limit in memory, whatever the bytes are`() {
        let cache = ResponseCache(memoryCapacity: 1 << 20, disk: nil) { _ in }
        for index in 0..<100 {
            var response = response(1)
            response.headers = [.init(name: "X", value: String(repeating: "x", count: 100_000))]
            cache.store(response, forKey: "\(index)", generation: cache.generation)
        }
        for index in 0..<100 { find("\(index)", in: cache) }
        #expect(found.values.compactMap(\.self).count == 10)
        cache.store(response(2, count: 1 << 20), forKey: "99", generation: cache.generation)
        find("99", in: cache)
        #expect(found.values.last == .some(nil))
    }

    @Test func `all images are delivered though the disk of a cache of responses hangs`() async throws {
        let server = try LoopbackServer()
        let image = Reply(body: try Sample.png(4, 4), headers: [("Cache-Control", "max-age=3600")])
        disk.reading.close()
        disk.writing.close()
        let transport = CachingTransport(StandardTransport.shared, store: cache())
        let downloader = ImageDownloader(name: "test", transport: transport)
        downloader.downloadTimeout = 120
        let widths = Recorder<CGFloat?>()
        for index in 0..<300 {
            server.serve("/\(index)", image)
            downloader.downloadImage(with: server.url("/\(index)"), options: [Caching.policy()]) {
                widths.append((try? $0.get())?.image.size.width)
            }
        }
        for timeout in await timeouts.waitFor(count: 300) { timeout() }
        #expect(await widths.waitFor(count: 300).filter { $0 != 4 } == [])
        disk.reading.open()
        disk.writing.open()
    }
}
