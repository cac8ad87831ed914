import CCurl
import CSSL
import Glibc

extension CurlTransfer {
    /// libcurl's prerequest callback: the connection is ready; false to abort.
    func connected(_ ends: SocketTable.Ends) -> Bool {
        context.cookieHold.end()
        // The connection may have been opened for another request, with another policy.
        if request.addressPolicy.isRestricted,
            IPAddress(ends.remoteAddress)?.isAllowed(by: request.addressPolicy) != true
        {
            return perform(machine.handle(.failed(.addressRefused(ends.remoteAddress, url: url.text))))
        }
        let session = url.isSecure ? easy?.tlsSession : nil
        speaksHTTP2 = session?.speaksHTTP2 == true
        // HTTP/1.1 would take pending input for the response to this request.
        if !speaksHTTP2, let socket = context.sockets.reused(ends),
            session?.hasInput == true || SocketTable.hasInput(socket)
        {
            return perform(machine.handle(.foundStaleConnection))
        }
        // If a reused connection breaks before its first byte, libcurl sends the request again, over a new connection
        // and once: a new one that breaks is an error.
        easy?.set(CURLOPT_FRESH_CONNECT, 1)
        tlsVersion = session.flatMap { SSL_get_version($0) }.map { String(cString: $0) }
        enter(.awaitingFirstByte)
        guard perform(machine.handle(.sending(hasHeaders: !headers.isEmpty))) else { return false }
        if request.cookies != nil { context.cookieHold.begin() }
        return true
    }

    /// libcurl's socket callback, for one of the host's addresses; libcurl tries the next one after a failure.
    func openSocket(to address: UnsafeMutablePointer<curl_sockaddr>) -> Int32 {
        guard withUnsafePointer(to: &address.pointee.addr, mayConnect) else { return alcedo_curl_socket_bad }
        let socket = context.sockets.open(
            family: address.pointee.family, type: address.pointee.socktype,
            protocol: address.pointee.protocol)
        if socket < 0, errno == EMFILE || errno == ENFILE { shortage = errno }
        return socket
    }

    private func mayConnect(to address: UnsafePointer<sockaddr>) -> Bool {
        guard request.addressPolicy.isRestricted else { return true }
        let address = IPAddress(address)
        guard address?.isAllowed(by: request.addressPolicy) != true else { return true }
        refusedAddress = address?.text ?? "?"
        return false
    }

    /// libcurl's header callback, for the status line, header fields and trailers; false to abort.
    func receive(headerLine line: UnsafeRawBufferPointer) -> Bool {
        context.cookieHold.end()
        if deadlines?.stage == .receiving { deadlines?.touch(at: context.now) } else { enter(.receiving) }
        switch headers.append(line: line) {
        case .field:
            return true
        case .beyondLimit:
            let reason =
                "it has more than \(HeaderBlock.byteLimit) bytes or \(HeaderBlock.lineLimit) lines of headers"
            return perform(machine.handle(.failed(.malformedResponse(reason: reason, url: url.text))))
        case .end:
            guard case .awaitingHeaders = machine.state else { return true }
            // libcurl may repeat the request with the credential; then neither body nor end follows.
            return machine.credentials.isFinal(status: headers.status) ? evaluateResponse() : true
        }
    }

    /// A line of a proxy's refusal to open a tunnel.
    func receive(tunnelLine line: UnsafeRawBufferPointer) {
        if !machine.isSent, tunnelHeaders != nil { _ = tunnelHeaders?.append(line: line) }
    }

    /// libcurl's write callback, with a decoded part of the body.
    func receive(chunk: UnsafeRawBufferPointer) -> TransferMachine.ChunkAction {
        context.cookieHold.end()
        guard !task.isCancelled else { return .abort }
        if case .awaitingHeaders = machine.state, !evaluateResponse() { return .abort }
        let action = machine.handleChunk(chunk.count, after: body.count)
        switch action {
        case .deliver:
            deadlines?.touch(at: context.now)
            return deliver(chunk) ? .deliver : .abort
        case .discard: deadlines?.touch(at: context.now)
        case .pause: isPaused = true
        case .abort: break
        }
        return action
    }

    private func deliver(_ chunk: UnsafeRawBufferPointer) -> Bool {
        let expected = machine.response?.expectedBytes
        guard body.append(chunk, expected: expected) else {
            let code = Int(CURLE_OUT_OF_MEMORY.rawValue)
            let error = TransportError.other(
                code: code, reason: "out of memory", url: url.text)
            return perform(machine.handle(.failed(error)))
        }
        let received = body.count
        countBody(expected: expected, received: received)
        handler.transfer(didReceive: chunk.bytes, received: Int64(received), expected: expected)
        return true
    }
}

extension EasyHandle {
    /// The connection's TLS session; nil unless it is OpenSSL's.
    fileprivate var tlsSession: OpaquePointer? {
        guard CurlLibrary.usesOpenSSL else { return nil }
        var session: UnsafeMutablePointer<curl_tlssessioninfo>?
        withUnsafeMutableBytes(of: &session) { bytes in
            guard let address = bytes.baseAddress?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
            else { return }
            _ = alcedo_curl_get_pointer(pointer, CURLINFO_TLS_SSL_PTR, address)
        }
        return session?.pointee.internals.map { OpaquePointer($0) }
    }
}

extension OpaquePointer {
    /// Whether OpenSSL has buffered bytes that libcurl has not read.
    fileprivate var hasInput: Bool { SSL_has_pending(self) == 1 }

    /// Whether ALPN negotiated HTTP/2.
    fileprivate var speaksHTTP2: Bool {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(self, &name, &count)
        return UnsafeBufferPointer(start: name, count: Int(count)).elementsEqual("h2".utf8)
    }
}
