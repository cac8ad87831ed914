import CCurl
import Glibc

extension EasyHandle {
    /// Has libcurl report to `transfer`, which must live until the handle is given to another or reset.
    func report(to transfer: CurlTransfer) {
        let user = Unmanaged.passUnretained(transfer).toOpaque()
        alcedo_curl_set_pointer(pointer, CURLOPT_PRIVATE, user)
        alcedo_curl_set_pointer(pointer, CURLOPT_HEADERDATA, user)
        alcedo_curl_set_pointer(pointer, CURLOPT_WRITEDATA, user)
        alcedo_curl_set_pointer(pointer, CURLOPT_PREREQDATA, user)
        if transfer.request.addressPolicy != .any { watchAddresses(for: user) }
    }

    /// Sets what libcurl calls, whichever the transfer.
    func setCallbacks() {
        alcedo_curl_set_receiver(pointer, CURLOPT_HEADERFUNCTION) { bytes, size, count, user in
            guard let bytes, let user else { return 0 }
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return CurlTransfer.at(user).receive(headerLine: line) ? line.count : 0
        }
        alcedo_curl_set_receiver(pointer, CURLOPT_WRITEFUNCTION) { bytes, size, count, user in
            guard let bytes, let user else { return 0 }
            let chunk = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return switch CurlTransfer.at(user).receive(chunk: chunk) {
            case .taken: chunk.count
            case .pause: alcedo_curl_write_pause
            case .abort: 0
            }
        }
        alcedo_curl_set_prerequest(pointer) { user, address, _, _, _ in
            guard let user, CurlTransfer.at(user).connected(to: address) else { return CURL_PREREQFUNC_ABORT }
            return CURL_PREREQFUNC_OK
        }
    }

    /// Has the transfer asked before libcurl connects to an address.
    private func watchAddresses(for user: UnsafeMutableRawPointer) {
        alcedo_curl_set_pointer(pointer, CURLOPT_OPENSOCKETDATA, user)
        alcedo_curl_set_opensocket(pointer) { user, _, address in
            guard let user, let address else { return alcedo_curl_socket_bad }
            let (family, type, proto) = (
                address.pointee.family, address.pointee.socktype, address.pointee.protocol
            )
            let isAllowed = withUnsafePointer(to: &address.pointee.addr) {
                CurlTransfer.at(user).mayConnect(to: $0)
            }
            return isAllowed ? socket(family, type, proto) : alcedo_curl_socket_bad
        }
    }

    /// Has libcurl also tell what a proxy says before there is a tunnel; costs some time.
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
    /// The transfer that libcurl was given as user data.
    static func at(_ user: UnsafeMutableRawPointer) -> CurlTransfer {
        Unmanaged<CurlTransfer>.fromOpaque(user).takeUnretainedValue()
    }
}
