/// Intercepts loads: changes the request, supplies its image, repeats it, or changes the result.
///
/// Set in ``KingfisherManager/interceptors`` or as the option `interceptors`, it is called once for each load, before the caches.
/// Set in ``KingfisherManager/networkInterceptors`` or as the option `networkInterceptors`, it is called before each download
/// and each read from a provider, and not if a cache has the image.
///
/// A load with `interceptors` never completes before its call returns, not even for an image in memory.
public protocol ImageLoadInterceptor: Sendable {
    /// Returns the result of a request, usually that of `next`.
    ///
    /// Called in a task on threads for interceptors, which it may block; see <doc:YourCode>. It may call `next` any
    /// number of times, with any request: each call is a whole pass of its own through what follows. If it never
    /// returns, the load ends only when it is cancelled; that cancels this task too.
    ///
    /// - Parameters:
    ///   - request: what is loaded.
    ///   - next: passes a request to the next interceptor; from the last one to the caches or, from the last network
    ///     interceptor, to the source. Throws a ``KingfisherError``.
    /// - Returns: the load's result.
    /// - Throws: a ``KingfisherError``, which fails the load as it is; any other error, which it gets as
    ///   ``KingfisherError/RequestErrorReason/interceptorThrew(source:error:)``.
    func intercept(
        _ request: ImageLoadRequest, next: @escaping ImageLoadRequest.Next
    ) async throws -> RetrieveImageResult
}

/// What an ``ImageLoadInterceptor`` may change about a load.
public struct ImageLoadRequest: Sendable {
    /// Passes a request on.
    public typealias Next = @Sendable (_ request: ImageLoadRequest) async throws -> RetrieveImageResult

    /// After network interceptors, the image is cached under the key of the load's own source.
    public var source: Source

    /// The options; those of callbacks, observers and interceptors have no effect any more, nor, for network interceptors,
    /// those of caches and retries.
    public var options: KingfisherParsedOptionsInfo

    /// The load's ``ImageLoadEvent/loadID``.
    public internal(set) var loadID: Int?
}

extension [any ImageLoadInterceptor] {
    /// Passes a request through all of them, the first one outermost, and then to `last`.
    func chain(_ last: @escaping ImageLoadRequest.Next) -> ImageLoadRequest.Next {
        var first = last
        for interceptor in reversed() {
            let next = first
            first = { request in try await interceptor.intercept(request, next: next) }
        }
        return first
    }
}
