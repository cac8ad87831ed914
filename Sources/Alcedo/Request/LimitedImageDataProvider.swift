import AlcedoTransport
import Foundation

/// A provider that decodes and so has to keep to the limits of its load.
protocol LimitedImageDataProvider: ImageDataProvider {
    /// Passes the bytes to `handler` exactly once, on any thread; does not begin if it is cancelled before.
    func data(
        limits: DecodeLimits, cancellation: Cancellation,
        handler: @escaping @Sendable (Result<Data, any Error>) -> Void)
}

extension ImageDataProvider {
    /// The bytes; one that decodes does it within `limits`.
    func data(within limits: DecodeLimits) async throws -> Data {
        guard let provider = self as? any LimitedImageDataProvider else { return try await data() }
        let outcome = OneShot<Data, any Error>()
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            provider.data(limits: limits, cancellation: cancellation) { outcome.finish($0) }
            return try await outcome.value()
        } onCancel: {
            cancellation.cancel()
            outcome.finish(.failure(CancellationError()))
        }
    }
}
