import CCurl

extension CurlTransfer {
    /// The longest body of a response that is not final that is read in order to keep the connection.
    static var discardLimit: Int { 64 << 10 }

    // MARK: - Headers are complete

    /// Shows the handler the response, or the redirect or challenge that it is; false to abort.
    func present() -> Bool {
        let response = TransportResponse(
            url: url.text, status: headers.status, httpVersion: headers.httpVersion, block: headers,
            expectedBytes: expectedBytes)
        self.response = response
        learn(from: response)
        if let defect = ResponseCheck.defect(of: headers, to: request) {
            return fail(.malformedResponse(reason: defect, url: url.text))
        }
        if let jar = request.cookies { jar.noteArrivals(headers.values(of: "Set-Cookie").count) }
        guard (300..<400).contains(response.status) else { return consider(response) }
        do throws(TransportError) {
            let next = try RedirectPolicy.request(
                after: response, to: request, at: url, followed: redirectCount)
            guard let next else { return consider(response) }
            let question = Question<TransportRequest?>()
            state = .redirecting(question, response)
            handler.transfer(willRedirect: response, to: next) { [task] answer in
                if question.answer(answer) { task.answered() }
            }
            return settle()
        } catch {
            return fail(error)
        }
    }

    private func offer(_ response: TransportResponse) -> Bool {
        let announced = request.method == "HEAD" ? 0 : response.expectedBytes ?? 0
        guard announced <= request.maximumBodyBytes else {
            return fail(.tooLarge(limit: request.maximumBodyBytes, url: url.text))
        }
        let question = Question<Bool>()
        state = .offered(question)
        handler.transfer(didReceive: response) { [task] answer in
            if question.answer(answer) { task.answered() }
        }
        return settle()
    }

    private func learn(from response: TransportResponse) {
        let isMultiplexed = !response.httpVersion.hasPrefix("HTTP/1")
        if isMultiplexed, origin.speech != .multiplexed { context.widened.append(origin) }
        origin.speech = isMultiplexed ? .multiplexed : .http1
    }

    /// What Content-Length says, where that is the length of the decoded body.
    private var expectedBytes: Int64? {
        guard let easy else { return nil }
        let length = easy.size(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
        guard length >= 0 else { return nil }
        guard headers.value(of: "Transfer-Encoding") == nil else { return nil }
        let coding = headers.value(of: "Content-Encoding")
        return coding == nil || coding?.lowercased() == "identity" ? length : nil
    }

    // MARK: - Who asks

    /// Offers the response, unless there is a chance that a credential leads to a better one.
    private func consider(_ response: TransportResponse) -> Bool {
        switch response.status {
        case 401:
            let known = authentication.sent == nil && authentication.failures == 0 ? request.credential : nil
            authentication.fail()
            guard let wish = ChallengeParser.best(of: headers.values(of: "WWW-Authenticate")) else { break }
            if let known {
                use(known, by: wish.scheme, forProxy: false)
                return leave(response)
            }
            guard authentication.mayAsk else { break }
            pose(
                HTTPChallenge(
                    host: url.host, port: url.port, urlScheme: url.scheme, realm: wish.realm,
                    scheme: wish.scheme, isProxy: false, previousFailures: authentication.failures,
                    response: response))
            return settle()
        case 407 where request.proxy.mayAnswer(for: url):
            if askForProxy(headers, response) { return settle() }
        default:
            break
        }
        return offer(response)
    }

    /// A proxy did not open a tunnel until it knows who asks; does nothing unless it can be told.
    func presentTunnel(_ block: HeaderBlock) {
        let response = TransportResponse(
            url: url.text, status: block.status, httpVersion: block.httpVersion, block: block,
            expectedBytes: nil)
        if askForProxy(block, response) { _ = settle() }
    }

    /// Asks the handler for a proxy's credential; false if there is no point in asking.
    private func askForProxy(_ block: HeaderBlock, _ response: TransportResponse) -> Bool {
        proxyAuthentication.fail()
        guard let wish = ChallengeParser.best(of: block.values(of: "Proxy-Authenticate")),
            proxyAuthentication.mayAsk
        else { return false }
        let place = request.proxy.place(for: url)
        pose(
            HTTPChallenge(
                host: place.host, port: place.port, urlScheme: url.scheme, realm: wish.realm,
                scheme: wish.scheme, isProxy: true, previousFailures: proxyAuthentication.failures,
                response: response))
        return true
    }

    private func pose(_ challenge: HTTPChallenge) {
        let question = Question<ChallengeAnswer>()
        state = .challenged(question, challenge)
        handler.transfer(didReceiveChallenge: challenge) { [task] answer in
            if question.answer(answer) { task.answered() }
        }
    }

    private func use(
        _ credential: TransportCredential, by scheme: HTTPChallenge.Scheme, forProxy isProxy: Bool
    ) {
        if isProxy {
            proxyAuthentication.send(credential, by: scheme)
        } else {
            request.credential = credential
            // libcurl writes the field only if it is not there already.
            request.headers.removeAll { $0.name.lowercased() == "authorization" }
            authentication.send(credential, by: scheme)
        }
    }

    // MARK: - Decisions

    /// Acts on the handler's decision if there is one, and waits for it if not; false to abort.
    func settle() -> Bool {
        switch state {
        case .offered(let question):
            guard let isWanted = question.take() else { return suspend() }
            guard isWanted else { return fail(.rejected(url: url.text)) }
            state = .receivingBody
        case .redirecting(let question, let response):
            guard let answer = question.take() else { return suspend() }
            guard let next = answer else { return offer(response) }
            return leave(response, for: .redirect(next))
        case .challenged(let question, let challenge):
            guard let answer = question.take() else { return suspend() }
            return act(on: answer, to: challenge)
        case .awaitingHeaders, .unproven, .receivingBody, .leaving:
            return true
        }
        wake()
        return true
    }

    private func act(on answer: ChallengeAnswer, to challenge: HTTPChallenge) -> Bool {
        switch answer {
        case .use(let credential):
            use(credential, by: challenge.scheme, forProxy: challenge.isProxy)
            return leave(challenge.response)
        case .goOnWithout where headers.isEmpty:
            let reason = "the proxy wants to know who asks"
            return fail(.cannotConnect(reason: reason, url: url.text))
        case .goOnWithout:
            return offer(challenge.response)
        case .cancel:
            return fail(.authenticationCancelled(url: url.text))
        }
    }

    /// Goes on to the next request once this response's body is read; false to abort, if that would take too long.
    private func leave(_ response: TransportResponse, for next: Next = .again) -> Bool {
        state = .leaving(for: next, discarded: 0)
        guard response.expectedBytes ?? 0 <= Self.discardLimit else { return false }
        wake()
        return true
    }

    private func wake() {
        if deadlines?.stage == .suspended { enter(.receiving) }
    }

    private func suspend() -> Bool {
        enter(.suspended)
        return true
    }

    /// Notes why the transfer is to fail; always false.
    func fail(_ error: TransportError) -> Bool {
        if failure == nil { failure = error }
        return false
    }
}
