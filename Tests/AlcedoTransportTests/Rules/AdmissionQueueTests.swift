import AlcedoLocks
import Synchronization
import Testing

@testable import AlcedoTransport

private final class Guest: Ranked {
    var rank: Rank
    var heapIndex: Int?
    let consumers: Consumers?
    var blocker: Backpressure? { consumers?.blocker }
    var hasSeveralPaths: Bool { consumers?.hasSeveralPaths ?? false }

    init(_ sequence: UInt64, priority: Float = 0.5, _ path: [Backpressure] = []) {
        rank = Rank(priority: priority, sequence: sequence)
        consumers = path.isEmpty ? nil : Consumers(path)
    }
}

struct `Waiting behind a full limit` {
    private let slow = Backpressure(limit: 10, name: "slow")
    private let other = Backpressure(limit: 10, name: "other")

    private func drain(_ queue: inout AdmissionQueue<Guest>) -> [UInt64] {
        var order: [UInt64] = []
        while let guest = queue.first() {
            order.append(guest.rank.sequence)
            queue.remove(guest)
        }
        return order
    }

    private func queue(_ guests: Guest...) -> AdmissionQueue<Guest> {
        var queue = AdmissionQueue<Guest>()
        for guest in guests { queue.insert(guest) }
        return queue
    }

    @Test func `a transfer behind a full limit does not keep others from starting`() {
        let reservation = slow.reserve(10)
        var queue = queue(Guest(0, [slow]), Guest(1), Guest(2, [slow]), Guest(3, [other]))
        #expect(drain(&queue) == [1, 3])
        #expect(queue.hasBlockedMembers && !queue.isEmpty)
        reservation.release()
        #expect(drain(&queue) == [0, 2])
        #expect(queue.isEmpty && !queue.hasBlockedMembers)
    }

    @Test func `backpressure on two limits ends with the second`() {
        let (first, second) = (slow.reserve(10), other.reserve(10))
        var queue = queue(Guest(0, [slow, other]), Guest(1, [slow]))
        #expect(drain(&queue) == [])
        first.release()
        #expect(drain(&queue) == [1])
        second.release()
        #expect(drain(&queue) == [0])
    }

    @Test func `backpressure ends when somebody joins who has room`() {
        let reservation = slow.reserve(10)
        let guest = Guest(0, [slow])
        var queue = queue(guest, Guest(1, [slow]))
        #expect(drain(&queue) == [])
        guest.consumers?.add([other])
        queue.update(guest)
        #expect(drain(&queue) == [0])
        reservation.release()
    }

    @Test func `backpressure on several paths ends when any of these has room`() {
        let (stuck, full) = (slow.reserve(10), other.reserve(10))
        let guest = Guest(0, [slow])
        guest.consumers?.add([other])
        var queue = queue(guest, Guest(1, [slow]))
        #expect(drain(&queue) == [])
        full.release()
        #expect(drain(&queue) == [0])
        stuck.release()
        #expect(drain(&queue) == [1])
    }

    @Test func `transfers behind a full limit keep the order by rank`() {
        let reservation = slow.reserve(10)
        let (low, late) = (Guest(0, priority: 0.1, [slow]), Guest(2, [slow]))
        var queue = queue(low, Guest(1), late, Guest(3, priority: 0.9, [slow]))
        #expect(queue.first()?.rank.sequence == 1)
        low.rank = Rank(priority: 1, sequence: 0)
        queue.update(low)
        queue.remove(late)
        queue.remove(late)
        reservation.release()
        #expect(drain(&queue) == [0, 3, 1])
    }

    @Test func `backpressure reports a change once to each watcher`() {
        final class Watcher {}
        let watcher = Watcher()
        let flips = Atomic(0)
        for _ in 0..<2 { slow.observe(for: watcher) { flips.add(1, ordering: .relaxed) } }
        let reservation = [slow.reserve(4), slow.reserve(4), slow.reserve(4), slow.reserve(4)]
        #expect(flips.load(ordering: .relaxed) == 1 && slow.isFull)
        reservation[0].release()
        #expect(flips.load(ordering: .relaxed) == 1)
        reservation[1].release()
        #expect(flips.load(ordering: .relaxed) == 2 && !slow.isFull)
    }
}
