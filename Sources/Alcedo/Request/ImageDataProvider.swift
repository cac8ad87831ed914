public import Foundation

/// Hands over an image's bytes by itself: from a file, a database, an archive.
///
/// Implement either `data()` or `data(handler:)`; each is made from the other.
public protocol ImageDataProvider: Sendable {
    /// Names the image in the caches.
    var cacheKey: String { get }

    /// The bytes. Cancelled with the load that asked for them.
    func data() async throws -> Data

    /// The bytes, given to `handler` exactly once and on any thread.
    func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void)

    /// The address of the content, if it has one.
    var contentURL: URL? { get }
}

extension ImageDataProvider {
    /// The bytes, by way of `data(handler:)`.
    public func data() async throws -> Data {
        let outcome = OneShot<Data, any Error>()
        return try await withTaskCancellationHandler {
            data { outcome.finish($0) }
            return try await outcome.value()
        } onCancel: {
            outcome.finish(.failure(CancellationError()))
        }
    }

    /// The bytes, by way of `data()`.
    public func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        Task {
            do {
                handler(.success(try await data()))
            } catch {
                handler(.failure(error))
            }
        }
    }

    /// None.
    public var contentURL: URL? { nil }

    /// The source that loads from this provider.
    public func convertToSource() -> Source { .provider(self) }
}
