import Testing

@testable import Alcedo

struct `The frames that a player needs` {
    private func demand(_ capacity: Int, at position: Int, reversed: Bool = false) -> FrameDemand {
        var demand = FrameDemand(capacity: capacity)
        demand.position = position
        demand.isReversed = reversed
        return demand
    }

    /// The order in which frames are decoded until there are enough.
    private func decoded(
        by demand: FrameDemand, of count: Int, limit: Int = .max, having: Set<Int> = []
    ) -> [Int] {
        var (frames, order) = (having, [Int]())
        while let index = demand.missing(of: count, limit: limit, isDecoded: { frames.contains($0) }) {
            frames.insert(index)
            order.append(index)
        }
        return order
    }

    @Test func `the frames that a player needs follow the current one, around the end`() {
        #expect(decoded(by: demand(4, at: 8), of: 10) == [8, 9, 0, 1])
        #expect(decoded(by: demand(4, at: 8), of: 10, having: [9]) == [8, 0, 1])
        #expect(decoded(by: demand(4, at: 1), of: 3) == [1, 2, 0])
        #expect((0..<10).filter { demand(4, at: 8).needs($0, of: 10, limit: .max) } == [0, 1, 8, 9])
    }

    @Test func `a player needs the current frame and the next one only if memory is short`() {
        #expect(decoded(by: demand(9, at: 4), of: 10, limit: 2) == [4, 5])
        #expect(decoded(by: demand(0, at: 4), of: 10) == [4, 5])
        #expect(decoded(by: demand(9, at: 4, reversed: true), of: 10, limit: 2) == [3, 4])
        #expect((0..<10).filter { demand(9, at: 4).needs($0, of: 10, limit: 2) } == [4, 5])
    }

    @Test func `frames that are played backward are decoded in runs, each from its start`() {
        #expect(decoded(by: demand(4, at: 8, reversed: true), of: 10) == [5, 6, 7, 8])
        // Half are left: the next run has to wait.
        #expect(decoded(by: demand(4, at: 6, reversed: true), of: 10, having: [5, 6]).isEmpty)
        #expect(decoded(by: demand(4, at: 5, reversed: true), of: 10, having: [5]) == [2, 3, 4])
        // A run ends at the first frame, for the last one is far.
        #expect(decoded(by: demand(4, at: 1, reversed: true), of: 10) == [0, 1])
        #expect(decoded(by: demand(4, at: 0, reversed: true), of: 10, having: [0]) == [7, 8, 9])
        let reversed = demand(4, at: 1, reversed: true)
        #expect((0..<10).filter { reversed.needs($0, of: 10, limit: .max) } == [0, 1, 8, 9])
    }

    @Test func `a closed player needs no frame, or the current one only`() {
        var closed = demand(4, at: 3)
        closed.isClosed = true
        #expect(decoded(by: closed, of: 10).isEmpty)
        #expect((0..<10).filter { closed.needs($0, of: 10, limit: .max) } == [3])
        closed.keepsCurrent = false
        #expect(!(0..<10).contains { closed.needs($0, of: 10, limit: .max) })
    }
}
