/// What waits in a ``PriorityHeap``.
package protocol Ranked: AnyObject {
    /// Who goes first.
    var rank: Rank { get }

    /// Where the heap keeps it; nil while it is in none. Written by the heap only.
    var heapIndex: Int? { get set }
}

/// Higher priorities go first, and among equals the one that asked first.
package struct Rank: Comparable {
    package let priority: Float
    package let sequence: UInt64

    /// What is not a number, and so has no place in any order, counts as the lowest.
    package init(priority: Float, sequence: UInt64) {
        self.priority = priority.isNaN ? 0 : priority
        self.sequence = sequence
    }

    package static func < (left: Rank, right: Rank) -> Bool {
        left.priority != right.priority ? left.priority > right.priority : left.sequence < right.sequence
    }
}

/// A binary heap whose members know their places, so that any of them can leave or move in O(log n).
package struct PriorityHeap<Member: Ranked> {
    private var members: [Member] = []

    package init() {}

    package var isEmpty: Bool { members.isEmpty }

    /// The member with the least rank.
    package var first: Member? { members.first }

    package mutating func insert(_ member: Member) {
        members.append(member)
        member.heapIndex = members.count - 1
        siftUp(from: members.count - 1)
    }

    package mutating func remove(_ member: Member) {
        guard let index = member.heapIndex else { return }
        member.heapIndex = nil
        let last = members.removeLast()
        guard index < members.count else { return }
        members[index] = last
        last.heapIndex = index
        update(last)
    }

    /// Moves `member` to where its rank, which has changed, belongs.
    package mutating func update(_ member: Member) {
        guard let index = member.heapIndex else { return }
        siftUp(from: index)
        if let index = member.heapIndex { siftDown(from: index) }
    }

    private mutating func siftUp(from start: Int) {
        var index = start
        while index > 0, members[index].rank < members[(index - 1) / 2].rank {
            exchange(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func siftDown(from start: Int) {
        var index = start
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < members.count {
                if members[child].rank < members[least].rank { least = child }
            }
            guard least != index else { return }
            exchange(index, least)
            index = least
        }
    }

    private mutating func exchange(_ first: Int, _ second: Int) {
        members.swapAt(first, second)
        members[first].heapIndex = first
        members[second].heapIndex = second
    }
}
