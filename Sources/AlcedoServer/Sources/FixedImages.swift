import AlcedoLocks
import Foundation

/// The images that settings name: files are read again when they have changed, URLs are loaded once.
final class FixedImages: Sendable {
    private let loaded = Lock<[Key: (data: Data, stamp: String)]>([:])
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
        // Before the file is read: one that changes meanwhile is read again.
        var stamp = ""
        if case .path(let path) = key { stamp = await self.stamp(of: path, with: loader, until: deadline) }
        if let image = loaded.withLock({ $0[key] }), image.stamp == stamp || stamp.isEmpty {
            return image.data
        }
        // Once for all that wait for it: a file that hangs costs one thread.
        switch await loads.outcome(
            forKey: "\(key) \(stamp)", until: deadline, work: { await loader.load(image) })
        {
        case .timedOut: throw .timedOut
        case .cancelled: throw .cancelled
        case .finished(.fetched(let source)):
            let image = (data: source.data, stamp: stamp)
            loaded.withLock { $0[key] = image }
            return source.data
        case .finished(.failed(let failure)): throw failure
        case .finished(.notModified): throw .internalError("an unconditional request got a 304")
        }
    }

    /// Tells apart what a path has named: the file's number, size and time; empty if that can't be known.
    func stamp(
        of path: String, with loader: SourceLoader, until deadline: ContinuousClock.Instant
    ) async -> String {
        let stamp = loader.engine.files.stamp
        let (files, limit) = (loader.engine.sources.settings, Duration.seconds(loader.rules.downloadTimeout))
        // There must be time left to read it.
        let found = await cancelling(at: .now + (deadline - .now) / 4) {
            await files.run(path, limit: limit) { _ in stamp(path) }
        }
        return ((try? found.get()) ?? nil) ?? ""
    }
}
