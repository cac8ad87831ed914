enum RequestCheck {
    /// The URL of a valid request; `last`, a URL of the same server, speeds up parsing.
    static func url(
        of request: TransportRequest, after last: WebURL? = nil
    ) throws(TransportError) -> WebURL {
        let address = request.address
        let url: WebURL
        if let sibling = last?.sibling(address) { url = sibling } else { url = try WebURL(address) }
        if case .cachedOnly = request.cachePolicy { throw .notCached(url: address) }
        guard url.scheme == "http" || url.scheme == "https" else {
            throw .unsupportedScheme(url.scheme, url: address)
        }
        guard isToken(request.method) else { throw .invalidHeader(name: request.method, url: address) }
        for field in request.headers {
            guard isToken(field.name), !field.value.utf8.contains(where: { $0.isLineEnd || $0 == 0 }) else {
                throw .invalidHeader(name: field.name, url: address)
            }
        }
        try check(url, request.addressPolicy)
        return url
    }

    /// Throws for an address with dots at its end, which browsers take for the address: resolvers know no such name, and it
    /// would leave this machine as a query.
    private static func check(_ url: WebURL, _ policy: AddressPolicy) throws(TransportError) {
        guard policy.isRestricted, url.host.utf8.last.map({ $0 == UInt8(ascii: ".") || $0 >= 0x80 }) == true,
            let address = IPAddress(absoluteName: url.asciiHost), !address.isAllowed(by: policy)
        else { return }
        throw .addressRejected(url.host, url: url.text)
    }

    /// RFC 9110's `token`: the form of methods and field names.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(\.isTokenByte)
    }
}
