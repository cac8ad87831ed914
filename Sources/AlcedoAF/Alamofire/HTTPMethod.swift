/// An HTTP method.
public struct HTTPMethod: RawRepresentable, Equatable, Hashable, Sendable {
    /// The method name.
    public let rawValue: String

    /// Creates a method.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// CONNECT (RFC 9110, 9.3.6).
    public static let connect = HTTPMethod(rawValue: "CONNECT")
    /// DELETE (RFC 9110, 9.3.5).
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// GET (RFC 9110, 9.3.1).
    public static let get = HTTPMethod(rawValue: "GET")
    /// HEAD (RFC 9110, 9.3.2).
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// OPTIONS (RFC 9110, 9.3.7).
    public static let options = HTTPMethod(rawValue: "OPTIONS")
    /// PATCH (RFC 5789).
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// POST (RFC 9110, 9.3.3).
    public static let post = HTTPMethod(rawValue: "POST")
    /// PUT (RFC 9110, 9.3.4).
    public static let put = HTTPMethod(rawValue: "PUT")
    /// QUERY, a safe method with a body.
    public static let query = HTTPMethod(rawValue: "QUERY")
    /// TRACE (RFC 9110, 9.3.8).
    public static let trace = HTTPMethod(rawValue: "TRACE")
}
