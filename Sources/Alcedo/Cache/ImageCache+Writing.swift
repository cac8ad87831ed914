import AlcedoLocks
import AlcedoTransport
import Dispatch
import Foundation

/// Where, if anywhere, the result of a store goes.
struct StoreCompletion: Sendable {
    let queue: CallbackQueue
    let handler: (@Sendable (CacheStoreResult) -> Void)?

    func callAsFunction(_ disk: Result<(), KingfisherError>) {
        guard let handler else { return }
        queue.execute { handler(CacheStoreResult(memoryCacheResult: .success(()), diskCacheResult: disk)) }
    }
}

/// Stands for a processor of which only the identifier is known.
struct ProcessorName: ImageProcessor {
    let identifier: String

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        DefaultImageProcessor.default.process(item: item, options: options)
    }
}

extension ImageCache {
    /// Writes the image in its turn; pixels are encoded on the worker threads while earlier images are written.
    ///
    /// What waits for the disk counts among the bodies that wait, so that downloads do not fill the memory with it.
    func writeEncoded(
        _ image: KFCrossPlatformImage,
        original: Data?,
        forKey key: String,
        options: KingfisherParsedOptionsInfo,
        completion: StoreCompletion
    ) {
        let encode: @Sendable () -> Encoded = {
            let serializer = options.cacheSerializer
            guard let data = serializer.data(with: image, original: original) else {
                let reason = KingfisherError.CacheErrorReason.cannotSerializeImage(
                    image: image, original: original, serializer: serializer)
                return Encoded(data: .failure(.cacheError(reason: reason)), held: nil)
            }
            return Encoded(data: .success(data), held: options.downloader?.backlog?.hold(data.count))
        }
        let finish: @Sendable (Encoded) -> Void = { [self] encoded in
            let result = encoded.data.flatMap { write($0, forKey: key, options: options) }
            encoded.held?.release()
            completion(result)
        }
        // The default serializer takes the bytes that an unchanged image has; they need not wait for a worker.
        if image.encoded != nil, options.cacheSerializer is DefaultCacheSerializer {
            let encoded = encode()
            writing.async { finish(encoded) }
        } else {
            let pending = Pending(on: .shared, encode)
            writing.async { pending.wait().map(finish) }
        }
    }

    /// Writes on the calling thread, which is the queue's.
    func write(
        _ data: Data,
        forKey key: String,
        options: KingfisherParsedOptionsInfo
    ) -> Result<(), KingfisherError> {
        defer { cleanIfDue() }
        do throws(KingfisherError) {
            try diskStorage.store(
                value: data,
                forKey: key,
                identifier: options.processor.identifier,
                expiration: options.diskCacheExpiration,
                writeOptions: options.diskStoreWriteOptions,
                forcedExtension: options.forcedExtension
            )
            return .success(())
        } catch {
            memoryOnlyWarning.warn(of: error, in: diskStorage)
            return .failure(error)
        }
    }

    /// Calls a callback form of storing as an async one.
    func storing(_ start: (@escaping @Sendable (CacheStoreResult) -> Void) -> Void) async throws {
        try await waiting { (finish: @escaping @Sendable (Result<Void, KingfisherError>) -> Void) in
            start { finish($0.diskCacheResult) }
        }
    }

    /// Calls a callback form as an async one.
    func waiting<Value: Sendable, Failure: Error>(
        _ start: (@escaping @Sendable (Result<Value, Failure>) -> Void) -> Void
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            start { continuation.resume(with: $0.mapError { $0 as any Error }) }
        }
    }

    /// Calls a callback form that can't fail as an async one.
    func finishing(_ start: (@escaping @Sendable () -> Void) -> Void) async {
        await withCheckedContinuation { continuation in start { continuation.resume() } }
    }
}

/// What is to be written, and its place in the backlog.
private struct Encoded {
    let data: Result<Data, KingfisherError>
    let held: Backlog.Held?
}

/// What a worker thread makes and another thread waits for.
private final class Pending: Sendable {
    private let encoded = Lock<Encoded?>(nil)
    private let isMade = DispatchSemaphore(value: 0)

    init(on pool: WorkerPool, _ encode: @escaping @Sendable () -> Encoded) {
        pool.submit { [self] in
            let made = encode()
            encoded.withLock { $0 = made }
            isMade.signal()
        }
    }

    /// Blocks until it is made; to be called once.
    func wait() -> Encoded? {
        isMade.wait()
        return encoded.withLock { $0.take() }
    }
}
