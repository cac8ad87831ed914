import CCurl
import Glibc

extension EasyHandle {
    /// Sets `transfer` as the callbacks' user data; it must outlive that.
    func report(to transfer: CurlTransfer) {
        let user = Unmanaged.passUnretained(transfer).toOpaque()
        alcedo_curl_set_pointer(pointer, CURLOPT_PRIVATE, user)
        alcedo_curl_set_pointer(pointer, CURLOPT_HEADERDATA, user)
        alcedo_curl_set_pointer(pointer, CURLOPT_WRITEDATA, user)
        alcedo_curl_set_pointer(pointer, CURLOPT_PREREQDATA, user)
        alcedo_curl_set_pointer(pointer, CURLOPT_OPENSOCKETDATA, user)
    }

    /// Sets the callbacks; `sockets` must outlive libcurl's connections.
    func setCallbacks(_ sockets: SocketTable) {
        alcedo_curl_set_receiver(pointer, CURLOPT_HEADERFUNCTION) { bytes, size, count, user in
            guard let bytes, let user else { return 0 }
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return CurlTransfer.at(user).receive(headerLine: line) ? line.count : 0
        }
        alcedo_curl_set_receiver(pointer, CURLOPT_WRITEFUNCTION) { bytes, size, count, user in
            guard let bytes, let user else { return 0 }
            let chunk = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return switch CurlTransfer.at(user).receive(chunk: chunk) {
            case .deliver, .discard: chunk.count
            case .pause: alcedo_curl_write_pause
            case .abort: 0
            }
        }
        alcedo_curl_set_prerequest(pointer) { user, remoteAddress, localAddress, remotePort, localPort in
            let ends = SocketTable.Ends(
                remoteAddress: remoteAddress.map { String(cString: $0) } ?? "", remotePort: remotePort,
                localAddress: localAddress.map { String(cString: $0) } ?? "", localPort: localPort)
            guard let user, CurlTransfer.at(user).connected(ends) else { return CURL_PREREQFUNC_ABORT }
            return CURL_PREREQFUNC_OK
        }
        alcedo_curl_set_opensocket(pointer) { user, _, address in
            guard let user, let address else { return alcedo_curl_socket_bad }
            return CurlTransfer.at(user).openSocket(to: address)
        }
        alcedo_curl_set_pointer(
            pointer, CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(sockets).toOpaque())
        alcedo_curl_set_closesocket(pointer) { sockets, socket in
            guard let sockets else { return close(socket) }
            return Unmanaged<SocketTable>.fromOpaque(sockets).takeUnretainedValue().close(socket)
        }
    }

    /// Enables debug output, which has a proxy's headers from before the tunnel; costs some time.
    func reportTunnel(to transfer: CurlTransfer) {
        set(CURLOPT_VERBOSE, 1)
        alcedo_curl_set_pointer(
            pointer, CURLOPT_DEBUGDATA, Unmanaged.passUnretained(transfer).toOpaque())
        alcedo_curl_set_debug(pointer) { _, kind, bytes, count, user in
            if kind == CURLINFO_HEADER_IN, let user {
                let line = UnsafeRawBufferPointer(start: bytes, count: count)
                CurlTransfer.at(user).receive(tunnelLine: line)
            }
            return 0
        }
    }
}

extension CurlTransfer {
    /// The transfer of a callback's user data.
    static func at(_ user: UnsafeMutableRawPointer) -> CurlTransfer {
        Unmanaged<CurlTransfer>.fromOpaque(user).takeUnretainedValue()
    }
}
