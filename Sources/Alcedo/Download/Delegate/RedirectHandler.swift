import AlcedoLocks
import Foundation
public import FoundationNetworking

/// Decides about redirects.
///
/// Called on threads for what decides during a transfer, which it may block. While it decides, no timeout runs but the session
/// configuration's for a resource. See <doc:YourCode>.
public protocol ImageDownloadRedirectHandler: Sendable {
    /// Returns the request to send, or nil to make the redirect the final response.
    func handleHTTPRedirection(
        for task: SessionDataTask,
        response: HTTPURLResponse,
        newRequest: URLRequest
    ) async -> URLRequest?
}

/// A redirect handler created from a closure.
public struct AnyRedirectHandler: ImageDownloadRedirectHandler {
    private final class Identity: Sendable {}

    /// Equal for copies.
    fileprivate var identifier: ObjectIdentifier { ObjectIdentifier(identity) }
    private let identity = Identity()
    private let body:
        @Sendable (SessionDataTask, HTTPURLResponse, URLRequest, @escaping (URLRequest?) -> Void) -> Void

    /// Creates a handler; the closure calls its last argument once.
    public init(
        handle:
            @escaping @Sendable (
                SessionDataTask, HTTPURLResponse, URLRequest, @escaping (URLRequest?) -> Void
            ) -> Void
    ) {
        body = handle
    }

    public func handleHTTPRedirection(
        for task: SessionDataTask,
        response: HTTPURLResponse,
        newRequest: URLRequest
    ) async -> URLRequest? {
        let result = OneShot<URLRequest?, Never>()
        body(task, response, newRequest) { result.finish(.success($0)) }
        return await result.value()
    }
}

extension ImageDownloadRedirectHandler {
    /// Equal for handlers that are the same; nil if that can't be found out.
    var identity: ObjectIdentifier? {
        if let handler = self as? AnyRedirectHandler { return handler.identifier }
        return Self.self is AnyObject.Type ? ObjectIdentifier(self as AnyObject) : nil
    }
}
