extension CurlLoop {
    /// A handshake has stopped at a certificate about which the scope has no decision.
    ///
    /// One handler for each origin and scope decides at a time; the other transfers wait for that decision.
    func judge(_ trust: ServerTrust, _ transfer: CurlTransfer) {
        if transfer.request.trustScope?.accepts(trust) == true { return restart(transfer) }
        guard transfer.origin.trustDecider != nil else { return decide(about: trust, transfer) }
        transfer.enter(.suspended)
        transfer.origin.awaitingTrust.append(transfer)
    }

    private func decide(about trust: ServerTrust, _ transfer: CurlTransfer) {
        let decision = Decision<TrustDecision>()
        transfer.origin.trustDecider = transfer
        transfer.trustDecision = decision
        transfer.enter(.suspended)
        transfer.handler.transfer(didReceiveTrust: trust) { [task = transfer.task] value in
            if decision.make(value) { task.postDecision() }
        }
        applyTrustDecision(to: transfer)
    }

    /// Acts on the handler's decision, if it has been made.
    func applyTrustDecision(to transfer: CurlTransfer) {
        guard case .awaitingTrust(let trust) = transfer.machine.state,
            let decision = transfer.trustDecision?.take()
        else { return }
        switch decision {
        case .reject:
            finish(transfer, .failure(.serverRejected(url: transfer.url.text)))
        case .byDefault where !trust.isValid:
            finish(transfer, .failure(.tls(reason: trust.defect ?? "", url: transfer.url.text)))
        case .accept, .byDefault:
            transfer.request.trustScope?.record(trust, evenIfInvalid: decision == .accept)
            resumeAll(after: transfer)
        }
    }

    /// Continues the transfer, and those that have waited for its decision.
    private func resumeAll(after transfer: CurlTransfer) {
        let origin = transfer.origin
        let awaitingTrust = origin.awaitingTrust
        (origin.trustDecider, origin.awaitingTrust) = (nil, [])
        for transfer in [transfer] + awaitingTrust { restart(transfer) }
        admit(from: origin)
    }

    /// A transfer ends; if its handler was to decide, the next transfer's does.
    func withdrawTrustDecision(of transfer: CurlTransfer) {
        guard case .awaitingTrust = transfer.machine.state else { return }
        let origin = transfer.origin
        guard origin.trustDecider === transfer else {
            return origin.awaitingTrust.removeAll { $0 === transfer }
        }
        origin.trustDecider = nil
        guard let next = origin.awaitingTrust.first, case .awaitingTrust(let trust) = next.machine.state
        else {
            return
        }
        origin.awaitingTrust.removeFirst()
        decide(about: trust, next)
    }
}

extension TrustScope {
    fileprivate func accepts(_ trust: ServerTrust) -> Bool {
        guard let subject = trust.subject, let decision = decisions[subject] else { return false }
        return decision == .accepted || trust.isValid
    }

    fileprivate func record(_ trust: ServerTrust, evenIfInvalid: Bool) {
        if let subject = trust.subject {
            decisions.remember(evenIfInvalid ? .accepted : .whileValid, about: subject)
        }
    }
}

extension ServerTrust {
    fileprivate var subject: TrustDecisions.Subject? {
        certificates.first.map { .init(host: host, port: port, fingerprint: $0.fingerprint) }
    }
}
