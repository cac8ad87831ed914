import Foundation
import Testing

@testable import Alcedo
@testable import AlcedoCaches

struct `A table in the order of use` {
    /// The same by the simplest means: the oldest first.
    private struct Model {
        var entries: [(key: String, value: Int, cost: Int)] = []

        mutating func take(_ key: String) -> (key: String, value: Int, cost: Int)? {
            entries.firstIndex { $0.key == key }.map { entries.remove(at: $0) }
        }
    }

    @Test(arguments: [1, 2, 3])
    func `an LRU table does what a list does, whatever the order of calls`(_ seed: UInt64) {
        var random = Seeded(state: seed)
        var table = LRUTable<Int>()
        var model = Model()
        for step in 0..<6000 {
            let key = "https://example.com/\(random.next(below: 300)).jpeg"
            switch random.next(below: 20) {
            case 0..<4:
                let removed = table.remove(key)
                #expect(removed == model.take(key)?.value)
                table.insert(step, forKey: key, cost: step % 7)
                model.entries.append((key, step, step % 7))
            case 4: #expect(table.remove(key) == model.take(key)?.value)
            case 5 where step % 50 == 0:
                let count = random.next(below: 200)
                var leaving: [Int] = []
                while model.entries.count > count { leaving.append(model.entries.removeFirst().value) }
                #expect(table.purge(toCost: .max, count: count) == leaving)
            case 6:
                let value = table.value(HashedKey(key), at: .now)
                #expect(value == model.entries.first { $0.key == key }?.value)
            default:
                let used = model.take(key)
                used.map { model.entries.append($0) }
                #expect(table.touch(key) == used?.value)
            }
            #expect(table.count == model.entries.count)
            #expect(table.totalCost == model.entries.reduce(0) { $0 + $1.cost })
        }
        #expect(table.purge(toCost: -1, count: 0) == model.entries.map(\.value))
    }

    /// A table with values 1 to 3 under "1" to "3", each for `seconds` from 1970 on.
    private func table(for seconds: TimeInterval) -> LRUTable<Int> { table(.seconds(seconds)) }

    private func table(_ expiration: StorageExpiration) -> LRUTable<Int> {
        var table = LRUTable<Int>()
        for value in 1...3 {
            table.insert(
                .init(
                    value: value, key: HashedKey("\(value)"), ownKeyLength: 1, cost: 1,
                    expiry: Expiry(expiration, from: at(0))))
        }
        return table
    }

    private func at(_ seconds: TimeInterval) -> Date { Date(timeIntervalSince1970: seconds) }

    @Test func `an LRU table leaves what has expired where it is`() {
        var table = table(for: 10)
        #expect(table.touch(HashedKey("2"), at: at(9), extending: .none) == 2)
        #expect(table.touch(HashedKey("1"), at: at(10), extending: .cacheTime) == nil)
        #expect(table.purge(toCost: 0) == [1, 3, 2])
    }

    @Test func `an LRU table extends the time of what is used again`() {
        var table = table(for: 10)
        for time in stride(from: 9.0, through: 90, by: 9) {
            #expect(table.touch(HashedKey("1"), at: at(time), extending: .cacheTime) == 1)
        }
        #expect(table.value(HashedKey("1"), at: at(99)) == 1)
        #expect(table.value(HashedKey("1"), at: at(100)) == nil)
        #expect(table.removeExpired(at: at(99)).sorted() == [2, 3])
    }

    @Test func `an LRU table gives the time that a use asks for, whatever was used before`() {
        var table = table(for: 10)
        let key = HashedKey("1")
        #expect(table.touch(key, at: at(5), extending: .cacheTime) == 1)
        #expect(table.touch(key, at: at(6), extending: .expirationTime(.seconds(2))) == 1)
        #expect(table.touch(key, at: at(7), extending: .none) == 1)
        #expect(table.value(key, at: at(8)) == nil)
    }

    @Test func `an LRU table takes back at the next use the time that another use has given`() {
        var table = table(for: 10)
        let key = HashedKey("1")
        #expect(table.touch(key, at: at(0), extending: .expirationTime(.seconds(1000))) == 1)
        #expect(table.touch(key, at: at(5), extending: .cacheTime) == 1)
        #expect(table.touch(key, at: at(15), extending: .cacheTime) == nil)
    }

    @Test(arguments: [
        StorageExpiration.never, .date(Date(timeIntervalSince1970: 1e9)), .seconds(.infinity), .days(9999),
    ])
    func `an LRU table gives a value back the time that it was stored with, whatever that is`(
        _ expiration: StorageExpiration
    ) {
        var table = table(expiration)
        let key = HashedKey("1")
        #expect(table.touch(key, at: at(1), extending: .cacheTime) == 1)
        #expect(table.touch(key, at: at(1), extending: .expirationTime(.seconds(2))) == 1)
        #expect(table.touch(key, at: at(2), extending: .cacheTime) == 1)
        #expect(table.value(key, at: at(8e8)) == 1)
    }

    @Test func `an LRU table tells keys apart that only read the same`() {
        var table = LRUTable<Int>()
        table.insert(1, forKey: "caf\u{E9}", cost: 0)
        #expect(table.touch("cafe\u{301}") == nil)
        #expect(table.touch("caf\u{E9}") == 1)
    }
}

/// Knuth's generator; its upper half is random enough.
private struct Seeded {
    var state: UInt64

    mutating func next(below bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }
}
