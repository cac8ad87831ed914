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
    ) async -> Result<Data, AnswerFailure> {
        let key: Key
        switch image {
        case .data(let data): return .success(data)
        case .path(let path): key = .path(path)
        case .url(let url): key = .url(url)
        }
        if let data = loaded.withLock({ $0[key] }) { return .success(data) }
        // Once for all that wait for it: a file that hangs costs one thread.
        switch await loads.outcome(forKey: "\(key)", until: deadline, work: { await loader.load(image) }) {
        case .timedOut: return .failure(.timedOut)
        case .cancelled: return .failure(.cancelled)
        case .finished(let outcome): return keep(outcome, key)
        }
    }

    private func keep(_ outcome: SourceOutcome, _ key: Key) -> Result<Data, AnswerFailure> {
        switch outcome {
        case .fetched(let source):
            loaded.withLock { $0[key] = source.data }
            return .success(source.data)
        case .failed(let failure): return .failure(failure)
        case .notModified: return .failure(.internalError("an unconditional request got a 304"))
        }
    }
}
