import Foundation

extension WorkerPool {
    /// Reads the disks of all caches; reading blocks, so these threads are not those that decode.
    static let diskReading = WorkerPool(threads: 4, name: "alcedo-disk")
}

extension ImageCache {
    /// Reads an image from disk; nil if there is none, it is damaged, or nobody wants it any more.
    ///
    /// Each costly step is preceded by the question whether it is still wanted.
    /// Calls `then` on a thread of this cache, or on the calling one if the options want the file read there.
    func readDecoded(
        forKey key: String,
        options: KingfisherParsedOptionsInfo,
        then: @escaping @Sendable (Result<KFCrossPlatformImage?, KingfisherError>) -> Void
    ) {
        guard !options.loadDiskFileSynchronously else {
            let result = read(forKey: key, options: options)
            return then(options.backgroundDecode ? result.map { $0?.kf.decoded } : result)
        }
        WorkerPool.diskReading.submit { [self] in
            let result = read(forKey: key, options: options)
            guard options.backgroundDecode, case .success(let image?) = result else { return then(result) }
            WorkerPool.shared.submit {
                then(.success(options.isSourceTaskStale ? nil : image.kf.decoded))
            }
        }
    }

    private func read(
        forKey key: String,
        options: KingfisherParsedOptionsInfo
    ) -> Result<KFCrossPlatformImage?, KingfisherError> {
        guard !options.isSourceTaskStale else { return .success(nil) }
        do throws(KingfisherError) {
            let data = try diskStorage.value(
                forKey: key.computedKey(with: options.processor.identifier),
                forcedExtension: options.forcedExtension,
                extendingExpiration: options.diskCacheAccessExtendingExpiration
            )
            guard let data, !options.isSourceTaskStale else { return .success(nil) }
            return .success(options.cacheSerializer.image(with: data, options: options))
        } catch {
            return .failure(error)
        }
    }

    /// Takes an image that the disk had, or that was made of it, into memory, which holds processed images only.
    ///
    /// What memory has under the key stays: it was stored while the disk was read, and is newer.
    func promote(
        _ image: KFCrossPlatformImage,
        forKey key: String,
        options: KingfisherParsedOptionsInfo
    ) {
        memoryStorage.storeIfAbsent(
            value: image,
            forKey: key.computedKey(with: options.processor.identifier),
            expiration: options.memoryCacheExpiration
        )
    }
}

extension KingfisherParsedOptionsInfo {
    /// Whether the disk has an original where memory has what the processor makes of it.
    var hitNeedsProcessing: Bool { cacheSerializer.originalDataUsed && !processor.identifier.isEmpty }
}
