/// How many transfers may run at once, so that the process has descriptors for all of them.
struct ConnectionLimit {
    /// What a transfer may need while it connects.
    ///
    /// Two sockets, as hosts have several addresses, and two descriptors for looking up a name. Most transfers need one,
    /// and leave the rest to files.
    private static let descriptorsPerTransfer = 4

    /// Seconds for which a shortage counts; then the transport sees whether there are descriptors again.
    private static let shortageInterval = 1.0

    /// How many descriptors the process may have.
    let descriptors: Int

    /// When ``descriptors`` was last compared with what the system says.
    var lookedAt = 0.0

    /// Set where the rest of the process has taken so many that even fewer transfers may run.
    private var shortage: (limit: Int, end: Double)?

    init(descriptors: Int) { self.descriptors = descriptors }

    /// What the limit is without a shortage; also that of all connections, idle ones included.
    var usual: Int { max(1, descriptors / Self.descriptorsPerTransfer) }

    /// How many transfers may run.
    var current: Int { min(usual, shortage?.limit ?? usual) }

    /// No descriptor was left for one more than `count` transfers.
    mutating func noteShortage(running count: Int, at now: Double) {
        shortage = (max(1, count), now + Self.shortageInterval)
    }

    /// Forgets a shortage that was long enough ago; true if there was one.
    mutating func endShortage(at now: Double) -> Bool {
        guard let end = shortage?.end, end <= now else { return false }
        shortage = nil
        return true
    }
}
