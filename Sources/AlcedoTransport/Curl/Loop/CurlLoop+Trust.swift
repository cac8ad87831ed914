extension CurlLoop {
    /// A handshake has failed because nobody has decided about the server's certificate yet.
    ///
    /// One handler of an origin and scope is asked at a time; the others wait for what it says.
    func question(_ trust: ServerTrust, _ transfer: CurlTransfer) {
        if transfer.request.trustScope?.letsThrough(trust) == true { return restart(transfer) }
        guard transfer.origin.asker != nil else { return ask(about: trust, transfer) }
        transfer.state = .unproven(trust, nil)
        transfer.enter(.suspended)
        transfer.origin.parked.append(transfer)
    }

    private func ask(about trust: ServerTrust, _ transfer: CurlTransfer) {
        let question = Question<TrustAnswer>()
        transfer.origin.asker = transfer
        transfer.state = .unproven(trust, question)
        transfer.enter(.suspended)
        transfer.handler.transfer(didReceiveTrust: trust) { [task = transfer.task] answer in
            if question.answer(answer) { task.answered() }
        }
        settleTrust(transfer)
    }

    /// Acts on the handler's decision, if there is one.
    func settleTrust(_ transfer: CurlTransfer) {
        guard case .unproven(let trust, let question?) = transfer.state, let answer = question.take() else {
            return
        }
        switch answer {
        case .refuse:
            finish(transfer, .failure(.serverRefused(url: transfer.url.text)))
        case .byDefault where !trust.isValid:
            finish(transfer, .failure(.tls(reason: trust.defect ?? "", url: transfer.url.text)))
        case .accept, .byDefault:
            transfer.request.trustScope?.letThrough(trust, evenIfInvalid: answer == .accept)
            goOn(after: transfer)
        }
    }

    private func goOn(after transfer: CurlTransfer) {
        let origin = transfer.origin
        let parked = origin.parked
        (origin.asker, origin.parked) = (nil, [])
        for transfer in [transfer] + parked { restart(transfer) }
        admit(from: origin)
    }

    /// A transfer ends; if its handler was being asked, the next one is.
    func withdrawQuestion(of transfer: CurlTransfer) {
        guard case .unproven = transfer.state else { return }
        let origin = transfer.origin
        guard origin.asker === transfer else { return origin.parked.removeAll { $0 === transfer } }
        origin.asker = nil
        guard let next = origin.parked.first, case .unproven(let trust, _) = next.state else { return }
        origin.parked.removeFirst()
        ask(about: trust, next)
    }
}

extension TrustScope {
    fileprivate func letsThrough(_ trust: ServerTrust) -> Bool {
        guard let subject = trust.subject, let decision = decisions[subject] else { return false }
        return decision == .accepted || trust.isValid
    }

    fileprivate func letThrough(_ trust: ServerTrust, evenIfInvalid: Bool) {
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
