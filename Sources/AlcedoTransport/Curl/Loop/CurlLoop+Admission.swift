/// Who starts when a place at an origin is free, and who waits for room in a backlog.
extension CurlLoop {
    /// Starts those of an origin who may start now.
    func admit(from origin: OriginQueue<CurlTransfer>) {
        while let next = origin.next {
            // Who was redirected has begun already, and its time runs.
            let isHeldBack = backlog.isFull(with: finishedBytes) || !hasDescriptors
            if isHeldBack, next.deadlines == nil { return holdBack(origin) }
            guard let transfer = origin.admit(connections: { $0.request.connectionsPerHost }) else { break }
            begin(transfer)
        }
        if origin.isObstructed { holdBack(origin) }
    }

    /// Has the origins that were held back try again.
    func admitHeldBack() {
        var origins: [OriginQueue<CurlTransfer>] = []
        swap(&origins, &heldBack)
        for origin in origins {
            origin.isHeldBack = false
            admit(from: origin)
        }
    }

    private func holdBack(_ origin: OriginQueue<CurlTransfer>) {
        guard !origin.isHeldBack else { return }
        origin.isHeldBack = true
        heldBack.append(origin)
    }

    /// Has those who wait for a transfer's body tell when they have room.
    func watchConsumers(of transfer: CurlTransfer) {
        transfer.task.request.consumers?.observe(for: inbox) { [weak inbox] in _ = inbox?.post(.admit) }
    }
}
