/// Who may talk to one origin now, and who waits.
///
/// An origin is a scheme, a host and a port. Until its first response tells, it is taken to speak HTTP/1.1.
final class OriginQueue<Member: Ranked> {
    /// What an origin's responses have shown it to speak.
    enum Speech {
        case unknown
        case http1
        case multiplexed
    }

    /// Requests that share a connection where they can: what servers commonly allow.
    static var streamLimit: Int { 100 }

    /// What the last response showed.
    var speech = Speech.unknown

    /// Whether somebody is to ask again who may start, once there is room for bodies.
    var isHeldBack = false

    /// Whose handler decides about the server's certificate; nobody else starts meanwhile.
    var asker: Member?

    /// Those who have seen the certificate too, and wait for that decision.
    var parked: [Member] = []

    private var waiting = AdmissionQueue<Member>()
    private(set) var active = 0

    /// Whether nobody needs the queue.
    var isIdle: Bool { active == 0 && waiting.isEmpty }

    /// Who starts when there is room.
    var next: Member? { waiting.first() }

    /// Whether a backlog keeps somebody from starting.
    var isObstructed: Bool { waiting.isHoldingBack }

    func enqueue(_ member: Member) { waiting.insert(member) }

    /// Takes the next member that may start, if there is room for it.
    ///
    /// `connections` says how many HTTP/1.1 connections a member allows the origin.
    func admit(connections: (Member) -> Int) -> Member? {
        guard asker == nil, let next = waiting.first() else { return nil }
        let limit = speech == .multiplexed ? Self.streamLimit : max(1, connections(next))
        guard active < limit else { return nil }
        waiting.remove(next)
        active += 1
        return next
    }

    /// A member that was admitted is done.
    func leave() {
        precondition(active > 0)
        active -= 1
    }

    /// A waiting member has lost interest.
    func withdraw(_ member: Member) { waiting.remove(member) }

    /// A waiting member's rank or obstacle has changed.
    func reorder(_ member: Member) { waiting.update(member) }
}
