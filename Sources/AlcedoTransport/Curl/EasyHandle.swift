import CCurl
import Foundation

/// libcurl's easy handle: one transfer at a time, one after another.
///
/// A class, because the loop keeps a pool of them and a transfer holds one while it runs.
final class EasyHandle {
    let pointer: UnsafeMutableRawPointer

    private var headers: UnsafeMutablePointer<curl_slist>?
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    init?() {
        guard let pointer = curl_easy_init() else {
            errorText.deallocate()
            return nil
        }
        self.pointer = pointer
    }

    deinit {
        curl_easy_cleanup(pointer)
        curl_slist_free_all(headers)
        errorText.deallocate()
    }

    /// Forgets the last transfer, but not its connection.
    func reset() {
        curl_easy_reset(pointer)
        curl_slist_free_all(headers)
        headers = nil
    }

    /// What went wrong, in libcurl's words.
    func reason(for code: CURLcode) -> String {
        let text = String(cString: errorText)
        return text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
    }

    // MARK: - Setting up

    /// Prepares for `request`, all but the callbacks.
    func prepare(_ request: TransportRequest, at url: WebURL, waitsForMultiplexing: Bool) {
        errorText.pointee = 0
        alcedo_curl_set_pointer(pointer, CURLOPT_ERRORBUFFER, errorText)
        set(CURLOPT_URL, url.text)
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
        set(CURLOPT_CONNECTTIMEOUT_MS, connect > 0 ? Int(min(connect * 1000 + 1, 1e9)) : 1_000_000_000)
        // Over plain HTTP there is no HTTP/2, and waiting to see whether there is would serialise all requests.
        set(CURLOPT_HTTP_VERSION, Int(url.isSecure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1))
        set(CURLOPT_PIPEWAIT, url.isSecure && waitsForMultiplexing ? 1 : 0)
        set(request)
    }

    private func set(_ request: TransportRequest) {
        if !request.verifiesServer {
            set(CURLOPT_SSL_VERIFYPEER, 0)
            set(CURLOPT_SSL_VERIFYHOST, 0)
        }
        if let file = request.certificateAuthorityFile {
            set(CURLOPT_CAINFO, file)
            alcedo_curl_set_string(pointer, CURLOPT_CAPATH, nil)
        }
        if let credential = request.credential {
            set(CURLOPT_USERNAME, credential.user)
            set(CURLOPT_PASSWORD, credential.password)
            set(CURLOPT_HTTPAUTH, alcedo_curl_auth)
        }
        if request.method == "HEAD" {
            set(CURLOPT_NOBODY, 1)
        } else if request.body != nil || request.method == "POST" {
            setBody(request.body ?? Data(), method: request.method)
        } else if request.method != "GET" {
            set(CURLOPT_CUSTOMREQUEST, request.method)
        }
        setHeaders(of: request)
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

    private func setHeaders(of request: TransportRequest) {
        // A name followed by a colon and nothing keeps libcurl from sending a header of its own.
        if request.body != nil || request.method == "POST" {
            addHeader("Expect:")
            if !request.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
                addHeader("Content-Type:")
            }
        }
        // libcurl's way to write a header with an empty value is a semicolon.
        for field in request.headers {
            addHeader(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        if let headers { alcedo_curl_set_headers(pointer, headers) }
    }

    private func addHeader(_ line: String) { headers = curl_slist_append(headers, line) ?? headers }

    private func set(_ option: CURLoption, _ value: Int) { alcedo_curl_set_long(pointer, option, value) }

    private func set(_ option: CURLoption, _ value: String) { alcedo_curl_set_string(pointer, option, value) }

    // MARK: - Running

    /// Lets a paused transfer go on; calls its callbacks.
    func resume() { curl_easy_pause(pointer, CURLPAUSE_CONT) }

    /// Has libcurl read from the connection again, even if the socket has nothing new; must not be paused.
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
