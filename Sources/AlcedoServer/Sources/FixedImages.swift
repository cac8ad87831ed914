import AlcedoLocks
import Foundation

/// The images that settings name, each loaded once.
final class FixedImages: Sendable {
    private let loaded = Lock<[Key: Data]>([:])
    private let loads = Flights<SourceOutcome>()

    private enum Key: Hashable {
        case path(String)
        case url(String)
    }

    /// The bytes of an image; loads it again after a failure.
    func data(
        of image: FixedImage, with loader: SourceLoader, until deadline: ContinuousClock.Instant
    ) async throws(RequestFailure) -> Data {
        let key: Key
        switch image {
        case .data(let data): return data
        case .path(let path): key = .path(path)
        case .url(let url): key = .url(url)
        }
        if let data = loaded.withLock({ $0[key] }) { return data }
        // Once for all that wait for it: a file that hangs costs one thread.
        switch await loads.outcome(forKey: "\(key)", until: deadline, work: { await loader.load(image) }) {
        case .timedOut: throw .timedOut
        case .cancelled: throw .cancelled
        case .finished(.fetched(let source)):
            loaded.withLock { $0[key] = source.data }
            return source.data
        case .finished(.failed(let failure)): throw failure
        case .finished(.notModified): throw .internalError("an unconditional request got a 304")
        }
    }
}
