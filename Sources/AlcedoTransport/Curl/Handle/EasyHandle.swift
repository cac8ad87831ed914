import CCurl

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

    /// libcurl's text for an error.
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
