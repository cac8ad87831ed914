import Foundation
public import FoundationNetworking

/// Changes a request before it is sent, taking its time.
public protocol AsyncImageDownloadRequestModifier: Sendable {
    /// The request to send, or nil to give up with `emptyRequest`.
    func modified(for request: URLRequest) async -> URLRequest?

    /// Told of the download once it has begun.
    var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? { get }
}

/// Changes a request before it is sent, at once: the download has begun when `downloadImage` returns.
public protocol ImageDownloadRequestModifier: AsyncImageDownloadRequestModifier {
    /// The request to send, or nil to give up with `emptyRequest`.
    func modified(for request: URLRequest) -> URLRequest?

    /// Told of the download once it has begun.
    var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? { get }
}

extension AsyncImageDownloadRequestModifier {
    /// Nobody.
    public var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? { nil }
}

extension ImageDownloadRequestModifier {
    /// The same answer as the synchronous form's.
    public func modified(for request: URLRequest) async -> URLRequest? {
        let modify: (URLRequest) -> URLRequest? = modified(for:)
        return modify(request)
    }
}

/// A request modifier made of a closure.
public struct AnyModifier: ImageDownloadRequestModifier {
    private let body: @Sendable (URLRequest) -> URLRequest?

    /// Makes a modifier.
    public init(modify: @escaping @Sendable (URLRequest) -> URLRequest?) {
        body = modify
    }

    /// What the closure returns.
    public func modified(for request: URLRequest) -> URLRequest? { body(request) }
}
