/// What waits in a ``PriorityHeap`` or an ``AdmissionQueue``.
package protocol Ranked: AnyObject {
    /// Who goes first.
    var rank: Rank { get }

    /// Where the heap keeps it; nil while it is in none. Written by the heap only.
    var heapIndex: Int? { get set }

    /// The full backlog that keeps it from starting; nil, the default, if it may start.
    var obstacle: Backlog? { get }

    /// Whether it may start once any of several backlogs has room; false by default.
    var hasSeveralPaths: Bool { get }
}

extension Ranked {
    package var obstacle: Backlog? { nil }
    package var hasSeveralPaths: Bool { false }
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
///
/// Ranks stand beside the members, so that finding a place looks at none of them.
package struct PriorityHeap<Member: Ranked> {
    private struct Entry {
        var rank: Rank
        let member: Member
    }

    private var entries: [Entry] = []

    package init() {}

    package var isEmpty: Bool { entries.isEmpty }

    /// The member with the least rank.
    package var first: Member? { entries.first?.member }

    /// Whether `member` is in this heap.
    package func contains(_ member: Member) -> Bool {
        guard let index = member.heapIndex, index < entries.count else { return false }
        return entries[index].member === member
    }

    package mutating func insert(_ member: Member) {
        let entry = Entry(rank: member.rank, member: member)
        entries.append(entry)
        siftUp(entry, from: entries.count - 1)
    }

    package mutating func remove(_ member: Member) {
        guard let index = member.heapIndex else { return }
        member.heapIndex = nil
        let last = entries.removeLast()
        if index < entries.count { place(last, at: index) }
    }

    /// Moves `member` to where its rank, which has changed, belongs.
    package mutating func update(_ member: Member) {
        guard let index = member.heapIndex else { return }
        place(Entry(rank: member.rank, member: member), at: index)
    }

    /// Puts `entry` into the hole at `index`, or to where the hole has to go.
    private mutating func place(_ entry: Entry, at index: Int) {
        if index > 0, entry.rank < entries[(index - 1) / 2].rank {
            siftUp(entry, from: index)
        } else {
            siftDown(entry, from: index)
        }
    }

    private mutating func siftUp(_ entry: Entry, from start: Int) {
        var hole = start
        while hole > 0, case let parent = (hole - 1) / 2, entry.rank < entries[parent].rank {
            put(entries[parent], at: hole)
            hole = parent
        }
        put(entry, at: hole)
    }

    private mutating func siftDown(_ entry: Entry, from start: Int) {
        var hole = start
        while case var child = 2 * hole + 1, child < entries.count {
            if child + 1 < entries.count, entries[child + 1].rank < entries[child].rank { child += 1 }
            guard entries[child].rank < entry.rank else { break }
            put(entries[child], at: hole)
            hole = child
        }
        put(entry, at: hole)
    }

    private mutating func put(_ entry: Entry, at index: Int) {
        entries[index] = entry
        entry.member.heapIndex = index
    }
}
