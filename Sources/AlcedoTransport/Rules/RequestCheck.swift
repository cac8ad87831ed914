/// What can be wrong with a request before it is sent.
enum RequestCheck {
    /// The request's URL, if everything about the request can be sent.
    static func url(of request: TransportRequest) throws(TransportError) -> WebURL {
        let url = try WebURL(request.url)
        guard url.scheme == "http" || url.scheme == "https" else {
            throw .unsupportedScheme(url.scheme, url: request.url)
        }
        guard isToken(request.method) else { throw .invalidHeader(name: request.method, url: request.url) }
        for field in request.headers {
            guard isToken(field.name), !field.value.utf8.contains(where: { $0.isLineEnd || $0 == 0 }) else {
                throw .invalidHeader(name: field.name, url: request.url)
            }
        }
        return url
    }

    /// RFC 9110's `token`: what methods and field names are made of.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                byte > UInt8.space && byte < 127 && !delimiters.contains(byte)
            }
    }

    private static let delimiters = Set("\"(),/:;<=>?@[\\]{}".utf8)
}
