import CCurl

/// libcurl's easy handle: one transfer at a time, one after another.
///
/// A class, because the loop keeps a pool of them and a transfer holds one while it runs.
final class EasyHandle {
    let pointer: UnsafeMutableRawPointer

    private var headers: UnsafeMutablePointer<curl_slist>?
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    /// Where its cookies are; kept at least as long as libcurl knows of it.
    private var cookies: CookieShare?

    /// What it is set up for, as long as that is all: then the next transfer of the kind needs little more than its URL.
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

    /// The transfer is over: keeps what the next one of its profile needs, and forgets the rest but connections.
    func rest() {
        errorText.pointee = 0
        if profile == nil { reset() }
    }

    /// Forgets everything but connections.
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

    /// What went wrong, in libcurl's words.
    func reason(for code: CURLcode) -> String {
        let text = String(cString: errorText)
        return text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
    }

    // MARK: - Setting up

    /// Takes cookies from there, and puts them there.
    func share(_ cookies: CookieShare) {
        self.cookies = cookies
        alcedo_curl_set_pointer(pointer, CURLOPT_SHARE, cookies.pointer)
        // Reads no file, but turns cookies on.
        set(CURLOPT_COOKIEFILE, "")
    }

    /// Sends these lines of header fields, in place of those set before.
    func replaceHeaders(by lines: [String]) {
        let old = headers
        headers = nil
        for line in lines { headers = curl_slist_append(headers, line) ?? headers }
        if headers != nil || old != nil { alcedo_curl_set_headers(pointer, headers) }
        curl_slist_free_all(old)
    }

    func set(_ option: CURLoption, _ value: Int) { alcedo_curl_set_long(pointer, option, value) }

    func set(_ option: CURLoption, _ value: String) { alcedo_curl_set_string(pointer, option, value) }

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
