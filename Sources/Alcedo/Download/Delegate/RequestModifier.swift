import Foundation
public import FoundationNetworking

/// Changes a request before it is sent, asynchronously.
///
/// Called on threads for what starts a load, which it may block. A load whose modifier never returns ends only when it is
/// cancelled. See <doc:YourCode>.
public protocol AsyncImageDownloadRequestModifier: Sendable {
    /// Returns the request to send, or nil to fail with `emptyRequest`.
    func modified(for request: URLRequest) async -> URLRequest?

    /// Called with the download task once the download has started.
    var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? { get }
}

/// Changes a request before it is sent, synchronously: the download has started when `downloadImage` returns.
///
/// For `downloadImage` with a completion handler, it is called on the thread of that call. Loads of managers and views, and async
/// calls, call it on threads that it may block.
public protocol ImageDownloadRequestModifier: AsyncImageDownloadRequestModifier {
    /// Returns the request to send, or nil to fail with `emptyRequest`.
    func modified(for request: URLRequest) -> URLRequest?

    /// Called with the download task once the download has started.
    var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? { get }
}

extension AsyncImageDownloadRequestModifier {
    public var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? { nil }
}

extension ImageDownloadRequestModifier {
    public func modified(for request: URLRequest) async -> URLRequest? {
        // The closure's type picks the synchronous method; a direct call would call this one again.
        let modify: (URLRequest) -> URLRequest? = modified(for:)
        return modify(request)
    }
}

/// A request modifier created from a closure.
public struct AnyModifier: ImageDownloadRequestModifier {
    private let body: @Sendable (URLRequest) -> URLRequest?

    public init(modify: @escaping @Sendable (URLRequest) -> URLRequest?) {
        body = modify
    }

    public func modified(for request: URLRequest) -> URLRequest? { body(request) }
}
