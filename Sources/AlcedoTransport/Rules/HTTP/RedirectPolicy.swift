/// The request that follows a redirect (RFC 9110, 15.4).
enum RedirectPolicy {
    /// The request that follows `response`, or nil if it is no redirect; `followed` is the number of earlier redirects.
    static func request(
        after response: TransportResponse, to request: TransportRequest, at url: WebURL, followed: Int
    ) throws(TransportError) -> TransportRequest? {
        guard [301, 302, 303, 307, 308].contains(response.status),
            let location = response.value(forHeader: "Location"), !location.isEmpty
        else { return nil }

        let target: WebURL
        do throws(TransportError) {
            target = try url.resolving(location)
        } catch {
            throw .rejectedRedirect(to: location, reason: "its Location is not a valid URL", url: url.text)
        }
        guard followed < request.maximumRedirects else {
            throw .tooManyRedirects(limit: request.maximumRedirects, url: url.text)
        }
        try check(from: url, to: target)

        var next = request
        try next.redirect(to: target.text)
        if becomesGet(request.method, status: response.status) {
            next.method = "GET"
            next.body = nil
            next.headers.removeAll { $0.name.lowercased().hasPrefix("content-") }
        }
        if !target.isSameOrigin(as: url) {
            next.credential = nil
            // The exception was made for the first server.
            next.verifiesServer = true
            next.headers.removeAll { privateHeaders.contains($0.name.lowercased()) }
        }
        return next
    }

    /// Throws unless a redirect from `url` to `target` is allowed.
    static func check(from url: WebURL, to target: WebURL) throws(TransportError) {
        guard target.scheme == "http" || target.scheme == "https" else {
            throw .rejectedRedirect(
                to: target.text, reason: "only http and https are followed", url: url.text)
        }
        guard target.isSecure || !url.isSecure else {
            throw .rejectedRedirect(
                to: target.text, reason: "it would downgrade https to http", url: url.text)
        }
    }

    /// Fields that must not be sent to another origin.
    private static let privateHeaders: Set = ["authorization", "cookie", "proxy-authorization", "host"]

    private static func becomesGet(_ method: String, status: Int) -> Bool {
        switch status {
        case 303: method != "HEAD"
        case 301, 302: method == "POST"
        default: false
        }
    }
}

extension TransportRequest {
    /// The request that follows a redirect to `location`, by the rules of all redirects.
    package func redirected(to location: String, status: Int) throws(TransportError) -> TransportRequest {
        let response = TransportResponse(
            url: url, status: (300..<400).contains(status) && status != 304 ? status : 302,
            headers: [("Location", location)])
        let following = try RedirectPolicy.request(
            after: response, to: self, at: try WebURL(address), followed: 0)
        guard var following else {
            throw .rejectedRedirect(to: location, reason: "it has no URL or status \(status)", url: address)
        }
        following.maximumRedirects -= 1
        return following
    }
}
