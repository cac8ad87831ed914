/// Starts transfers as their origins, backpressure and descriptors allow.
extension CurlLoop {
    /// Whether the bodies in flight from an origin, as announced, are so large that no further transfer to it starts.
    ///
    /// Their origin alone waits for them: a server that announces bytes and does not send them blocks no other.
    func isFull(_ origin: OriginQueue<CurlTransfer>) -> Bool {
        origin.bytesInFlight >= 2 * backpressure.limit
    }

    /// Whether all transfers in flight have received so much that no further one starts.
    ///
    /// An origin without a transfer may start one nevertheless: a slow server with large bodies blocks no other.
    var holdsTooMuch: Bool { context.bytesInFlight >= 8 * backpressure.limit }

    /// Starts the transfers of an origin that may start now.
    func admit(from origin: OriginQueue<CurlTransfer>) {
        while let next = origin.next {
            // A redirected transfer is not blocked, because its timeouts run.
            if next.deadlines == nil {
                // The end of one of its transfers admits the next.
                if isFull(origin) { break }
                let isHeld = holdsTooMuch && origin.active > 0
                if backpressure.isFull(with: finishedBytes) || isHeld || !hasDescriptors {
                    return block(origin)
                }
            }
            guard let transfer = origin.admit(connections: { $0.request.connectionsPerHost }) else { break }
            start(transfer)
        }
        if origin.hasBlockedMembers { block(origin) }
    }

    /// Starts the transfers of blocked origins that may start now.
    func admitBlocked() {
        var origins: [OriginQueue<CurlTransfer>] = []
        swap(&origins, &blockedOrigins)
        for origin in origins {
            origin.isBlocked = false
            admit(from: origin)
        }
    }

    private func block(_ origin: OriginQueue<CurlTransfer>) {
        guard !origin.isBlocked else { return }
        origin.isBlocked = true
        blockedOrigins.append(origin)
    }

    /// Wakes the loop when a consumer of the transfer's body has room.
    func watchConsumers(of transfer: CurlTransfer) {
        transfer.task.request.consumers?.observe(for: inbox) { [weak inbox] in _ = inbox?.post(.admit) }
    }
}
