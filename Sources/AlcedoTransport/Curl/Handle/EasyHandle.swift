import AlcedoLocks
import CCurl
import Foundation

/// libcurl's easy handle: one transfer at a time.
///
/// A class, because the loop keeps a pool of them and a transfer refers to one while it runs.
final class EasyHandle {
    let pointer: UnsafeMutableRawPointer

    private var headers: UnsafeMutablePointer<curl_slist>?
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    /// The cookies' share handle; kept alive while libcurl refers to it.
    private var cookies: CookieShare?

    /// The options that are set, if a later transfer of the same profile can keep them; nil if it needs a reset.
    var profile: Profile?

    init?() {
        guard let pointer = curl_easy_init() else {
            errorText.deallocate()
            return nil
        }
        self.pointer = pointer
        prepareErrors()
    }

    deinit {
        curl_easy_cleanup(pointer)
        curl_slist_free_all(headers)
        errorText.deallocate()
    }

    /// Prepares for the pool: keeps the options of a profile, and resets all others; connections stay open.
    func recycle() {
        errorText.pointee = 0
        if profile == nil { reset() }
    }

    /// Resets all options; connections stay open.
    func reset() {
        if cookies != nil {
            alcedo_curl_set_pointer(pointer, CURLOPT_SHARE, nil)
            // The list of files outlives a reset, and would grow with each transfer.
            alcedo_curl_set_string(pointer, CURLOPT_COOKIEFILE, nil)
            cookies = nil
        }
        curl_easy_reset(pointer)
        curl_slist_free_all(headers)
        headers = nil
        prepareErrors()
    }

    private func prepareErrors() {
        errorText.pointee = 0
        alcedo_curl_set_pointer(pointer, CURLOPT_ERRORBUFFER, errorText)
    }

    func reason(for code: CURLcode) -> String {
        let text = String(cString: errorText)
        return text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
    }

    // MARK: - Setting up

    /// Sends and stores the cookies of a share handle.
    func share(_ cookies: CookieShare) {
        self.cookies = cookies
        alcedo_curl_set_pointer(pointer, CURLOPT_SHARE, cookies.pointer)
        // An empty name reads no file, but enables cookies.
        set(CURLOPT_COOKIEFILE, "")
    }

    /// Replaces the header fields to send by these lines.
    private func replaceHeaders(by lines: [String]) {
        let old = headers
        headers = nil
        for line in lines { headers = curl_slist_append(headers, line) ?? headers }
        if headers != nil || old != nil { alcedo_curl_set_headers(pointer, headers) }
        // Last: libcurl refers to them until the option is set.
        curl_slist_free_all(old)
    }

    func set(_ option: CURLoption, _ value: Int) { alcedo_curl_set_long(pointer, option, value) }

    func set(_ option: CURLoption, _ value: String) { alcedo_curl_set_string(pointer, option, value) }

    // MARK: - Running

    /// Resumes a paused transfer; calls its callbacks.
    func resume() { curl_easy_pause(pointer, CURLPAUSE_CONT) }

    /// Makes libcurl deliver bytes that it has read before; must not be called on a paused transfer.
    func nudge() {
        curl_easy_pause(pointer, CURLPAUSE_RECV)
        curl_easy_pause(pointer, CURLPAUSE_CONT)
    }

    func number(_ info: CURLINFO) -> Int {
        var value = 0
        alcedo_curl_get_long(pointer, info, &value)
        return value
    }

    func size(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        alcedo_curl_get_size(pointer, info, &value)
        return Int64(value)
    }
}

// A request as libcurl's options.

extension EasyHandle {
    /// A connect timeout that never expires, in milliseconds; 0 would be libcurl's default of 300 s.
    private static let never = 1_000_000_000

    /// libcurl's default folder of certificate authorities.
    private static let authorityFolder: String? = {
        guard CurlLibrary.isReady, let handle = curl_easy_init() else { return nil }
        defer { curl_easy_cleanup(handle) }
        var folder: UnsafePointer<CChar>?
        alcedo_curl_get_string(handle, CURLINFO_CAPATH, &folder)
        return folder.map { String(cString: $0) }
    }()

    func prepare(_ transfer: CurlTransfer) {
        if profile?.fits(transfer) != true {
            if profile != nil { reset() }
            setUp(transfer)
            profile = Profile(transfer)
        }
        set(CURLOPT_URL, transfer.url.text)
        // Waits for a connection that can be shared, unless the origin is known to speak HTTP/1.1.
        set(CURLOPT_PIPEWAIT, transfer.url.isSecure && transfer.origin.protocolVersion != .http1 ? 1 : 0)
        chooseConnection(for: transfer)
        report(to: transfer)
    }

    /// Sets all options but those that differ between transfers of one profile.
    private func setUp(_ transfer: CurlTransfer) {
        let (request, url) = (transfer.request, transfer.url)
        setCallbacks(transfer.context.sockets)
        alcedo_curl_set_string(pointer, CURLOPT_PROTOCOLS_STR, "http,https")
        // Handlers of signals belong to the whole program; libcurl would change some.
        set(CURLOPT_NOSIGNAL, 1)
        // Otherwise cancelling a name lookup would block this thread until the name server responds.
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_TCP_NODELAY, 1)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        // A proxy's response to CONNECT is not the server's; see `reportTunnel`.
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // Empty: all encodings that this libcurl decodes.
        alcedo_curl_set_string(pointer, CURLOPT_ACCEPT_ENCODING, "")
        // ``Deadlines`` decides; libcurl needs the timeout to try a host's next address in time.
        let connect = request.timeouts.connect.seconds
        set(
            CURLOPT_CONNECTTIMEOUT_MS,
            connect > 0 ? Int(min(connect * 1000 + 1, Double(Self.never))) : Self.never)
        // Plain HTTP has no HTTP/2, and probing for it would serialize all requests.
        set(CURLOPT_HTTP_VERSION, Int(url.isSecure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1))
        setVerification(for: request)
        let proxy = request.addressPolicy == .any ? request.proxy : .none
        if let address = proxy.address { setProxy(address, proxy) }
        if let jar = request.cookies { share(jar.share) }
        setMethod(of: request)
        authenticate(transfer)
        setHeaders(of: request)
    }

    /// Sets whether a connection may be reused.
    ///
    /// libcurl sends a request again if a reused connection breaks, which only idempotent methods allow.
    func chooseConnection(for transfer: CurlTransfer) {
        let mayReuse = transfer.request.isIdempotent && !transfer.machine.hasStartedOver
        set(CURLOPT_FRESH_CONNECT, mayReuse ? 0 : 1)
    }

    /// Sets the current credentials, in place of earlier ones.
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
            // Otherwise libcurl trusts its default folder, too.
            alcedo_curl_set_string(pointer, CURLOPT_CAPATH, nil)
            alcedo_curl_set_string(pointer, CURLOPT_PROXY_CAPATH, nil)
        }
        if let scope = request.trustScope {
            // The callback checks the name too. A resumed session has no certificate message.
            set(CURLOPT_SSL_VERIFYHOST, 0)
            set(CURLOPT_SSL_SESSIONID_CACHE, 0)
            // libcurl reuses a connection only for requests with the same path of authority folders, so a folder that does
            // not exist separates the connections of scopes.
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
        // libcurl copies the body; an empty one needs an address, too.
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
        // A name with a colon and no value disables libcurl's own field: the default Content-Type would be a form's.
        if request.body != nil || request.method == "POST" {
            lines.append("Expect:")
            if !request.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
                lines.append("Content-Type:")
            }
        }
        for field in request.headers {
            if request.cookies != nil, field.name.lowercased() == "cookie" {
                // This option merges them with the jar's cookies into one field.
                set(CURLOPT_COOKIE, field.value)
            } else {
                // libcurl writes a field with an empty value as a name and a semicolon.
                lines.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
            }
        }
        replaceHeaders(by: lines)
    }
}

extension TrustScope {
    /// The unique name of a folder that does not exist.
    fileprivate var folder: String { "/dev/null/alcedo-trust-\(number)" }
}

extension EasyHandle {
    /// The options of a plain request but its URL; transfers that fit can keep them.
    ///
    /// A request is plain without a credential, a body or a trust scope; handles of others are reset.
    struct Profile {
        private let request: TransportRequest
        private let isSecure: Bool

        /// Nil unless the transfer's request is plain.
        init?(_ transfer: CurlTransfer) {
            guard Self.isPlain(transfer) else { return nil }
            request = transfer.request
            isSecure = transfer.url.isSecure
        }

        /// Compares each option that `setUp` takes from a plain request; a further one has to be compared, too.
        func fits(_ transfer: CurlTransfer) -> Bool {
            Self.isPlain(transfer) && isSecure == transfer.url.isSecure
                && request.timeouts.connect == transfer.request.timeouts.connect
                && request.cookies === transfer.request.cookies
                && request.proxy == transfer.request.proxy
                && request.addressPolicy == transfer.request.addressPolicy
                && request.verifiesServer == transfer.request.verifiesServer
                && request.certificateAuthorityFile == transfer.request.certificateAuthorityFile
                && request.headers.elementsEqual(transfer.request.headers, by: ==)
        }

        private static func isPlain(_ transfer: CurlTransfer) -> Bool {
            transfer.request.method == "GET" && transfer.request.body == nil
                && transfer.request.credential == nil && transfer.request.trustScope == nil
                && transfer.machine.credentials.server.sent == nil
                && transfer.machine.credentials.proxy.sent == nil
                && !transfer.machine.hasStartedOver
        }
    }
}
