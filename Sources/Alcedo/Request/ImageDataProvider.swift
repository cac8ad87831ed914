public import Foundation

/// Provides an image's bytes from elsewhere than the network: a file, a database, an archive.
///
/// Implement either `data()` or `data(handler:)`; the default implementation of each calls the other.
public protocol ImageDataProvider: Sendable {
    /// The key in the caches.
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
    /// Calls `data(handler:)`.
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

    /// Nil.
    public var contentURL: URL? { nil }

    /// The source of this provider.
    public func convertToSource() -> Source { .provider(self) }
}
