import CCurl
import CSSL
import Glibc

extension CurlTransfer {
    /// What becomes of a piece of the body.
    enum Reception {
        case taken
        case pause
        case abort
    }

    /// The connection stands; the request is about to be sent.
    func connected(_ ends: SocketTable.Ends) -> Bool {
        // A connection may have been made for another request, with another policy.
        if request.addressPolicy == .publicOnly, IPAddress(ends.remoteAddress)?.isPublic != true {
            failure = .addressRefused(ends.remoteAddress, url: url.text)
            return false
        }
        let session = url.isSecure ? easy?.tlsSession : nil
        speaksHTTP2 = session?.speaksHTTP2 == true
        // What has come would be taken for the answer to this request. HTTP/2 says itself what is an answer to what.
        if !speaksHTTP2, let socket = context.sockets.reused(ends),
            session?.hasInput == true || SocketTable.hasInput(socket)
        {
            isStale = true
            return false
        }
        if isSent, headers.isEmpty { hasStartedOver = true }
        isSent = true
        // If a reused connection breaks before it has brought a byte, libcurl asks again by itself: once and over a new
        // one, as a new one that breaks is an error.
        easy?.set(CURLOPT_FRESH_CONNECT, 1)
        tlsVersion = session.flatMap { SSL_get_version($0) }.map { String(cString: $0) }
        enter(.awaitingFirstByte)
        return true
    }

    /// A socket for an address that the host's name has; libcurl tries the next one if there is none.
    func openSocket(to address: UnsafeMutablePointer<curl_sockaddr>) -> Int32 {
        guard withUnsafePointer(to: &address.pointee.addr, mayConnect) else { return alcedo_curl_socket_bad }
        let socket = context.sockets.open(
            family: address.pointee.family, type: address.pointee.socktype,
            protocol: address.pointee.protocol)
        if socket < 0, errno == EMFILE || errno == ENFILE { shortage = errno }
        return socket
    }

    private func mayConnect(to address: UnsafePointer<sockaddr>) -> Bool {
        guard request.addressPolicy == .publicOnly else { return true }
        let address = IPAddress(address)
        guard address?.isPublic != true else { return true }
        refusedAddress = address?.text ?? "?"
        return false
    }

    /// A line of the status, the headers or the trailers; false to abort.
    func receive(headerLine line: UnsafeRawBufferPointer) -> Bool {
        if deadlines?.stage == .receiving { deadlines?.touch(at: context.now) } else { enter(.receiving) }
        switch headers.append(line: line) {
        case .field:
            return true
        case .beyondLimit:
            return fail(
                .malformedResponse(
                    reason:
                        "it has more than \(HeaderBlock.byteLimit) bytes or \(HeaderBlock.lineLimit) lines of headers",
                    url: url.text))
        case .end:
            guard case .awaitingHeaders = state else { return true }
            let status = headers.status
            // libcurl may ask again by itself; only the body or the end shows that it does not.
            let mayGoOn =
                (status == 401 && authentication.sent != nil)
                || (status == 407 && proxyAuthentication.sent != nil)
            return status < 200 || mayGoOn ? true : present()
        }
    }

    /// A line that a proxy has said instead of opening a tunnel.
    func receive(tunnelLine line: UnsafeRawBufferPointer) {
        if !isSent, tunnelHeaders != nil { _ = tunnelHeaders?.append(line: line) }
    }

    /// A piece of the body, decoded.
    func receive(chunk: UnsafeRawBufferPointer) -> Reception {
        guard !task.isCancelled else { return .abort }
        if case .awaitingHeaders = state, !present() { return .abort }
        switch state {
        case .awaitingHeaders, .unproven:
            return .abort
        case .offered, .redirecting, .challenged:
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
}

extension EasyHandle {
    /// The TLS that is being spoken, if OpenSSL speaks it.
    fileprivate var tlsSession: OpaquePointer? {
        guard CurlLibrary.usesOpenSSL else { return nil }
        var session: UnsafeMutablePointer<curl_tlssessioninfo>?
        withUnsafeMutableBytes(of: &session) { place in
            guard let place = place.baseAddress?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
            else { return }
            _ = alcedo_curl_get_pointer(pointer, CURLINFO_TLS_SSL_PTR, place)
        }
        return session?.pointee.internals.map { OpaquePointer($0) }
    }
}

extension OpaquePointer {
    /// Whether OpenSSL has read bytes that libcurl has not.
    fileprivate var hasInput: Bool { SSL_has_pending(self) == 1 }

    /// Whether client and server have agreed on HTTP/2 in the handshake.
    fileprivate var speaksHTTP2: Bool {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(self, &name, &count)
        return UnsafeBufferPointer(start: name, count: Int(count)).elementsEqual("h2".utf8)
    }
}
