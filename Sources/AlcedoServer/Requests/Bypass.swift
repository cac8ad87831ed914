import AlcedoHTTPServer

extension ImageHandler {
    /// Whether a request may have its result created again: it needs a signature of its own, other than the image's.
    ///
    /// - Throws: for a wrong one.
    func bypassesCaches(_ request: HTTPRequest) throws(URLFailure) -> Bool {
        guard let signature = request.headers.joined("X-Bypass-Cache") else { return false }
        guard !rules.keys.isEmpty else {
            throw URLFailure(.forbidden, "X-Bypass-Cache needs KEY and SALT")
        }
        var strict = rules
        // Every client knows them.
        strict.trustedSignatures = []
        let path = try RequestPath(request.target, prefix: rules.pathPrefix)
        try strict.check(Array(signature.utf8)[...], of: Array("/bypass".utf8) + path.signed)
        return true
    }
}
