import AlcedoCaches
import AlcedoLocks
import AlcedoTransport
import Foundation

// What a load stores in the shared cache: the image, its original, or that the source has failed.

extension ImageLoad {
    /// Starts sharing what was loaded: stores the original, and returns what to call with the encoded image.
    ///
    /// - Returns: nil if the image itself is not shared.
    func share(
        _ loaded: ImageLoadingResult, from source: Source, madeOf record: ResponseRecord?
    ) -> (@Sendable (Data) -> Void)? {
        guard let (fetch, lifetime) = sharing(loaded, from: source) else { return nil }
        let etag = loaded.fetched?.response.value(forHeader: "etag") ?? ""
        let head = record?.data ?? Data()
        let isCurrent = isUnremoved(source)
        let writes = fetch.keys.map { key in
            (
                key,
                SharedWrite(
                    of: key, for: fetch, lifetime: lifetime, etag: etag, head: head, isCurrent: isCurrent)
            )
        }
        var image: (@Sendable (Data) -> Void)?
        for (key, write) in writes {
            let store = sealing(key, write)
            switch key.kind {
            case .original: store(loaded.originalData)
            case .image: image = store
            }
        }
        return encodingIfNeeded(loaded.image, original: loaded.originalData, image)
    }

    /// Starts sharing an image processed from the shared original; returns what to call with its encoded bytes.
    func share(
        processedFrom original: SharedValue, for source: Source, in shared: SharedImageCache,
        unless isRemoved: @escaping @Sendable () -> Bool
    ) -> (@Sendable (Data) -> Void)? {
        let lifetime = original.expiry.timeIntervalSince(shared.now())
        guard options.sharesImage, lifetime > 1,
            let key = sharedKeys(of: source, in: shared).first, key.kind == .image
        else { return nil }
        let fetch = shared.join(SharedFetch(of: [key], in: shared, right: .set))
        guard fetch.claim() else { return nil }
        // Not beyond the original's life: a write makes the lifetime up to 10 % longer or shorter.
        let write = SharedWrite(
            of: key, for: fetch, lifetime: lifetime / 1.1, etag: original.etag, head: original.head,
            isCurrent: { !isRemoved() })
        return sealing(key, write)
    }

    /// Stores a failure in the shared cache, if the load has the right to store and others would fail too.
    func shareFailure(_ error: KingfisherError, of source: Source) {
        guard let fetch = ending.takeSharedFetch() else { return }
        let shared = fetch.cache
        guard let (status, reason, isMissing) = error.sharedFailure,
            handle.sessionTask?.forbidsSharing != true
        else { return }
        if fetch.isRenewal, !isMissing { return fetch.keepLease() }
        let lifetime = isMissing ? shared.settings.missingTimeToLive : shared.settings.failureTimeToLive
        guard lifetime > .zero, options.sharesImage, fetch.claim() else { return }
        let now = shared.now()
        shared.write(
            RememberedFailure(
                status: status, reason: reason, date: now,
                expiration: now.addingTimeInterval(lifetime.seconds)),
            for: fetch)
    }

    /// The right to share a loaded image, and for how many seconds; nil if it must not be shared.
    private func sharing(
        _ loaded: ImageLoadingResult, from source: Source
    ) -> (fetch: SharedFetch, lifetime: TimeInterval)? {
        guard let shared = options.sharedCache, options.sharesImage, mayShare(source, in: shared) else {
            return nil
        }
        var lifetime = shared.settings.timeToLive.seconds
        if let fetched = loaded.fetched {
            if fetched.forbidsSharing { return nil }
            switch Freshness.sharedLifetime(of: fetched.response, at: fetched.received) {
            case .unknown: break
            case .seconds(let seconds): lifetime = min(lifetime, seconds)
            }
        }
        guard lifetime >= 1 else { return nil }
        let fetch =
            ending.takeSharedFetch()
            ?? shared.join(
                SharedFetch(of: sharedKeys(of: source, in: shared), in: shared, right: .set))
        return fetch.claim() ? (fetch, lifetime) : nil
    }

    private func isUnremoved(_ source: Source) -> @Sendable () -> Bool {
        guard let generations = options.targetCache?.generations else { return { true } }
        let snapshot = generations.snapshot(forKey: source.cacheKey, identifier: "")
        return { generations.hasSameRemovals(since: snapshot) }
    }

    /// What stores bytes, transformed as those of the disk cache are.
    private func sealing(_ key: SharedKey, _ write: SharedWrite) -> @Sendable (Data) -> Void {
        guard let transform = options.sharedTransform else { return { write.store($0) } }
        return { bytes in
            WorkerPool.shared.submit {
                if let sealed = try? transform.seal(bytes, fileName: key.digest) { write.store(sealed) }
            }
        }
    }

    /// `store` if the disk cache will encode the image; else encodes it for `store`, and returns nil.
    private func encodingIfNeeded(
        _ image: KFCrossPlatformImage, original: Data, _ store: (@Sendable (Data) -> Void)?
    ) -> (@Sendable (Data) -> Void)? {
        guard let store, !options.writesImageToDisk else { return store }
        options.serialize(keeping: original.count) { [options] in
            if let data = options.cacheSerializer.data(with: image, original: original) { store(data) }
        }
        return nil
    }
}

extension KingfisherError {
    /// What to share of a failure that other machines would have too; nil for one that may be this machine's alone.
    fileprivate var sharedFailure: (status: Int?, reason: String, isMissing: Bool)? {
        guard rememberedFailure == nil else { return nil }
        switch self {
        case .responseError(reason: .invalidHTTPStatusCode(let response)):
            let status = response.statusCode
            if hasStatus(404, 410) { return (status, "status \(status)", true) }
            return (500..<600).contains(status) ? (status, "status \(status)", false) : nil
        case .responseError(reason: .URLSessionError(let error)):
            guard case .timedOut = error.transportError else { return nil }
            return (nil, "the server did not respond in time", false)
        default:
            guard let damage else { return nil }
            if case .truncated = damage { return nil }
            return (nil, damage.description, true)
        }
    }
}

extension SharedWrite {
    /// Stores the bytes of an image in the background, with their format.
    fileprivate func store(_ body: Data) { store(body, type: body.encodedFormat.map { "\($0)" } ?? "") }
}
