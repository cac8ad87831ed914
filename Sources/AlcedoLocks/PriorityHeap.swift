/// A member of a ``PriorityHeap`` or an ``AdmissionQueue``.
@usableFromInline package protocol Ranked: AnyObject {
    /// The order of start.
    var rank: Rank { get }

    /// The index in its heap; nil outside of one. Written by the heap only.
    var heapIndex: Int? { get set }

    /// The full limit that keeps it from starting; nil, the default, if it may start.
    var blocker: Backpressure? { get }

    /// Whether it may start once one of several limits has room; false by default.
    var hasSeveralPaths: Bool { get }
}

extension Ranked {
    @inlinable package var blocker: Backpressure? { nil }
    @inlinable package var hasSeveralPaths: Bool { false }
}

/// Higher priorities go first, and lower sequence numbers among equals.
@usableFromInline package struct Rank: Comparable {
    @usableFromInline package let priority: Float
    @usableFromInline package let sequence: UInt64

    /// A priority that is not a number counts as 0.
    @inlinable package init(priority: Float, sequence: UInt64) {
        self.priority = priority.isNaN ? 0 : priority
        self.sequence = sequence
    }

    @inlinable package static func < (left: Rank, right: Rank) -> Bool {
        left.priority != right.priority ? left.priority > right.priority : left.sequence < right.sequence
    }
}

/// A binary heap whose members know their indices, so that each can be removed or moved in O(log n).
///
/// Ranks are stored beside the members, so that comparisons do not dereference these. Inlinable, because the generic code
/// would look up types at run time: a twentieth of the instructions of a small download.
@usableFromInline package struct PriorityHeap<Member: Ranked> {
    @usableFromInline struct Entry {
        @usableFromInline var rank: Rank
        @usableFromInline let member: Member

        @inlinable init(rank: Rank, member: Member) { (self.rank, self.member) = (rank, member) }
    }

    @usableFromInline var entries: [Entry] = []

    @inlinable package init() {}

    @inlinable package var isEmpty: Bool { entries.isEmpty }

    /// The member with the lowest rank.
    @inlinable package var first: Member? { entries.first?.member }

    @inlinable package func contains(_ member: Member) -> Bool {
        // The index may be one in another heap, such as another group's of an AdmissionQueue.
        guard let index = member.heapIndex, index < entries.count else { return false }
        return entries[index].member === member
    }

    @inlinable package mutating func insert(_ member: Member) {
        let entry = Entry(rank: member.rank, member: member)
        entries.append(entry)
        siftUp(entry, from: entries.count - 1)
    }

    @inlinable package mutating func remove(_ member: Member) {
        guard let index = member.heapIndex else { return }
        member.heapIndex = nil
        let last = entries.removeLast()
        if index < entries.count { place(last, at: index) }
    }

    /// Restores the order after the rank of `member` has changed.
    @inlinable package mutating func update(_ member: Member) {
        guard let index = member.heapIndex else { return }
        place(Entry(rank: member.rank, member: member), at: index)
    }

    /// Puts `entry` into the hole at `index`, after moving the hole to restore the order.
    @inlinable mutating func place(_ entry: Entry, at index: Int) {
        if index > 0, entry.rank < entries[(index - 1) / 2].rank {
            siftUp(entry, from: index)
        } else {
            siftDown(entry, from: index)
        }
    }

    @inlinable mutating func siftUp(_ entry: Entry, from start: Int) {
        var hole = start
        while hole > 0, case let parent = (hole - 1) / 2, entry.rank < entries[parent].rank {
            put(entries[parent], at: hole)
            hole = parent
        }
        put(entry, at: hole)
    }

    @inlinable mutating func siftDown(_ entry: Entry, from start: Int) {
        var hole = start
        while case var child = 2 * hole + 1, child < entries.count {
            if child + 1 < entries.count, entries[child + 1].rank < entries[child].rank { child += 1 }
            guard entries[child].rank < entry.rank else { break }
            put(entries[child], at: hole)
            hole = child
        }
        put(entry, at: hole)
    }

    @inlinable mutating func put(_ entry: Entry, at index: Int) {
        entries[index] = entry
        entry.member.heapIndex = index
    }
}
