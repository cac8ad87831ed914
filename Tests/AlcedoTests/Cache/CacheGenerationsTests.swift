import Testing

@testable import Alcedo

struct `The generations of a cache` {
    private let generations = CacheGenerations()

    private func snapshot() -> CacheGenerations.Snapshot {
        generations.snapshot(forKey: "a", identifier: "x")
    }

    @Test func `a cache's generations tell a key's changes from those of any number of others`() {
        let start = snapshot()
        for number in 0..<10_000 {
            generations.countStore(ofKey: "\(number)", identifier: "x")
            generations.countRemoval(ofKey: "\(number)")
        }
        generations.countStore(ofKey: "a", identifier: "y")
        #expect(generations.isUnchanged(since: start))
    }

    @Test func `a cache's generations count each change, for all that began before it`() {
        let start = snapshot()
        generations.countStore(ofKey: "a", identifier: "x")
        #expect(!generations.isUnchanged(since: start) && generations.hasSameRemovals(since: start))
        do {
            let stored = snapshot()
            #expect(generations.isUnchanged(since: stored))
            generations.countRemoval(ofKey: "a")
            #expect(!generations.hasSameRemovals(since: stored))
        }
        // One that ends takes nothing away from those that go on.
        #expect(!generations.isUnchanged(since: start) && !generations.hasSameRemovals(since: start))
        let removed = snapshot()
        #expect(generations.isUnchanged(since: removed))
        generations.countClear()
        #expect(!generations.isUnchanged(since: removed))
    }
}
