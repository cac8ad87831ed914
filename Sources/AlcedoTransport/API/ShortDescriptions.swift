// What `print` shows of requests and responses: one line, and no credential of a URL or a header field.

import Foundation

extension TransportRequest: CustomStringConvertible {
    /// The method, the URL and the names of the header fields.
    public var description: String {
        let names = headers.map(\.name).joined(separator: ", ")
        return "\(method) \(ShownURL(url.absoluteString))" + (names.isEmpty ? "" : " with \(names)")
    }
}

extension TransportResponse: CustomStringConvertible {
    /// The status and the URL.
    public var description: String { "status \(status) of \(ShownURL(url.absoluteString))" }
}

extension TransferResult: CustomStringConvertible {
    /// The status, the URL and the bytes.
    public var description: String { "\(response), \(body.count) bytes" }
}

extension TransportCredential: CustomStringConvertible {
    /// That there is one: neither the name nor the password.
    public var description: String { "a credential" }
}

extension JarCookie: CustomStringConvertible {
    /// The name and the place, without the value.
    public var description: String { "cookie \(name) of \(domain)\(path)" }
}
