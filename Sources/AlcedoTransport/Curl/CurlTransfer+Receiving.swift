import CCurl

extension CurlTransfer {
    /// What becomes of a piece of the body.
    enum Reception {
        case taken
        case pause
        case abort
    }

    /// The longest body of a redirect that is read in order to keep the connection.
    private static var discardLimit: Int { 64 << 10 }

    /// The connection stands; the request is about to be sent.
    func connected() { enter(.awaitingFirstByte) }

    /// A line of the status, the headers or the trailers; false to abort.
    func receive(headerLine line: UnsafeRawBufferPointer) -> Bool {
        if deadlines?.stage == .receiving { deadlines?.touch(at: context.now) } else { enter(.receiving) }
        switch headers.append(line: line) {
        case .field:
            return true
        case .beyondLimit:
            return fail(
                .malformedResponse(
                    reason: "it has more than \(HeaderBlock.byteLimit) bytes of headers", url: url.text))
        case .end:
            guard case .awaitingHeaders = state else { return true }
            let status = headers.status
            // After a 401 libcurl may ask again by itself; only the body or the end shows that it does not.
            if status < 200 || (status == 401 && request.credential != nil) { return true }
            return present()
        }
    }

    /// A piece of the body, decoded.
    func receive(chunk: UnsafeRawBufferPointer) -> Reception {
        guard !task.isCancelled else { return .abort }
        if case .awaitingHeaders = state, !present() { return .abort }
        switch state {
        case .awaitingHeaders:
            return .abort
        case .offered, .redirecting:
            isPaused = true
            return .pause
        case .receivingBody:
            deadlines?.touch(at: context.now)
            return accept(chunk)
        case .leaving(let next, let discarded):
            deadlines?.touch(at: context.now)
            state = .leaving(for: next, discarded: discarded + chunk.count)
            return discarded + chunk.count > Self.discardLimit ? .abort : .taken
        }
    }

    private func accept(_ chunk: UnsafeRawBufferPointer) -> Reception {
        guard chunk.count <= request.maximumBodyBytes - body.count else {
            return fail(.tooLarge(limit: request.maximumBodyBytes, url: url.text)) ? .taken : .abort
        }
        guard body.append(chunk, expected: response?.expectedBytes) else {
            let reason = "there is no memory for the body"
            return fail(.other(code: Int(CURLE_OUT_OF_MEMORY.rawValue), reason: reason, url: url.text))
                ? .taken : .abort
        }
        handler.transfer(
            didReceive: chunk.bytes, received: Int64(body.count), expected: response?.expectedBytes)
        return .taken
    }

    // MARK: - Headers are complete

    /// Shows the handler the response, or the redirect that it is; false to abort.
    func present() -> Bool {
        let response = TransportResponse(
            url: url.text, status: headers.status, httpVersion: headers.httpVersion, block: headers,
            expectedBytes: expectedBytes)
        self.response = response
        learn(from: response)
        do throws(TransportError) {
            let next = try RedirectPolicy.request(
                after: response, to: request, at: url, followed: redirectCount)
            guard let next else { return offer(response) }
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
            state = .leaving(for: next, discarded: 0)
            guard response.expectedBytes ?? 0 <= Self.discardLimit else { return false }
        case .awaitingHeaders, .receivingBody, .leaving:
            return true
        }
        if deadlines?.stage == .suspended { enter(.receiving) }
        return true
    }

    private func suspend() -> Bool {
        enter(.suspended)
        return true
    }

    private func fail(_ error: TransportError) -> Bool {
        if failure == nil { failure = error }
        return false
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
}
