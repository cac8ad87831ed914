import CCurl
import Foundation

// What a request wants, in libcurl's options.

extension EasyHandle {
    /// Libcurl's word for never, in milliseconds.
    private static let never = 1_000_000_000

    /// The folder of certificate authorities that libcurl uses by itself.
    private static let authorityFolder: String? = {
        guard CurlLibrary.isReady, let handle = curl_easy_init() else { return nil }
        defer { curl_easy_cleanup(handle) }
        var folder: UnsafePointer<CChar>?
        alcedo_curl_get_string(handle, CURLINFO_CAPATH, &folder)
        return folder.map { String(cString: $0) }
    }()

    /// Prepares for the transfer's current request.
    func prepare(_ transfer: CurlTransfer) {
        if profile?.fits(transfer) != true {
            if profile != nil { reset() }
            setUp(transfer)
            profile = Profile(transfer)
        }
        set(CURLOPT_URL, transfer.url.text)
        set(CURLOPT_PIPEWAIT, transfer.url.isSecure && transfer.origin.protocolVersion != .http1 ? 1 : 0)
        chooseConnection(for: transfer)
        report(to: transfer)
    }

    /// Sets what transfers of one profile have in common, and what only others have.
    private func setUp(_ transfer: CurlTransfer) {
        let (request, url) = (transfer.request, transfer.url)
        setCallbacks(transfer.context.sockets)
        alcedo_curl_set_string(pointer, CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_NOSIGNAL, 1)
        // Otherwise giving up on a slow name server would block this thread until it has answered.
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_TCP_NODELAY, 1)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        alcedo_curl_set_string(pointer, CURLOPT_ACCEPT_ENCODING, "")
        // Deadlines has the last word; libcurl needs to know in order to try a host's next address in time.
        let connect = request.timeouts.connect
        set(
            CURLOPT_CONNECTTIMEOUT_MS,
            connect > 0 ? Int(min(connect * 1000 + 1, Double(Self.never))) : Self.never)
        // Over plain HTTP there is no HTTP/2, and waiting to see whether there is would serialise all requests.
        set(CURLOPT_HTTP_VERSION, Int(url.isSecure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1))
        setVerification(for: request)
        let proxy = request.addressPolicy == .any ? request.proxy : .none
        if let address = proxy.address { setProxy(address, proxy) }
        if let jar = request.cookies { share(jar.share) }
        setMethod(of: request)
        authenticate(transfer)
        setHeaders(of: request)
    }

    /// Says whether a connection may be one that was used before.
    ///
    /// libcurl sends a request again if such a one breaks, which only idempotent methods allow.
    func chooseConnection(for transfer: CurlTransfer) {
        let mayReuse = transfer.request.isIdempotent && !transfer.machine.hasStartedOver
        set(CURLOPT_FRESH_CONNECT, mayReuse ? 0 : 1)
    }

    /// Says who asks, as far as the transfer knows by now, whatever was said before.
    func authenticate(_ transfer: CurlTransfer) {
        if let (credential, scheme) = transfer.machine.credentials.server.sent {
            set(CURLOPT_USERNAME, credential.user)
            set(CURLOPT_PASSWORD, credential.password)
            alcedo_curl_set_long(pointer, CURLOPT_HTTPAUTH, Self.method(scheme))
        }
        if let (credential, scheme) = transfer.machine.credentials.proxy.sent {
            set(CURLOPT_PROXYUSERNAME, credential.user)
            set(CURLOPT_PROXYPASSWORD, credential.password)
            alcedo_curl_set_long(pointer, CURLOPT_PROXYAUTH, Self.method(scheme))
        }
    }

    private static func method(_ scheme: HTTPChallenge.Scheme?) -> Int {
        switch scheme {
        case .basic: alcedo_curl_auth_basic
        case .digest: alcedo_curl_auth_digest
        case nil: alcedo_curl_auth_basic | alcedo_curl_auth_digest
        }
    }

    private func setVerification(for request: TransportRequest) {
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        set(CURLOPT_PROXY_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if let file = request.certificateAuthorityFile {
            set(CURLOPT_CAINFO, file)
            set(CURLOPT_PROXY_CAINFO, file)
            alcedo_curl_set_string(pointer, CURLOPT_CAPATH, nil)
            alcedo_curl_set_string(pointer, CURLOPT_PROXY_CAPATH, nil)
        }
        if let scope = request.trustScope {
            // The callback checks the name too. A resumed session would not show its certificate.
            set(CURLOPT_SSL_VERIFYHOST, 0)
            set(CURLOPT_SSL_SESSIONID_CACHE, 0)
            // libcurl uses a connection again only for requests whose folders of authorities have the same names, so
            // a folder that is not there keeps the connections of scopes apart.
            let folders = [
                request.certificateAuthorityFile == nil ? Self.authorityFolder : nil, scope.folder,
            ]
            set(CURLOPT_CAPATH, folders.compactMap(\.self).joined(separator: ":"))
        } else if !request.verifiesServer {
            set(CURLOPT_SSL_VERIFYPEER, 0)
            set(CURLOPT_SSL_VERIFYHOST, 0)
        }
    }

    private func setProxy(_ address: String, _ proxy: TransportProxy) {
        set(CURLOPT_PROXY, address)
        guard case .server(let server) = proxy else { return }
        set(CURLOPT_NOPROXY, server.bypassedHosts.joined(separator: ","))
    }

    private func setMethod(of request: TransportRequest) {
        if request.method == "HEAD" {
            set(CURLOPT_NOBODY, 1)
        } else if request.body != nil || request.method == "POST" {
            setBody(request.body ?? Data(), method: request.method)
        } else if request.method != "GET" {
            set(CURLOPT_CUSTOMREQUEST, request.method)
        }
    }

    private func setBody(_ body: Data, method: String) {
        set(CURLOPT_POST, 1)
        alcedo_curl_set_size(pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
        // libcurl copies what it is given here, so a body may go away; an empty one needs an address all the same.
        body.withUnsafeBytes { bytes in
            var nothing: UInt8 = 0
            withUnsafeMutablePointer(to: &nothing) { empty in
                let base = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
                _ = alcedo_curl_set_pointer(pointer, CURLOPT_COPYPOSTFIELDS, base ?? .init(empty))
            }
        }
        if method != "POST" { set(CURLOPT_CUSTOMREQUEST, method) }
    }

    /// Sets the header fields, in place of those set before.
    func setHeaders(of request: TransportRequest) {
        var lines: [String] = []
        // A name followed by a colon and nothing keeps libcurl from sending a header of its own.
        if request.body != nil || request.method == "POST" {
            lines.append("Expect:")
            if !request.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
                lines.append("Content-Type:")
            }
        }
        for field in request.headers {
            if request.cookies != nil, field.name.lowercased() == "cookie" {
                // Given this way they share a field with those of the jar.
                set(CURLOPT_COOKIE, field.value)
            } else {
                // libcurl's way to write a header with an empty value is a semicolon.
                lines.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
            }
        }
        replaceHeaders(by: lines)
    }
}

extension TrustScope {
    /// The name of a folder that does not exist, and is this scope's alone.
    fileprivate var folder: String { "/dev/null/alcedo-trust-\(number)" }
}
