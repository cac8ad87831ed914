import Foundation

extension WorkerPool {
    /// Reads the disks of all caches; reading blocks, so these threads are not those that decode.
    static let diskReading = WorkerPool(threads: 4, name: "alcedo-disk")
}

extension ImageCache {
    /// Reads an image from disk; nil if there is none or it is damaged, and then its file goes.
    ///
    /// Damage in the middle of a file shows when it is decoded, that is here only with the option `backgroundDecode`.
    /// Before each costly step the one who asked may have changed its mind: then there is nothing.
    /// Calls `then` on a thread of this cache, or on the calling one if the options want the file read there.
    func readDecoded(
        forKey key: String,
        options: KingfisherParsedOptionsInfo,
        then: @escaping @Sendable (Result<KFCrossPlatformImage?, KingfisherError>) -> Void
    ) {
        let read: @Sendable (WorkerPool?) -> Void = { [self] pool in
            do throws(KingfisherError) {
                guard !options.isSourceTaskStale, let entry = try entry(forKey: key, options: options),
                    !options.isSourceTaskStale, let image = image(of: entry, options: options)
                else { return then(.success(nil)) }
                guard options.backgroundDecode else { return then(.success(image)) }
                let decode: @Sendable () -> Void = { [self] in
                    guard !options.isSourceTaskStale else { return then(.success(nil)) }
                    let decoded = image.kf.decoded
                    let isDamaged = decoded.decodedBitmap == nil
                    if isDamaged { diskStorage.drop(entry) }
                    then(.success(isDamaged ? nil : decoded))
                }
                if let pool { pool.submit(decode) } else { decode() }
            } catch {
                then(.failure(error))
            }
        }
        guard !options.loadDiskFileSynchronously else { return read(nil) }
        WorkerPool.diskReading.submit { read(.shared) }
    }

    private func entry(
        forKey key: String,
        options: KingfisherParsedOptionsInfo
    ) throws(KingfisherError) -> DiskStorage.ReadEntry? {
        try diskStorage.entry(
            forKey: key.computedKey(with: options.processor.identifier),
            forcedExtension: options.forcedExtension,
            extendingExpiration: options.diskCacheAccessExtendingExpiration
        )
    }

    /// The image in a file; if there is none in it, not even for another serializer, the file goes.
    private func image(
        of entry: DiskStorage.ReadEntry,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        if let image = options.cacheSerializer.image(with: entry.data, options: options) { return image }
        if KFCrossPlatformImage(data: entry.data) == nil { diskStorage.drop(entry) }
        return nil
    }

    /// Takes an image that the disk had, or that was made of it, into memory, which holds processed images only.
    ///
    /// What memory has under the key stays: it was stored while the disk was read, and is newer.
    func promote(
        _ image: KFCrossPlatformImage,
        forKey key: String,
        options: KingfisherParsedOptionsInfo
    ) {
        promote(image, forKey: key, options: options) { $0 == nil }
    }

    /// Puts an image in the place of `old` in memory, if that is still there and the image is not too large.
    func promote(
        _ image: KFCrossPlatformImage,
        over old: KFCrossPlatformImage,
        forKey key: String,
        options: KingfisherParsedOptionsInfo
    ) {
        guard image.cacheCost <= memoryStorage.config.largestCost else { return }
        promote(image, forKey: key, options: options) { $0 === old }
    }

    private func promote(
        _ image: KFCrossPlatformImage,
        forKey key: String,
        options: KingfisherParsedOptionsInfo,
        if mayReplace: (KFCrossPlatformImage?) -> Bool
    ) {
        memoryStorage.store(
            value: image,
            forKey: key,
            identifier: options.processor.identifier,
            expiration: options.memoryCacheExpiration,
            if: mayReplace
        )
    }
}

extension KingfisherParsedOptionsInfo {
    /// Whether the disk has an original where memory has what the processor makes of it.
    var hitNeedsProcessing: Bool { cacheSerializer.originalDataUsed && !processor.identifier.isEmpty }
}
