public import Foundation
public import FoundationNetworking

/// A type that converts to a URL.
public protocol URLConvertible: Sendable {
    func asURL() throws -> URL
}

extension String: URLConvertible {
    /// Parses the URL; throws ``AFError/invalidURL(url:)`` if it is invalid.
    public func asURL() throws -> URL {
        guard let url = URL(string: self) else { throw AFError.invalidURL(url: self) }
        return url
    }
}

extension URL: URLConvertible {
    public func asURL() throws -> URL { self }
}

extension URLComponents: URLConvertible {
    /// The URL of the components; throws ``AFError/invalidURL(url:)`` if they are invalid.
    public func asURL() throws -> URL {
        guard let url else { throw AFError.invalidURL(url: self) }
        return url
    }
}

/// A type that converts to a request.
public protocol URLRequestConvertible: Sendable {
    func asURLRequest() throws -> URLRequest
}

extension URLRequestConvertible {
    /// The request; nil if it could not be created.
    public var urlRequest: URLRequest? { try? asURLRequest() }
}

extension URLRequest: URLRequestConvertible {
    public func asURLRequest() throws -> URLRequest { self }
}

extension URLRequest {
    /// Creates a request from its parts.
    ///
    /// - Throws: the error of `url`.
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

    public var headers: HTTPHeaders {
        get { HTTPHeaders(allHTTPHeaderFields ?? [:]) }
        set { allHTTPHeaderFields = newValue.dictionary }
    }
}
