import AlcedoLocks

/// The transfers of one origin: a scheme, a host and a port.
///
/// Limits those that run at a time. An origin counts as HTTP/1.1 until its first response.
final class OriginQueue<Member: Ranked> {
    /// The protocol of an origin's last response.
    enum ProtocolVersion {
        case unknown
        case http1
        /// HTTP/2 or later: requests share a connection.
        case multiplexed
    }

    /// Most requests that share a connection: the usual limit of servers.
    static var streamLimit: Int { 100 }

    var protocolVersion = ProtocolVersion.unknown

    /// Whether the loop tries to start members once backpressure or descriptors allow it.
    var isBlocked = false

    /// Bytes of the bodies that running members receive, as announced.
    var bytesInFlight = 0

    /// The member whose handler decides about the server's certificate; no other starts meanwhile.
    var trustDecider: Member?

    /// Members that have received the same certificate, and wait for that decision.
    var awaitingTrust: [Member] = []

    private var waiting = AdmissionQueue<Member>()
    private(set) var active = 0

    var isIdle: Bool { active == 0 && waiting.isEmpty }

    /// The member that starts once there is room.
    var next: Member? { waiting.first() }

    var hasBlockedMembers: Bool { waiting.hasBlockedMembers }

    func enqueue(_ member: Member) { waiting.insert(member) }

    /// Removes the next member that may start; nil if there is none, or no room.
    ///
    /// `connections` returns how many HTTP/1.1 connections a member allows the origin.
    func admit(connections: (Member) -> Int) -> Member? {
        // While a handler decides about the certificate, another handshake would stop at the same one.
        guard trustDecider == nil, let next = waiting.first() else { return nil }
        // At least one: a limit of 0 would block the origin for ever.
        let limit = protocolVersion == .multiplexed ? Self.streamLimit : max(1, connections(next))
        guard active < limit else { return nil }
        waiting.remove(next)
        active += 1
        return next
    }

    /// An admitted member has ended.
    func release() {
        precondition(active > 0)
        active -= 1
    }

    func remove(_ member: Member) { waiting.remove(member) }

    /// Restores the order after the rank or the blocker of a waiting member has changed.
    func reorder(_ member: Member) { waiting.update(member) }
}
