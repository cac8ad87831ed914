import AlcedoLocks
import AlcedoTransport
import Foundation

// The lookup in the shared cache, after memory and disk had neither the image nor its original.

extension KingfisherParsedOptionsInfo {
    /// The keys to look for in the shared cache, the processed image's first; none if its settings exclude what is wanted.
    func sharedKeys(of source: Source, in shared: SharedImageCache) -> [SharedKey] {
        let key = source.cacheKey
        return sharedKinds(in: shared).map { kind in
            switch kind {
            case .original: SharedKey(.original, of: key)
            case .image:
                SharedKey(.image, of: key, identifier: processor.identifier, forcedExtension: forcedExtension)
            }
        }
    }

    /// The kinds of ``sharedKeys(of:in:)``, which each take a hash.
    fileprivate func sharedKinds(in shared: SharedImageCache) -> [SharedKey.Kind] {
        let contents = shared.settings.contents
        let isOriginal = processor.identifier.isEmpty && cacheSerializer is DefaultCacheSerializer
        let wantsImage = !isOriginal && !hitNeedsProcessing && !context.storesOnlyBytes
        var kinds: [SharedKey.Kind] = []
        if wantsImage, contents.contains(.processedImages) { kinds.append(.image) }
        if contents.contains(.originals) { kinds.append(.original) }
        return kinds
    }

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

/// What a value of the shared cache was made into.
private struct SharedHit: Sendable {
    let image: KFCrossPlatformImage
    let body: Data
    let record: ResponseRecord?
}

extension ImageLoad {
    /// The shared cache to look into; nil if there is none, or the load does not read it.
    func sharedCache(for source: Source) -> SharedImageCache? {
        guard let shared = options.sharedCache, options.reads(.shared), mayShare(source, in: shared),
            state.withLock({ $0.sharedFetch == nil })
        else { return nil }
        // Whether the image is fresh is decided by what the target cache knows of it.
        let isStored = !options.writeLayers.isDisjoint(with: [.memory, .disk])
        return respectsFreshness(of: source) && !isStored ? nil : shared
    }

    func mayShare(_ source: Source, in shared: SharedImageCache) -> Bool {
        source.isShareable && options.targetCache != nil
            && !options.sharedKinds(in: shared).isEmpty
    }

    func lookUpShared(_ source: Source, in shared: SharedImageCache) {
        guard let cache = options.targetCache else { return loadAfterLookup(source) }
        let timeout = options.downloader?.downloadTimeout ?? .infinity
        let request = SharedImageCache.Request(
            keys: options.sharedKeys(of: source, in: shared),
            mayFetch: options.reads(.network) && options.sharesImage,
            wait: min(shared.settings.leaseWait, timeout > 0 ? timeout / 2 : .infinity))
        let generations = cache.generations
        let snapshot = generations.snapshot(
            forKey: source.cacheKey, identifier: options.processor.identifier)
        let originals = storesOriginal ? options.originalCache?.generations : nil
        let original = originals?.snapshot(forKey: source.cacheKey, identifier: "")
        let changes = ChangesSinceLookup(
            isRemoved: { !generations.hasSameRemovals(since: snapshot) },
            isChanged: { !generations.isUnchanged(since: snapshot) },
            isOriginalChanged: {
                guard let originals, let original else { return false }
                return !generations.hasSameRemovals(since: snapshot)
                    || !originals.isUnchanged(since: original)
            })
        shared.find(request) { [self] lookup in
            guard isCurrent(source) else { return }
            if let image = imageInMemory(of: source) {
                // Another load of the same image was faster.
                lookedUp(.memory)
                return use(memoryHit: image, in: cache, source: source)
            }
            switch lookup {
            case .found(let value, let key):
                use(value, of: key, for: source, in: shared, unless: changes)
            case .failedBefore(let failure):
                lookedUp(tier: .shared)
                let error = TransportError.failedBefore(failure, url: source.url?.absoluteString ?? "")
                fail(.responseError(reason: .URLSessionError(error: error.urlError)), source: source)
            case .missed(let fetch):
                keep(fetch)
                loadAfterLookup(source)
            }
        }
    }

    private func keep(_ fetch: SharedFetch?) {
        let old = state.withLock { state in
            guard !state.isFinished else { return fetch }
            return exchange(&state.sharedFetch, with: fetch)
        }
        withExtendedLifetime(old) {}
    }

    // MARK: - Hits

    /// Makes the image, stores it in memory and on disk, and delivers it once it is fresh; loads the source if it can't.
    private func use(
        _ value: SharedValue, of key: SharedKey, for source: Source, in shared: SharedImageCache,
        unless changes: ChangesSinceLookup
    ) {
        let serializes = key.kind == .image || options.processor.identifier.isEmpty
        let useHit: @Sendable (SharedHit?) -> Void = { [self] hit in
            guard isCurrent(source) else { return }
            guard let hit, hasPixels(hit.image) else { return useNothing(of: source, in: shared) }
            use(hit, of: value, key, for: source, in: shared, unless: changes)
        }
        if serializes, !options.cacheSerializer.isOfLibrary {
            options.serialize { [self] in
                let made = hit(value, of: key, for: source)
                // Decoding is not for the program's threads.
                options.process { useHit(made) }
            }
        } else {
            options.process { [self] in useHit(hit(value, of: key, for: source)) }
        }
    }

    /// Makes the image of a value; nil if it is of no use, or the load is not current.
    private func hit(_ value: SharedValue, of key: SharedKey, for source: Source) -> SharedHit? {
        guard isCurrent(source) else { return nil }
        let record = respectsFreshness(of: source) ? ResponseRecord(data: value.head) : nil
        guard record != nil || !respectsFreshness(of: source),
            let body = options.opened(value.body, key), let image = image(of: body, key, source)
        else { return nil }
        return SharedHit(image: image, body: body, record: record)
    }

    private func use(
        _ hit: SharedHit, of value: SharedValue, _ key: SharedKey, for source: Source,
        in shared: SharedImageCache, unless changes: ChangesSinceLookup
    ) {
        guard isCurrent(source) else { return }
        let isOriginal = key.kind == .original && !options.processor.identifier.isEmpty
        lookedUp(tier: .shared, isOriginal: isOriginal)
        if let record = hit.record { adopt(record, for: source) }
        let deliverImage: @Sendable () -> Void = { [self] in
            // Asked before the delivery, after which the program goes on, and its clock.
            let isDue = value.softExpiry <= shared.now()
            deliver(hit.image, value, hit.body, isOriginal: isOriginal, source)
            if isDue { renew(source, in: shared) }
        }
        fill(
            hit.image, with: hit.body, isOriginal: isOriginal, source, madeOf: hit.record,
            sharing: isOriginal
                ? share(processedFrom: value, for: source, in: shared, unless: changes.isRemoved) : nil,
            unless: changes
        ) { [self] in
            guard hit.record != nil, let cache = options.targetCache else { return deliverImage() }
            useIfFresh(source, in: cache, deliverImage)
        }
    }

    private func useNothing(of source: Source, in shared: SharedImageCache) {
        if options.reads(.network), options.sharesImage {
            // What is there is of no use, so it may be replaced.
            let keys = options.sharedKeys(of: source, in: shared)
            keep(shared.join(SharedFetch(of: keys, in: shared, right: .set)))
        }
        loadAfterLookup(source)
    }

    /// The image of a value's bytes, with the limits of a download; nil if they are none.
    private func image(of body: Data, _ key: SharedKey, _ source: Source) -> KFCrossPlatformImage? {
        if key.kind == .image || options.processor.identifier.isEmpty {
            return options.cacheSerializer.image(with: body, options: options)
        }
        options.context.events?.send(.making(of: body.count, with: options))
        return try? options.processed(.data(body), of: source).get()
    }

    /// Decodes the image if the options want that; false if it fails.
    private func hasPixels(_ image: KFCrossPlatformImage) -> Bool {
        !options.backgroundDecode || (try? image.bitmap()) != nil
    }

    private func adopt(_ record: ResponseRecord, for source: Source) {
        options.targetCache?.adopt(
            record, forKey: source.cacheKey, options: options, toDisk: options.writesImageToDisk)
    }

    private func deliver(
        _ image: KFCrossPlatformImage, _ value: SharedValue, _ body: Data, isOriginal: Bool, _ source: Source
    ) {
        deliver(
            image, cacheType: isOriginal ? .none : .disk, tier: isOriginal ? nil : .shared, source: source
        ) { body }
    }

    /// Stores the image in the target cache, and the original of a processed one as the options say.
    private func fill(
        _ image: KFCrossPlatformImage, with body: Data, isOriginal: Bool, _ source: Source,
        madeOf record: ResponseRecord?, sharing share: (@Sendable (Data) -> Void)?,
        unless changes: ChangesSinceLookup, then: @escaping @Sendable () -> Void
    ) {
        let isReplaced = isReplaced(record, of: source, in: options.targetCache)
        // Removals of another response's images are no reason: this one's follow them.
        let isSuperseded: @Sendable () -> Bool = {
            record == nil ? changes.isChanged() : isReplaced?() == true
        }
        let storesOriginal = isOriginal && storesOriginal
        let stored = options.waitForCache ? Countdown(from: storesOriginal ? 2 : 1, then: then) : nil
        storeInTarget(
            image, original: body, source: source, madeOf: record, unless: isSuperseded, sharing: share,
            then: stored)
        if storesOriginal {
            storeOriginal(
                body, of: source, madeOf: record, unless: changes.isOriginalChanged, then: stored)
        }
        if stored == nil { then() }
    }

    /// Loads the source again, in the background, if no other machine does.
    private func renew(_ source: Source, in shared: SharedImageCache) {
        guard options.reads(.network), options.sharesImage, !handle.isCancelled else { return }
        let keys = options.sharedKeys(of: source, in: shared)
        shared.renew(keys) { [options, activeLoads] fetch in
            var options = options
            let credential = options.context.credential
            options.context = LoadContext()
            (options.context.credential, options.context.sharedFetch) = (credential, fetch)
            (options.callbackQueue, options.loadDiskFileSynchronously) = (.untouch, false)
            (options.alternativeSources, options.lowDataModeSource) = (nil, nil)
            (options.forceRefresh, options.waitForCache, options.revalidationHandler) = (true, false, nil)
            let load = ImageLoad(
                of: source, options: options, downloadTaskUpdated: nil, activeLoads: activeLoads,
                completion: nil)
            _ = load.start()
        }
    }
}
