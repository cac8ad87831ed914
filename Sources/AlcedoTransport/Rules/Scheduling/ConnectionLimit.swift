/// The number of transfers that may run at a time, so that the process has descriptors for all of them.
struct ConnectionLimit {
    /// The most descriptors that a transfer needs while it connects: two sockets, because hosts have several addresses, and
    /// two for the name lookup.
    ///
    /// Most transfers need one; the rest is left for files.
    private static let descriptorsPerTransfer = 4

    /// Seconds for which a shortage lowers the limit.
    private static let shortageInterval = 1.0

    /// The process's limit of descriptors.
    let descriptors: Int

    /// When ``descriptors`` was last compared with the system's limit.
    var checkedAt = 0.0

    /// Set if the rest of the process leaves too few descriptors even for the usual limit.
    private var shortage: (limit: Int, end: Double)?

    init(descriptors: Int) { self.descriptors = descriptors }

    /// The limit without a shortage; also the limit of connections, idle ones included.
    var usual: Int { max(1, descriptors / Self.descriptorsPerTransfer) }

    var current: Int { min(usual, shortage?.limit ?? usual) }

    /// Lowers the limit to `count`, because there was no descriptor for one more.
    mutating func recordShortage(running count: Int, at now: Double) {
        shortage = (max(1, count), now + Self.shortageInterval)
    }

    /// Restores the usual limit if the shortage has expired; true if it has.
    mutating func endShortage(at now: Double) -> Bool {
        guard let end = shortage?.end, end <= now else { return false }
        shortage = nil
        return true
    }
}
