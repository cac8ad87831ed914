import AlcedoLocks
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

struct `A memory storage` {
    let clock = TestClock()

    func storage(cost: Int = 100, count: Int = .max) -> MemoryStorage.Backend<Weight> {
        var config = MemoryStorage.Config(totalCostLimit: cost, cleanInterval: 0)
        config.countLimit = count
        return MemoryStorage.Backend(config: config, now: { [clock] in clock.now })
    }

    @Test func `a memory storage gives back what was stored`() {
        let (storage, value) = (storage(), Weight(1))
        storage.store(value: value, forKey: "a")
        #expect(storage.value(forKey: "a") === value)
        #expect(storage.value(forKey: "b") == nil)
        storage.remove(forKey: "a")
        #expect(storage.value(forKey: "a") == nil)
        #expect(storage.totalCacheCost() == 0)
    }

    @Test func `a memory storage evicts what was used least recently`() {
        let storage = storage(cost: 3)
        for key in ["a", "b", "c"] { storage.store(value: Weight(1), forKey: key) }
        _ = storage.value(forKey: "a")
        storage.store(value: Weight(1), forKey: "d")
        #expect(["a", "b", "c", "d"].map(storage.isCached(forKey:)) == [true, false, true, true])
    }

    @Test func `asking whether a value is in memory does not count as a use`() {
        let storage = storage(cost: 2)
        for key in ["a", "b"] { storage.store(value: Weight(1), forKey: key) }
        #expect(storage.isCached(forKey: "a"))
        storage.store(value: Weight(1), forKey: "c")
        #expect(!storage.isCached(forKey: "a"))
    }

    @Test func `a memory storage holds the count limit and the cost limit at every moment`() {
        let storage = storage(cost: 10, count: 4)
        for number in 0..<100 {
            storage.store(value: Weight(number % 5), forKey: "\(number)")
            #expect(storage.totalCacheCost() <= 10)
            #expect((0...number).count { storage.isCached(forKey: "\($0)") } <= 4)
        }
    }

    @Test func `a value that costs more than the limit is not stored, and drops what it would replace`() {
        let storage = storage(cost: 10)
        storage.store(value: Weight(4), forKey: "a")
        storage.store(value: Weight(4), forKey: "b")
        storage.store(value: Weight(11), forKey: "a")
        #expect(!storage.isCached(forKey: "a"))
        #expect(storage.isCached(forKey: "b"))
        #expect(storage.totalCacheCost() == 4)
        storage.store(value: Weight(10), forKey: "c")
        #expect(storage.isCached(forKey: "c"))
    }

    @Test func `a memory storage keeps what it has when told to store only if there is nothing`() {
        let (storage, first, second) = (storage(), Weight(1), Weight(2))
        storage.store(value: first, forKey: "a", expiration: .seconds(5)) { $0 == nil }
        storage.store(value: second, forKey: "a") { $0 == nil }
        #expect(storage.value(forKey: "a", extendingExpiration: .none) === first)
        clock.advance(by: 5)
        storage.store(value: second, forKey: "a") { $0 == nil }
        #expect(storage.value(forKey: "a") === second)
        #expect(storage.totalCacheCost() == 2)
    }

    @Test func `costs in memory that add up beyond an Int are no trouble`() {
        let storage = storage(cost: .max)
        for key in ["a", "b", "c"] { storage.store(value: Weight(.max), forKey: key) }
        #expect(storage.totalCacheCost() == .max)
        #expect(storage.isCached(forKey: "c"))
    }

    @Test(arguments: [0, -1]) func `a memory limit of zero or less is none`(limit: Int) {
        let storage = storage(cost: limit, count: limit)
        for number in 0..<50 { storage.store(value: Weight(1000), forKey: "\(number)") }
        #expect(storage.totalCacheCost() == 50_000)
    }

    @Test func `a smaller memory limit takes effect at once`() {
        let storage = storage(cost: 10)
        for key in ["a", "b", "c"] { storage.store(value: Weight(3), forKey: key) }
        storage.config.totalCostLimit = 7
        #expect(["a", "b", "c"].map(storage.isCached(forKey:)) == [false, true, true])
    }

    @Test func `a memory storage agrees with a naive model over random operations`() {
        var random = Numbers(seed: 42)
        let storage = storage(cost: 60, count: 12)
        var model = Model(costLimit: 60, countLimit: 12)
        for _ in 0..<20_000 {
            let key = "\(random.next(below: 30))"
            switch random.next(below: 10) {
            case 0: storage.remove(forKey: key); model.remove(key)
            case 1...5:
                #expect((storage.value(forKey: key) != nil) == model.use(key))
            default:
                let cost = random.next(below: 70)
                storage.store(value: Weight(cost), forKey: key)
                model.store(key, cost: cost)
            }
            #expect(storage.totalCacheCost() == model.cost)
        }
        for key in 0..<30 { #expect(storage.isCached(forKey: "\(key)") == model.has("\(key)")) }
    }

    @Test func `a memory storage releases what it evicts after it has left the lock`() {
        let storage = storage(cost: 1)
        let released = Lock(0)
        let ask: @Sendable () -> Void = { [weak storage] in
            // Blocks for ever if the lock is held.
            if storage?.totalCacheCost() != nil { released.withLock { $0 += 1 } }
        }
        storage.store(value: Weight(1, onRelease: ask), forKey: "a")
        storage.store(value: Weight(1, onRelease: ask), forKey: "b")
        storage.store(value: Weight(1, onRelease: ask), forKey: "b")
        storage.remove(forKey: "b")
        storage.store(value: Weight(1, onRelease: ask), forKey: "c", expiration: .seconds(1))
        clock.advance(by: 2)
        storage.removeExpired()
        storage.store(value: Weight(1, onRelease: ask), forKey: "d")
        storage.removeAll()
        storage.store(value: Weight(1, onRelease: ask), forKey: "e")
        storage.store(value: Weight(2), forKey: "e")
        #expect(released.withLock { $0 } == 6)
    }
}

struct `Expiry in memory` {
    let clock = TestClock()
    let storage: MemoryStorage.Backend<Weight>

    init() {
        storage = MemoryStorage.Backend(
            config: .init(totalCostLimit: 100, cleanInterval: 0), now: { [clock] in clock.now })
    }

    @Test func `a value in memory expires at the very moment`() {
        storage.store(value: Weight(1), forKey: "a", expiration: .seconds(10))
        clock.advance(by: 9.5)
        #expect(storage.value(forKey: "a", extendingExpiration: .none) != nil)
        clock.advance(by: 0.5)
        #expect(storage.value(forKey: "a") == nil)
        #expect(!storage.isCached(forKey: "a"))
    }

    @Test func `expiry in memory is the configuration's unless told otherwise, five minutes by default`() {
        storage.store(value: Weight(1), forKey: "a")
        storage.store(value: Weight(1), forKey: "b", expiration: .days(1))
        storage.store(value: Weight(1), forKey: "c", expiration: .never)
        storage.store(value: Weight(1), forKey: "d", expiration: .date(clock.now + 400))
        clock.advance(by: 300)
        #expect(["a", "b", "c", "d"].map(storage.isCached(forKey:)) == [false, true, true, true])
        clock.advance(by: 100)
        #expect(!storage.isCached(forKey: "d"))
        clock.advance(by: 1e9)
        #expect(["b", "c"].map(storage.isCached(forKey:)) == [false, true])
    }

    @Test(arguments: [
        StorageExpiration.expired, .seconds(0), .seconds(-1), .seconds(.nan), .days(-1), .date(.distantPast),
    ])
    func `a store in memory that has expired already stores nothing and removes nothing`(
        expiration: StorageExpiration
    ) {
        storage.store(value: Weight(1), forKey: "a", expiration: expiration)
        #expect(!storage.isCached(forKey: "a"))
        storage.store(value: Weight(2), forKey: "a")
        storage.store(value: Weight(3), forKey: "a", expiration: expiration)
        #expect(storage.totalCacheCost() == 2)
    }

    @Test func `a value that has expired stays in memory, and in the cost, until a sweep`() {
        storage.store(value: Weight(5), forKey: "a", expiration: .seconds(1))
        storage.store(value: Weight(6), forKey: "b", expiration: .seconds(9))
        clock.advance(by: 1)
        #expect(storage.value(forKey: "a") == nil)
        #expect(storage.totalCacheCost() == 11)
        storage.removeExpired()
        #expect(storage.totalCacheCost() == 6)
        #expect(storage.isCached(forKey: "b"))
    }

    @Test func `expiry in memory is extended by reading as the caller says`() {
        for key in ["none", "again", "other", "over"] {
            storage.store(value: Weight(1), forKey: key, expiration: .seconds(10))
        }
        clock.advance(by: 6)
        _ = storage.value(forKey: "none", extendingExpiration: .none)
        _ = storage.value(forKey: "again", extendingExpiration: .cacheTime)
        _ = storage.value(forKey: "other", extendingExpiration: .expirationTime(.seconds(100)))
        _ = storage.value(forKey: "over", extendingExpiration: .expirationTime(.expired))
        #expect(!storage.isCached(forKey: "over"))
        clock.advance(by: 9)
        #expect(["none", "again", "other"].map(storage.isCached(forKey:)) == [false, true, true])
        clock.advance(by: 1)
        #expect(["again", "other"].map(storage.isCached(forKey:)) == [false, true])
    }

    @Test(arguments: [ExpirationExtending.cacheTime, .expirationTime(.seconds(5))])
    func `expiry in memory is not shortened by reading while the clock is behind`(
        _ extending: ExpirationExtending
    ) {
        storage.store(value: Weight(1), forKey: "a")
        clock.advance(by: -1e8)
        for _ in 0..<4 { #expect(storage.value(forKey: "a", extendingExpiration: extending) != nil) }
        storage.store(value: Weight(1), forKey: "b")
        clock.advance(by: 1e8 + 299)
        #expect(storage.isCached(forKey: "a"))
    }

    @Test(.timeLimit(.minutes(10)))
    func `a memory storage is swept again and again, which does not keep it alive`() async {
        let swept = AsyncStream.makeStream(of: Void.self)
        var sweeping: MemoryStorage.Backend<Weight>? = MemoryStorage.Backend(
            config: .init(totalCostLimit: 100, cleanInterval: 1000), now: { [clock] in clock.now })
        sweeping?.store(
            value: Weight(1, onRelease: { swept.continuation.yield() }), forKey: "a", expiration: .seconds(1))
        clock.advance(by: 1)
        sweeping?.config.cleanInterval = 0.005
        for await _ in swept.stream { break }
        #expect(sweeping?.totalCacheCost() == 0)
        weak let gone = sweeping
        sweeping = nil
        // The sweep's thread may still hold it.
        while gone != nil, !Task.isCancelled { await Task.yield() }
        #expect(gone == nil)
    }
}

/// The same rules, slowly: the last key is the one used last.
private struct Model {
    let costLimit: Int
    let countLimit: Int
    var entries: [(key: String, cost: Int)] = []

    var cost: Int { entries.reduce(0) { $0 + $1.cost } }

    func has(_ key: String) -> Bool { entries.contains { $0.key == key } }

    mutating func remove(_ key: String) { entries.removeAll { $0.key == key } }

    mutating func use(_ key: String) -> Bool {
        guard let index = entries.firstIndex(where: { $0.key == key }) else { return false }
        entries.append(entries.remove(at: index))
        return true
    }

    mutating func store(_ key: String, cost new: Int) {
        remove(key)
        guard new <= costLimit else { return }
        while cost + new > costLimit || entries.count + 1 > countLimit { entries.removeFirst() }
        entries.append((key, new))
    }
}

/// Random numbers that are the same in every run.
private struct Numbers {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next(below limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % limit
    }
}
