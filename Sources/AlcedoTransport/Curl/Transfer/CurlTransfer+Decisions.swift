import CCurl

// Responses for the machine, and decisions of the handler.

extension CurlTransfer {
    /// Passes the complete headers to the machine; false to abort.
    func evaluateResponse() -> Bool {
        let response = response(headers, expectedBytes: expectedBytes)
        let isMultiplexed = !response.httpVersion.hasPrefix("HTTP/1")
        if isMultiplexed, origin.protocolVersion != .multiplexed { context.widened.append(origin) }
        origin.protocolVersion = isMultiplexed ? .multiplexed : .http1
        if let jar = request.cookies { jar.countArrivals(headers.values(of: "Set-Cookie").count) }
        return perform(machine.handle(.response(response)))
    }

    func response(_ headers: HeaderBlock, expectedBytes: Int64? = nil) -> TransportResponse {
        TransportResponse(
            url: request.url, status: headers.status, httpVersion: headers.httpVersion, block: headers,
            expectedBytes: expectedBytes)
    }

    /// The length of the decoded body; nil if it is not announced.
    private var expectedBytes: Int64? {
        guard let easy else { return nil }
        let length = easy.size(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
        guard length >= 0 else { return nil }
        // It overrides a Content-Length (RFC 9112, 6.3).
        guard headers.value(of: "Transfer-Encoding") == nil else { return nil }
        let coding = headers.value(of: "Content-Encoding")
        return coding == nil || coding?.lowercased() == "identity" ? length : nil
    }

    /// Carries out the machine's action; false to abort.
    func perform(_ action: TransferMachine.Action) -> Bool {
        switch action {
        case .proceed:
            if deadlines?.stage == .suspended { enter(.receiving) }
            return true
        case .abort:
            return false
        case .offer(let response):
            return decide { handler, decide in
                handler.transfer(didReceive: response) { decide(.accepted($0)) }
            }
        case .redirect(let response, let next):
            return decide { handler, decide in
                handler.transfer(willRedirect: response, to: next) { decide(.redirected(to: $0)) }
            }
        case .challenge(let challenge):
            return decide { handler, decide in
                handler.transfer(didReceiveChallenge: challenge) { decide(.authenticated($0)) }
            }
        }
    }

    /// Has the handler decide, now or later; false to abort.
    private func decide(
        _ call: (any TransportHandler, @escaping @Sendable (TransferMachine.Event) -> Void) -> Void
    ) -> Bool {
        let decision = Decision<TransferMachine.Event>()
        self.decision = decision
        call(handler) { [task] event in
            if decision.make(event) { task.postDecision() }
        }
        return applyDecision()
    }

    /// Acts on the handler's decision, or suspends the timeouts until it is made; false to abort.
    func applyDecision() -> Bool {
        guard let decision else { return true }
        guard let event = decision.take() else {
            enter(.suspended)
            return true
        }
        self.decision = nil
        return perform(machine.handle(event))
    }
}
