/// Limits the transfers when the process runs out of descriptors.
extension CurlLoop {
    /// Whether there are descriptors for one more transfer.
    var hasDescriptors: Bool {
        if connectionLimit.endShortage(at: context.now) { multi.limitConnections(to: connectionLimit.usual) }
        if active.count < connectionLimit.current { return true }
        // The program may have raised the limit. The check is a system call: one for each round of the loop is enough.
        guard connectionLimit.checkedAt < context.now else { return false }
        connectionLimit.checkedAt = context.now
        let descriptors = Descriptors.limit
        guard descriptors != connectionLimit.descriptors else { return false }
        connectionLimit = ConnectionLimit(descriptors: descriptors)
        multi.limitConnections(to: connectionLimit.usual)
        return active.count < connectionLimit.current
    }

    /// Queues a transfer again that found no descriptor; false if nothing will free one.
    ///
    /// It replaces an idle connection, or starts once another transfer has ended.
    func requeue(_ transfer: CurlTransfer) -> Bool {
        let running = active.count - 1
        guard running > 0 || context.sockets.count > 0 else { return false }
        connectionLimit.recordShortage(running: running, at: context.now)
        // From here on libcurl closes an idle connection before it opens another.
        multi.limitConnections(to: max(1, context.sockets.count))
        release(transfer)
        transfer.reset()
        transfer.deadlines = nil
        transfer.origin.enqueue(transfer)
        admit(from: transfer.origin)
        return true
    }
}
