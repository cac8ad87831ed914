/// Who starts when a place at an origin is free, and who waits for room in the backlog.
extension CurlLoop {
    /// Starts those of an origin who may start now.
    func admit(from origin: OriginQueue<CurlTransfer>) {
        while let next = origin.next {
            // Who was redirected has begun already, and its time runs.
            if backlog.isFull(with: finishedBytes), next.deadlines == nil { return holdBack(origin) }
            guard let transfer = origin.admit(connections: { $0.request.connectionsPerHost }) else { return }
            begin(transfer)
        }
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
}
