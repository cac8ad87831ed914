import AlcedoLocks
import AlcedoTestSupport
import Testing

@testable import AlcedoTransport

private final class Guest: Ranked {
    var rank: Rank
    var heapIndex: Int?

    init(_ sequence: UInt64, priority: Float = 0.5) { rank = Rank(priority: priority, sequence: sequence) }
}

struct `Admission by origin` {
    private func drain(_ heap: inout PriorityHeap<Guest>) -> [UInt64] {
        var order: [UInt64] = []
        while let first = heap.first {
            order.append(first.rank.sequence)
            heap.remove(first)
        }
        return order
    }

    @Test func `the admission heap agrees with a sorted list after any changes`() {
        var heap = PriorityHeap<Guest>()
        var guests: [Guest] = []
        var random = SeededGenerator(seed: 1)
        for sequence in 0..<2000 {
            let guest = Guest(UInt64(sequence), priority: Float(Int.random(in: 0...5, using: &random)))
            guests.append(guest)
            heap.insert(guest)
            if sequence % 3 == 0 {
                let changed = guests[Int.random(in: 0..<guests.count, using: &random)]
                let priority = Float(Int.random(in: 0...5, using: &random))
                changed.rank = Rank(priority: priority, sequence: changed.rank.sequence)
                heap.update(changed)
            }
            if sequence % 4 == 0 {
                heap.remove(guests.remove(at: Int.random(in: 0..<guests.count, using: &random)))
            }
        }
        #expect(drain(&heap) == guests.map(\.rank).sorted().map(\.sequence))
    }

    @Test func `removing a transfer from the queue twice is harmless`() {
        var heap = PriorityHeap<Guest>()
        let guests = (0..<3).map { Guest($0) }
        for guest in guests { heap.insert(guest) }
        heap.remove(guests[1])
        heap.remove(guests[1])
        #expect(drain(&heap) == [0, 2])
    }

    @Test func `as many transfers of an origin start as there may be connections`() {
        let queue = OriginQueue<Guest>()
        for sequence in 0..<5 { queue.enqueue(Guest(UInt64(sequence))) }
        #expect(admitted(from: queue, connections: 2) == [0, 1])
        queue.release()
        #expect(admitted(from: queue, connections: 2) == [2])
        #expect(!queue.isIdle)
    }

    @Test func `one transfer of an origin starts even if it may have no connections`() {
        let queue = OriginQueue<Guest>()
        queue.enqueue(Guest(1))
        #expect(admitted(from: queue, connections: 0) == [1])
    }

    @Test func `an origin that multiplexes takes a hundred transfers`() {
        let queue = OriginQueue<Guest>()
        for sequence in 0..<150 { queue.enqueue(Guest(UInt64(sequence))) }
        queue.protocolVersion = .multiplexed
        #expect(admitted(from: queue, connections: 2).count == 100)
    }

    private func admitted(from queue: OriginQueue<Guest>, connections: Int) -> [UInt64] {
        var order: [UInt64] = []
        while let guest = queue.admit(connections: { _ in connections }) { order.append(guest.rank.sequence) }
        return order
    }
}

struct `A transfer's deadlines` {
    private let timeouts = TransportTimeouts {
        $0.connect = .seconds(1)
        $0.firstByte = .seconds(2)
        $0.stall = .seconds(3)
        $0.total = .seconds(10)
    }

    @Test func `a transfer's deadlines are separate for each stage`() {
        var deadlines = Deadlines(timeouts, start: 100)
        #expect(deadlines.next == (101, .connect, 1))
        deadlines.enter(.awaitingFirstByte, at: 100.5)
        #expect(deadlines.next == (102.5, .firstByte, 2))
        deadlines.enter(.receiving, at: 102)
        #expect(deadlines.next == (105, .stall, 3))
        deadlines.touch(at: 104)
        #expect(deadlines.next == (107, .stall, 3))
        deadlines.touch(at: 108)
        #expect(deadlines.next == (110, .total, 10))
    }

    @Test func `a transfer's deadlines don't count while the handler decides`() {
        var deadlines = Deadlines(timeouts, start: 100)
        deadlines.enter(.suspended, at: 101)
        #expect(deadlines.next == (110, .total, 10))
    }

    @Test func `a transfer's deadline of zero is no limit`() {
        let deadlines = Deadlines(TransportTimeouts { ($0.connect, $0.total) = (.zero, .zero) }, start: 100)
        #expect(deadlines.next.at == .infinity)
    }
}
