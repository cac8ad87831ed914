import Foundation
public import FoundationNetworking

/// Decides what becomes of a redirect.
public protocol ImageDownloadRedirectHandler: Sendable {
    /// The request to follow, or nil to take the redirect itself as the response.
    func handleHTTPRedirection(
        for task: SessionDataTask,
        response: HTTPURLResponse,
        newRequest: URLRequest
    ) async -> URLRequest?
}

/// A redirect handler made of a closure.
public struct AnyRedirectHandler: ImageDownloadRedirectHandler {
    private let body:
        @Sendable (SessionDataTask, HTTPURLResponse, URLRequest, @escaping (URLRequest?) -> Void) -> Void

    /// Makes a handler; the closure calls its last argument once.
    public init(
        handle:
            @escaping @Sendable (
                SessionDataTask, HTTPURLResponse, URLRequest, @escaping (URLRequest?) -> Void
            ) -> Void
    ) {
        body = handle
    }

    /// What the closure answers.
    public func handleHTTPRedirection(
        for task: SessionDataTask,
        response: HTTPURLResponse,
        newRequest: URLRequest
    ) async -> URLRequest? {
        let answer = OneShot<URLRequest?, Never>()
        body(task, response, newRequest) { answer.finish(.success($0)) }
        return await answer.value()
    }
}
