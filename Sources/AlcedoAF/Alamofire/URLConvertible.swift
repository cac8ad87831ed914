public import Foundation
public import FoundationNetworking

/// Something that can be a URL.
public protocol URLConvertible: Sendable {
    /// The URL.
    func asURL() throws -> URL
}

extension String: URLConvertible {
    /// The URL that the text is; throws ``AFError/invalidURL(url:)`` if it is none.
    public func asURL() throws -> URL {
        guard let url = URL(string: self) else { throw AFError.invalidURL(url: self) }
        return url
    }
}

extension URL: URLConvertible {
    /// The URL itself.
    public func asURL() throws -> URL { self }
}

extension URLComponents: URLConvertible {
    /// The URL of these parts; throws ``AFError/invalidURL(url:)`` if they make none.
    public func asURL() throws -> URL {
        guard let url else { throw AFError.invalidURL(url: self) }
        return url
    }
}

/// Something that can be a request.
public protocol URLRequestConvertible: Sendable {
    /// The request.
    func asURLRequest() throws -> URLRequest
}

extension URLRequestConvertible {
    /// The request; nil if it can't be made.
    public var urlRequest: URLRequest? { try? asURLRequest() }
}

extension URLRequest: URLRequestConvertible {
    /// The request itself.
    public func asURLRequest() throws -> URLRequest { self }
}

extension URLRequest {
    /// A request of these parts.
    ///
    /// - Throws: what `url` throws.
    public init(url: any URLConvertible, method: HTTPMethod, headers: HTTPHeaders? = nil) throws {
        self.init(url: try url.asURL())
        httpMethod = method.rawValue
        for header in headers ?? [] { setValue(header.value, forHTTPHeaderField: header.name) }
    }

    /// The method; nil if the request has none.
    public var method: HTTPMethod? {
        get { httpMethod.map(HTTPMethod.init(rawValue:)) }
        set { httpMethod = newValue?.rawValue }
    }

    /// The header fields.
    public var headers: HTTPHeaders {
        get { HTTPHeaders(allHTTPHeaderFields ?? [:]) }
        set { allHTTPHeaderFields = newValue.dictionary }
    }
}
