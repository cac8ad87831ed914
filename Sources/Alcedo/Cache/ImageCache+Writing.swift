import AlcedoLocks
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
    func writeEncoded(
        _ image: KFCrossPlatformImage,
        original: Data?,
        forKey key: String,
        options: KingfisherParsedOptionsInfo,
        completion: StoreCompletion
    ) {
        let serialize: @Sendable () -> Data? = {
            options.cacheSerializer.data(with: image, original: original)
        }
        // The default serializer takes the bytes that an unchanged image has; its turn need not wait for a worker.
        let needsNoEncoder = image.encoded != nil && options.cacheSerializer is DefaultCacheSerializer
        let serialized = needsNoEncoder ? nil : Pending(on: .shared, serialize)
        writing.async { [self] in
            guard let data = serialized.map({ $0.wait() }) ?? serialize() else {
                return completion(
                    .failure(
                        .cacheError(
                            reason: .cannotSerializeImage(
                                image: image, original: original, serializer: options.cacheSerializer)
                        )
                    )
                )
            }
            completion(write(data, forKey: key, options: options))
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

/// A value that a worker thread makes and another thread waits for.
private final class Pending<Value: Sendable>: Sendable {
    private let value = Lock<Value?>(nil)
    private let isMade = DispatchSemaphore(value: 0)

    init(on pool: WorkerPool, _ make: @escaping @Sendable () -> Value?) {
        pool.submit { [self] in
            let made = make()
            value.withLock { $0 = made }
            isMade.signal()
        }
    }

    /// Blocks until it is made; to be called once.
    func wait() -> Value? {
        isMade.wait()
        return value.withLock { $0 }
    }
}
