/// An HTTP method.
public struct HTTPMethod: RawRepresentable, Equatable, Hashable, Sendable {
    /// The method as it is sent.
    public let rawValue: String

    /// A method of any name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Opens a tunnel.
    public static let connect = HTTPMethod(rawValue: "CONNECT")
    /// Removes.
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// Fetches.
    public static let get = HTTPMethod(rawValue: "GET")
    /// Fetches the headers only.
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// Asks what can be done.
    public static let options = HTTPMethod(rawValue: "OPTIONS")
    /// Changes a part.
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// Sends.
    public static let post = HTTPMethod(rawValue: "POST")
    /// Replaces.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// Asks with a body.
    public static let query = HTTPMethod(rawValue: "QUERY")
    /// Sends the request back.
    public static let trace = HTTPMethod(rawValue: "TRACE")
}
