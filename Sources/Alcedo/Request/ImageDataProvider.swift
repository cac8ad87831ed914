import AlcedoLocks
import AlcedoTransport
public import Foundation

/// Provides an image's bytes from elsewhere than the network: a file, a database, an archive.
///
/// Implement either `data()` or `data(handler:)`; the default implementation of each calls the other.
public protocol ImageDataProvider: Sendable {
    var cacheKey: String { get }

    /// The bytes; the task is cancelled with the load.
    ///
    /// Loads call it on threads for the program's providers, which it may block; see <doc:YourCode>. A provider that never
    /// returns never ends its load: no timeout applies, but the load can be cancelled.
    func data() async throws -> Data

    /// Passes the bytes to `handler` exactly once, on any thread; may block as ``data()`` may.
    func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void)

    /// The URL of the content; nil by default.
    var contentURL: URL? { get }
}

extension ImageDataProvider {
    public func data() async throws -> Data {
        let outcome = OneShot<Data, any Error>()
        return try await withTaskCancellationHandler {
            data { outcome.finish($0) }
            return try await outcome.value()
        } onCancel: {
            outcome.finish(.failure(CancellationError()))
        }
    }

    /// Calls `data()` on a thread for the program's providers.
    public func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        Task(executorPreference: ProgramThreads.providers) {
            do {
                handler(.success(try await data()))
            } catch {
                handler(.failure(error))
            }
        }
    }

    public var contentURL: URL? { nil }

    public func convertToSource() -> Source { .provider(self) }
}

/// A provider of the library's, whose call returns at once, and which keeps to the limits of its load.
protocol LimitedImageDataProvider: ImageDataProvider {
    /// Passes the bytes to `handler` once, on any thread; does not start if it is cancelled before.
    ///
    /// `timeout` is how long the file system may take for each step, in seconds. The handler need not be called after a
    /// cancellation.
    func data(
        limits: DecodeLimits, timeout: TimeInterval, cancellation: Cancellation,
        handler: @escaping @Sendable (Result<Data, any Error>) -> Void)
}

/// A provider of the library's that reads a file.
protocol FileImageDataProvider: LimitedImageDataProvider {
    /// The threads that wait for the file.
    static var files: FileQueue { get }

    /// The same, with other threads for files.
    func data(
        limits: DecodeLimits, timeout: TimeInterval, cancellation: Cancellation, files: FileQueue,
        handler: @escaping @Sendable (Result<Data, any Error>) -> Void)
}

extension FileImageDataProvider {
    func data(
        limits: DecodeLimits, timeout: TimeInterval, cancellation: Cancellation,
        handler: @escaping @Sendable (Result<Data, any Error>) -> Void
    ) {
        data(
            limits: limits, timeout: timeout, cancellation: cancellation, files: Self.files, handler: handler)
    }

    func dataWithinDefaults(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        data(
            limits: DecodeLimits(), timeout: LocalFile.standardTimeout, cancellation: Cancellation(),
            files: Self.files, handler: handler)
    }
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
