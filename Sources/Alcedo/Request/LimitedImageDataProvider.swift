import AlcedoTransport
import Foundation

/// A provider of the library's, whose call returns at once, and which keeps to the limits of its load.
protocol LimitedImageDataProvider: ImageDataProvider {
    /// Passes the bytes to `handler` once, on any thread; does not begin if it is cancelled before.
    ///
    /// `timeout` is how long the file system may take for each step, in seconds. The handler need not be called after a
    /// cancellation.
    func data(
        limits: DecodeLimits, timeout: TimeInterval, cancellation: Cancellation,
        handler: @escaping @Sendable (Result<Data, any Error>) -> Void)
}

/// A provider of the library's that decodes what it has in memory.
protocol DecodingImageDataProvider: LimitedImageDataProvider {
    /// The bytes; occupies a core.
    func bytes(within limits: DecodeLimits) throws -> Data
}

extension DecodingImageDataProvider {
    /// Decodes on a thread of the worker pool.
    func data(
        limits: DecodeLimits, timeout: TimeInterval, cancellation: Cancellation,
        handler: @escaping @Sendable (Result<Data, any Error>) -> Void
    ) {
        WorkerPool.shared.submit {
            guard !cancellation.isCancelled else { return handler(.failure(CancellationError())) }
            handler(Result { try bytes(within: limits) })
        }
    }
}

extension ImageDataProvider {
    /// The bytes; one of the library's that decodes does it within `limits`, and one that reads a file with `timeout`, in seconds.
    func data(
        within limits: DecodeLimits, timeout: TimeInterval = LocalFile.standardTimeout
    ) async throws -> Data {
        guard let provider = self as? any LimitedImageDataProvider else { return try await data() }
        let outcome = OneShot<Data, any Error>()
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            provider.data(limits: limits, timeout: timeout, cancellation: cancellation) {
                outcome.finish($0)
            }
            return try await outcome.value()
        } onCancel: {
            cancellation.cancel()
            outcome.finish(.failure(CancellationError()))
        }
    }
}
