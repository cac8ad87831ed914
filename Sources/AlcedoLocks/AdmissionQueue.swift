/// Members that wait to start: the first in rank that no full ``Backpressure`` blocks starts next.
@usableFromInline package struct AdmissionQueue<Member: Ranked> {
    @usableFromInline struct Group {
        @usableFromInline let blocker: Backpressure
        @usableFromInline var members = PriorityHeap<Member>()

        @inlinable init(blocker: Backpressure) { self.blocker = blocker }
    }

    @usableFromInline var ready = PriorityHeap<Member>()

    /// Members that were blocked when they came first, by what blocks them: one look at each limit is enough for all
    /// that wait for it.
    @usableFromInline var blocked: [Group] = []

    /// Blocked members that room in another limit than their group's can unblock, too.
    @usableFromInline var blockedOnSeveralPaths: [Member] = []

    @inlinable package init() {}

    @inlinable package var isEmpty: Bool { ready.isEmpty && blocked.isEmpty }
    @inlinable package var hasBlockedMembers: Bool { !blocked.isEmpty }

    @inlinable package mutating func insert(_ member: Member) { ready.insert(member) }

    @inlinable package mutating func remove(_ member: Member) {
        if ready.contains(member) { return ready.remove(member) }
        guard let index = blocked.firstIndex(where: { $0.members.contains(member) }) else { return }
        blocked[index].members.remove(member)
        if blocked[index].members.isEmpty { blocked.remove(at: index) }
        blockedOnSeveralPaths.removeAll { $0 === member }
    }

    /// Restores the order after the rank or the blocker of `member` has changed.
    @inlinable package mutating func update(_ member: Member) {
        guard member.heapIndex != nil else { return }
        if ready.contains(member) { return ready.update(member) }
        remove(member)
        insert(member)
    }

    /// The member that may start next; nil if there is none.
    @inlinable package mutating func first() -> Member? {
        var hasUnblocked = true
        while hasUnblocked {
            // Again, because what it unblocks may wait for another full limit.
            hasUnblocked = unblock()
            while let member = ready.first, let blocker = member.blocker { block(member, behind: blocker) }
            if let member = ready.first { return member }
        }
        return nil
    }

    @inlinable mutating func block(_ member: Member, behind blocker: Backpressure) {
        ready.remove(member)
        let index = blocked.firstIndex { $0.blocker === blocker } ?? blocked.count
        if index == blocked.count { blocked.append(Group(blocker: blocker)) }
        blocked[index].members.insert(member)
        if member.hasSeveralPaths { blockedOnSeveralPaths.append(member) }
    }

    /// Unblocks the first member of each group whose limit has room again; the others follow one by one.
    @inlinable mutating func unblock() -> Bool {
        var hasUnblocked = false
        // Backwards, because `remove` also removes a group that becomes empty.
        for index in blocked.indices.reversed() where !blocked[index].blocker.isFull {
            guard let member = blocked[index].members.first else { continue }
            remove(member)
            ready.insert(member)
            hasUnblocked = true
        }
        for member in blockedOnSeveralPaths where member.blocker == nil {
            remove(member)
            ready.insert(member)
            hasUnblocked = true
        }
        return hasUnblocked
    }
}
