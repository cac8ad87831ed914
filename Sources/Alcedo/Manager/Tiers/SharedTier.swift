import AlcedoLocks
import AlcedoTransport
import Foundation

extension ImageLoad {
    /// The keys to look for in the shared cache, the processed image's first; none if its settings exclude what is wanted.
    func sharedKeys(of source: Source, in shared: SharedImageCache) -> [SharedKey] {
        let key = source.cacheKey
        return sharedKinds(in: shared).map { kind in
            switch kind {
            case .original: SharedKey(.original, of: key)
            case .image:
                SharedKey(
                    .image, of: key, identifier: options.processor.identifier,
                    forcedExtension: options.forcedExtension)
            }
        }
    }

    /// The kinds of ``sharedKeys(of:in:)``, which each take a hash.
    fileprivate func sharedKinds(in shared: SharedImageCache) -> [SharedKey.Kind] {
        let contents = shared.settings.contents
        // An unprocessed image is its original, unless another serializer changes it: one value for both.
        let isOriginal =
            options.processor.identifier.isEmpty && options.cacheSerializer is DefaultCacheSerializer
        let wantsImage = !isOriginal && !options.hitNeedsProcessing && !context.storesOnlyBytes
        var kinds: [SharedKey.Kind] = []
        if wantsImage, contents.contains(.processedImages) { kinds.append(.image) }
        if contents.contains(.originals) { kinds.append(.original) }
        return kinds
    }
}

extension KingfisherParsedOptionsInfo {
    /// Changes bytes for the store and back, as the disk cache does for its files; nil if they stay as they are.
    var sharedTransform: (any DiskTransform)? { targetCache?.diskStorage.config.transform }

    /// The bytes of an image that were transformed for the store; nil if that fails.
    fileprivate func opened(_ body: Data, _ key: SharedKey) -> Data? {
        guard let transform = sharedTransform else { return body }
        return try? transform.open(body, fileName: key.digest)
    }
}

extension Source {
    /// Whether it means the same image on all machines.
    fileprivate var isShareable: Bool {
        guard case .network(let resource) = self else { return false }
        let scheme = resource.downloadURL.scheme?.lowercased()
        return scheme != nil && scheme != "file" && scheme != "data"
    }
}

/// What has happened to the caches since a lookup in the shared cache, so that older things don't replace newer ones.
private struct ChangesSinceLookup: Sendable {
    /// Whether something of the image was removed from the target cache.
    let isRemoved: @Sendable () -> Bool

    /// Whether the image was removed from the target cache, or stored in it.
    let isChanged: @Sendable () -> Bool

    /// Whether its original was removed from the cache of originals or stored in it, or the image was removed.
    let isOriginalChanged: @Sendable () -> Bool
}

/// The image or its original in the shared cache, after memory and disk had neither.
///
/// After a miss the load has the right to store what it gets from the source.
struct SharedTier: LoadTier {
    func serves(_ load: ImageLoad, _ source: Source) -> Bool { load.sharedCache(for: source) != nil }

    nonisolated(nonsending) func find(
        _ attempt: LoadAttempt, for load: ImageLoad
    ) async throws(KingfisherError) -> TierHit? {
        let source = attempt.source
        guard let shared = load.sharedCache(for: source), let cache = load.options.targetCache else {
            return nil
        }
        let timeout = load.options.downloader?.downloadTimeout ?? .infinity
        let request = SharedImageCache.Request(
            keys: load.sharedKeys(of: source, in: shared),
            mayFetch: load.options.reads(.network) && load.options.sharesImage,
            wait: min(shared.settings.leaseWait.seconds, timeout > 0 ? timeout / 2 : .infinity))
        let changes = load.changesFromNow(to: source, in: cache)
        let lookup = try await load.callback { shared.find(request, then: $0) }
        try load.checkCurrent()
        if let image = load.imageInMemory(of: source) {
            // Another load of the same image was faster.
            return hit(inMemory: image, of: cache, for: load)
        }
        switch lookup {
        case .found(let value, let key):
            return try await load.hit(value, of: key, for: source, in: shared, unless: changes)
        case .failedBefore(let failure):
            load.lookedUp(tier: .shared)
            let error = TransportError.failedBefore(failure, url: source.url?.absoluteString ?? "")
            throw .responseError(reason: .URLSessionError(error: error.urlError))
        case .missed(let fetch):
            load.ending.keep(fetch)
            return nil
        }
    }
}

/// The image that a value of the shared cache contains, and its bytes.
private struct SharedHit: Sendable {
    let image: KFCrossPlatformImage
    let body: Data
}

extension ImageLoad {
    /// The shared cache to look into; nil if there is none, or the load does not read it.
    fileprivate func sharedCache(for source: Source) -> SharedImageCache? {
        guard let shared = options.sharedCache, options.reads(.shared), mayShare(source, in: shared),
            !ending.hasSharedFetch
        else { return nil }
        // Whether the image is fresh is decided by what the target cache knows of it.
        let isStored = !options.writeLayers.isDisjoint(with: [.memory, .disk])
        return respectsFreshness(of: source) && !isStored ? nil : shared
    }

    func mayShare(_ source: Source, in shared: SharedImageCache) -> Bool {
        source.isShareable && options.targetCache != nil
            && !sharedKinds(in: shared).isEmpty
    }

    fileprivate func changesFromNow(to source: Source, in cache: ImageCache) -> ChangesSinceLookup {
        let generations = cache.generations
        let snapshot = generations.snapshot(
            forKey: source.cacheKey, identifier: options.processor.identifier)
        let originals = storesOriginal ? options.originalCache?.generations : nil
        let original = originals?.snapshot(forKey: source.cacheKey, identifier: "")
        return ChangesSinceLookup(
            isRemoved: { !generations.hasSameRemovals(since: snapshot) },
            isChanged: { !generations.isUnchanged(since: snapshot) },
            isOriginalChanged: {
                guard let originals, let original else { return false }
                return !generations.hasSameRemovals(since: snapshot)
                    || !originals.isUnchanged(since: original)
            })
    }

    /// Creates the image of a value and stores it in memory and on disk; nil if it can't.
    fileprivate nonisolated(nonsending) func hit(
        _ value: SharedValue, of key: SharedKey, for source: Source, in shared: SharedImageCache,
        unless changes: ChangesSinceLookup
    ) async throws(KingfisherError) -> TierHit? {
        let record = respectsFreshness(of: source) ? ResponseRecord(data: value.head) : nil
        let create: @Sendable () -> SharedHit? = { [self] in
            guard record != nil || !respectsFreshness(of: source), !options.isSourceTaskStale,
                let body = options.opened(value.body, key), let image = image(of: body, key, source)
            else { return nil }
            return SharedHit(image: image, body: body)
        }
        let serializes = key.kind == .image || options.processor.identifier.isEmpty
        // The program's serializer may block, and decoding is not for its threads.
        let isForeign = serializes && !options.cacheSerializer.isOfLibrary
        let found: SharedHit?
        if isForeign {
            // In one wait, so that the load does not continue on the program's thread in between.
            found = try await callback { [self] then in
                options.serialize { [self] in
                    let created = create()
                    options.process { [self] in then(created.flatMap { hasPixels($0.image) ? $0 : nil }) }
                }
            }
            try checkCurrent()
        } else {
            found = try await process { [self] in create().flatMap { hasPixels($0.image) ? $0 : nil } }
        }
        guard let image = found?.image, let body = found?.body else {
            if options.reads(.network), options.sharesImage {
                // The value can't be used, so it may be replaced.
                let keys = sharedKeys(of: source, in: shared)
                ending.keep(shared.join(SharedFetch(of: keys, in: shared, right: .set)))
            }
            return nil
        }
        let isOriginal = key.kind == .original && !options.processor.identifier.isEmpty
        lookedUp(tier: .shared, isOriginal: isOriginal)
        if let record {
            options.targetCache?.adopt(
                record, forKey: source.cacheKey, options: options, toDisk: options.writesImageToDisk)
        }
        await fill(
            image, with: body, isOriginal: isOriginal, source, madeOf: record,
            sharing: isOriginal
                ? share(processedFrom: value, for: source, in: shared, unless: changes.isRemoved) : nil,
            unless: changes)
        return TierHit(cache: record == nil ? nil : options.targetCache, image: image) { [self] _ in
            if value.softExpiry <= shared.now() { renew(source, in: shared) }
            return .delivery(
                LoadDelivery(image, isOriginal ? .none : .disk, tier: isOriginal ? nil : .shared) { body })
        }
    }

    /// The image of a value's bytes, with the limits of a download; nil if they are none.
    private func image(of body: Data, _ key: SharedKey, _ source: Source) -> KFCrossPlatformImage? {
        if key.kind == .image || options.processor.identifier.isEmpty {
            return options.cacheSerializer.image(with: body, options: options)
        }
        events?.send(.making(of: body.count, with: options))
        var options = options
        options.processingRun = processing(of: source)
        return try? options.processed(.data(body)).get()
    }

    /// Decodes the image if the options want that; false if it fails.
    private func hasPixels(_ image: KFCrossPlatformImage) -> Bool {
        !options.backgroundDecode || (try? image.bitmap()) != nil
    }

    /// Stores the image in the target cache, and the original of a processed one as the options say.
    private nonisolated(nonsending) func fill(
        _ image: KFCrossPlatformImage, with body: Data, isOriginal: Bool, _ source: Source,
        madeOf record: ResponseRecord?, sharing share: (@Sendable (Data) -> Void)?,
        unless changes: ChangesSinceLookup
    ) async {
        let isReplaced = isReplaced(record, of: source, in: options.targetCache)
        // Removals of another response's images are no reason: this one's follow them.
        let isSuperseded: @Sendable () -> Bool = {
            record == nil ? changes.isChanged() : isReplaced?() == true
        }
        let storesOriginal = isOriginal && storesOriginal
        await storing { [count = storesOriginal ? 2 : 1] then in
            let stored = then.map { Countdown(from: count, then: $0) }
            storeInTarget(
                image, original: body, source: source, madeOf: record, unless: isSuperseded, sharing: share,
                then: stored)
            if storesOriginal {
                storeOriginal(
                    body, of: source, madeOf: record, unless: changes.isOriginalChanged, then: stored)
            }
        }
    }

    /// Loads the source again, in the background, if no other machine does.
    private func renew(_ source: Source, in shared: SharedImageCache) {
        guard options.reads(.network), options.sharesImage, !handle.isCancelled else { return }
        let keys = sharedKeys(of: source, in: shared)
        let context = LoadContext(storesOnlyBytes: context.storesOnlyBytes)
        shared.renew(keys) { [options, activeLoads] fetch in
            var options = options.forBackgroundLoad()
            (options.callbackQueue, options.forceRefresh, options.waitForCache) = (.untouch, true, false)
            let load = ImageLoad(
                of: source, options: options, context: context, sharedFetch: fetch,
                activeLoads: activeLoads, completion: nil)
            _ = load.start()
        }
    }
}
