import Foundation

extension ImageCache {
    /// Reads an image from disk, or takes it from what waits to be written; nil if there is none or it is damaged.
    ///
    /// Damage in the middle of a file shows when it is decoded, that is here only with the option `backgroundDecode`.
    /// Before each costly step the one who asked may have changed its mind: then there is nothing.
    /// Calls `then` on a thread of this cache, or on the calling one if the options want the file read there. A staged
    /// write is answered without the disk's threads, which may be busy.
    func readDecoded(
        forKey key: String,
        options: KingfisherParsedOptionsInfo,
        then: @escaping @Sendable (Result<KFCrossPlatformImage?, KingfisherError>) -> Void
    ) {
        if options.loadDiskFileSynchronously {
            return answer(stored(forKey: key, options: options), on: nil, options: options, then: then)
        }
        let lookup = stagedLookup(
            forKey: key, identifier: options.processor.identifier, forcedExtension: options.forcedExtension)
        switch lookup {
        case .removed:
            stagedAnswers.async { then(.success(nil)) }
        case .stored(let value, yieldsToDisk: false):
            stagedAnswers.async { [self] in
                answer(.success(.staged(value)), on: .shared, options: options, then: then)
            }
        case .stored, .landed:
            reads.read { [self] in
                stored(forKey: key, options: options)
            } then: { [self] result in
                let stored = result.mapError { error in
                    let url = diskStorage.cacheFileURL(
                        forKey: key.computedKey(with: options.processor.identifier),
                        forcedExtension: options.forcedExtension)
                    return KingfisherError.cacheError(
                        reason: .cannotLoadDataFromDisk(url: url, error: error))
                }.flatMap { $0 }
                answer(stored, on: .shared, options: options, then: then)
            }
        }
    }

    /// What a lookup has found: a write that has not landed, or an entry's bytes.
    private enum Stored {
        case staged(StagedValue)
        case entry(DiskStorage.ReadEntry)
    }

    /// Looks for an entry; blocks for the disk.
    private func stored(
        forKey key: String,
        options: KingfisherParsedOptionsInfo
    ) -> Result<Stored?, KingfisherError> {
        guard !options.isSourceTaskStale else { return .success(nil) }
        let identifier = options.processor.identifier
        let lookup = stagedLookup(
            forKey: key, identifier: identifier, forcedExtension: options.forcedExtension)
        var fallback: StagedValue?
        switch lookup {
        case .removed: return .success(nil)
        case .stored(let value, yieldsToDisk: false): return .success(.staged(value))
        case .stored(let value, yieldsToDisk: true): fallback = value
        case .landed: break
        }
        return Result { () throws(KingfisherError) in
            let entry = try diskStorage.entry(
                forKey: key.computedKey(with: identifier),
                forcedExtension: options.forcedExtension,
                extendingExpiration: options.diskCacheAccessExtendingExpiration
            )
            return entry.map(Stored.entry) ?? fallback.map(Stored.staged)
        }
    }

    /// Makes the image of what was found, and decodes it if the options want that, on a pool or the calling thread.
    private func answer(
        _ stored: Result<Stored?, KingfisherError>,
        on pool: WorkerPool?,
        options: KingfisherParsedOptionsInfo,
        then: @escaping @Sendable (Result<KFCrossPlatformImage?, KingfisherError>) -> Void
    ) {
        guard case .success(let stored?) = stored else { return then(stored.map { _ in nil }) }
        let make: @Sendable () -> Void = { [self] in
            guard !options.isSourceTaskStale, let image = image(of: stored, options: options) else {
                return then(.success(nil))
            }
            guard options.backgroundDecode else { return then(.success(image)) }
            let decode: @Sendable () -> Void = { [self] in
                guard !options.isSourceTaskStale else { return then(.success(nil)) }
                do throws(CodecError) {
                    _ = try image.bitmap()
                    then(.success(image))
                } catch {
                    if error.isCorruption, case .entry(let entry) = stored { diskStorage.drop(entry) }
                    then(.success(nil))
                }
            }
            if let pool { pool.submit(priority: options.downloadPriority, decode) } else { decode() }
        }
        // Then it decodes all frames, which is no work for a thread that reads the disk.
        if let pool, options.preloadAllAnimationData {
            pool.submit(priority: options.downloadPriority, make)
        } else {
            make()
        }
    }

    private func image(of stored: Stored, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        switch stored {
        case .staged(let value): image(of: value, options: options)
        case .entry(let entry): image(of: entry, options: options)
        }
    }

    /// The image that a staged write makes an entry hold, as the disk would give it.
    private func image(
        of value: StagedValue,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        switch value {
        case .data(let data):
            return options.cacheSerializer.image(with: data, options: options)
        case .image(let image, let original):
            if options.hitNeedsProcessing, let original {
                // Not by the serializer, which may expect what it would have made of the original.
                return DefaultImageProcessor.default.process(item: .data(original), options: options)
            }
            let remade = image.remade(with: options) ?? image
            return remade.scale == options.scaleFactor ? remade : Image(remade, scale: options.scaleFactor)
        }
    }

    /// The image in a file, which is removed if it is damaged but not if only this serializer can't read it.
    private func image(
        of entry: DiskStorage.ReadEntry,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        if let image = options.cacheSerializer.image(with: entry.data, options: options) { return image }
        if entry.isDamagedImage { diskStorage.drop(entry) }
        return nil
    }

    /// Takes an image that the disk had, or that was made of it, into memory, which holds processed images only.
    ///
    /// What memory has under the key stays: it was stored while the disk was read, and is newer. Nothing is promoted if the
    /// key was stored or removed after `snapshot`, or if nobody wants the image any more.
    func promote(
        _ image: KFCrossPlatformImage,
        forKey key: String,
        options: KingfisherParsedOptionsInfo,
        since snapshot: CacheGenerations.Snapshot
    ) {
        guard !options.isSourceTaskStale else { return }
        promote(image, forKey: key, options: options) { present in
            // A removal is noted before memory is changed, so that it is seen here or removes what is stored here.
            present == nil && generations.isUnchanged(since: snapshot)
        }
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

extension DiskStorage.ReadEntry {
    /// Whether a file that a serializer can't read should go.
    ///
    /// What the cache wrote is as another serializer made it. What another program wrote is expected to be an image, and
    /// where nothing is known of the bytes, those are damaged that begin as an image does and aren't one.
    fileprivate var isDamagedImage: Bool {
        switch verdict {
        case .intact: false
        case .damaged: true
        case .foreign: KFCrossPlatformImage(data: data) == nil
        case .unknown: data.isEmpty || data.encodedFormat != nil && KFCrossPlatformImage(data: data) == nil
        }
    }
}

extension CodecError {
    /// Whether the bytes are at fault, whatever time, memory and codecs there are.
    fileprivate var isCorruption: Bool {
        switch self {
        case .truncated, .corrupt: true
        default: false
        }
    }
}
