/// Members that wait to start: the one that ranks first goes first, of those that no full backlog holds back.
package struct AdmissionQueue<Member: Ranked> {
    private struct Held {
        let obstacle: Backlog
        var members = PriorityHeap<Member>()
    }

    private var ready = PriorityHeap<Member>()

    /// Those that turned out to be held back when it was their turn.
    private var held: [Held] = []

    /// Those of them that room in another backlog than the one they wait behind can let go.
    private var heldOnSeveralPaths: [Member] = []

    package init() {}

    package var isEmpty: Bool { ready.isEmpty && held.isEmpty }

    /// Whether a backlog holds somebody back.
    package var isHoldingBack: Bool { !held.isEmpty }

    package mutating func insert(_ member: Member) { ready.insert(member) }

    package mutating func remove(_ member: Member) {
        if ready.contains(member) { return ready.remove(member) }
        guard let index = held.firstIndex(where: { $0.members.contains(member) }) else { return }
        held[index].members.remove(member)
        if held[index].members.isEmpty { held.remove(at: index) }
        heldOnSeveralPaths.removeAll { $0 === member }
    }

    /// Moves `member`, whose rank or whose obstacle has changed, to where it belongs.
    package mutating func update(_ member: Member) {
        guard member.heapIndex != nil else { return }
        if ready.contains(member) { return ready.update(member) }
        remove(member)
        insert(member)
    }

    /// The member that may start next; nil if there is none.
    package mutating func first() -> Member? {
        var hasMoved = true
        while hasMoved {
            hasMoved = letGo()
            while let member = ready.first, let obstacle = member.obstacle { hold(member, behind: obstacle) }
            if let member = ready.first { return member }
        }
        return nil
    }

    private mutating func hold(_ member: Member, behind obstacle: Backlog) {
        ready.remove(member)
        let index = held.firstIndex { $0.obstacle === obstacle } ?? held.count
        if index == held.count { held.append(Held(obstacle: obstacle)) }
        held[index].members.insert(member)
        if member.hasSeveralPaths { heldOnSeveralPaths.append(member) }
    }

    /// Has the first of those behind each backlog that has room again take part, so that others follow one by one.
    private mutating func letGo() -> Bool {
        var hasMoved = false
        for index in held.indices.reversed() where !held[index].obstacle.isFull {
            guard let member = held[index].members.first else { continue }
            remove(member)
            ready.insert(member)
            hasMoved = true
        }
        for member in heldOnSeveralPaths where member.obstacle == nil {
            remove(member)
            ready.insert(member)
            hasMoved = true
        }
        return hasMoved
    }
}
