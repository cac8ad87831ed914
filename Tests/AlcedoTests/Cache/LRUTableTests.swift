import Foundation
import Testing

@testable import Alcedo

struct `A table in the order of use` {
    /// The same by the simplest means: the oldest first.
    private struct Model {
        var entries: [(key: String, value: Int, cost: Int)] = []

        mutating func take(_ key: String) -> (key: String, value: Int, cost: Int)? {
            entries.firstIndex { $0.key == key }.map { entries.remove(at: $0) }
        }
    }

    @Test(arguments: [1, 2, 3]) func `does what a list does, whatever the order of calls`(_ seed: UInt64) {
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
            case 6: #expect(table.entry(forKey: key)?.value == model.entries.first { $0.key == key }?.value)
            default:
                let used = model.take(key)
                used.map { model.entries.append($0) }
                #expect(table.use(key) == used?.value)
            }
            #expect(table.count == model.entries.count)
            #expect(table.totalCost == model.entries.reduce(0) { $0 + $1.cost })
        }
        #expect(table.purge(toCost: -1, count: 0) == model.entries.map(\.value))
    }

    @Test func `leaves what is not usable where it is`() {
        var table = LRUTable<Int>()
        for value in 1...3 { table.insert(value, forKey: "\(value)", cost: 1) }
        #expect(table.use("1") { _ in false } == nil)
        #expect(table.use("2") == 2)
        #expect(table.purge(toCost: 0) == [1, 3, 2])
    }

    @Test func `tells keys apart that only read the same`() {
        var table = LRUTable<Int>()
        table.insert(1, forKey: "caf\u{E9}", cost: 0)
        #expect(table.use("cafe\u{301}") == nil)
        #expect(table.use("caf\u{E9}") == 1)
    }

    @Test func `finds places whose hashes are the same or go around the end`() {
        var random = Seeded(state: 7)
        var table = KeyTable()
        var places: [(place: Int, hash: UInt32)] = []
        for step in 0..<5000 {
            if places.isEmpty || random.next(below: 100) < 52 {
                // Of 16 buckets or more, the last ones.
                let hash = UInt32.max - UInt32(random.next(below: 3)) << UInt32(random.next(below: 2) * 8)
                table.insert(step, hash)
                places.append((step, hash))
            } else {
                let gone = places.remove(at: random.next(below: places.count))
                table.remove(gone.place, gone.hash)
                #expect(table.place(gone.hash) { $0 == gone.place } == nil)
            }
            #expect(table.count == places.count)
            if step % 100 == 0 {
                for one in places { #expect(table.place(one.hash) { $0 == one.place } == one.place) }
            }
        }
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
