import AlcedoLocks
import AlcedoPixels
import Foundation

extension ImageCache {
    /// Looks up an image in memory, then on disk; calls `then` once, for a memory hit before it returns.
    func retrieve(
        forKey key: String, options: KingfisherParsedOptionsInfo,
        then: @escaping @Sendable (Result<ImageCacheResult, KingfisherError>) -> Void
    ) {
        if options.readLayers.contains(.memory),
            let image = retrieveImageInMemoryCache(forKey: key, options: options)
        {
            return then(.success(.memory(image)))
        }
        if options.fromMemoryCacheOrRefresh || !options.readLayers.contains(.disk) {
            return then(.success(.none))
        }
        let snapshot = generations.snapshot(forKey: key, identifier: options.processor.identifier)
        let promotion = options.hitNeedsProcessing ? nil : options.promotion
        readDecoded(forKey: key, options: options, since: snapshot) { [self] result in
            then(
                result.map { image in
                    guard let image else { return .none }
                    promote(image, forKey: key, promotion, since: snapshot)
                    return .disk(image)
                })
        }
    }

    /// Reads an image from disk, or takes it from a staged write; nil if there is none or it is corrupt.
    ///
    /// Corruption in the middle of a file shows only when the image is decoded: here with `backgroundDecode`, otherwise at
    /// the first use. A load that is stale by now gets nil. Calls `then` on a thread of this cache or for the program's
    /// serializers, or with `loadDiskFileSynchronously` on the calling one. A staged write is delivered off the disk's
    /// threads, which may be busy.
    ///
    /// Equal lookups that come before it ends get the same image. A serializer of the program's is called for each, because it
    /// may do more than read, and a lookup must not wait for another one's serializer that hangs.
    ///
    /// `snapshot` is of the key and the options' processor, if the caller has one; it is kept until the lookup ends.
    func readDecoded(
        forKey key: String, options: KingfisherParsedOptionsInfo,
        since snapshot: CacheGenerations.Snapshot? = nil,
        then: @escaping @Sendable (DiskLookup) -> Void
    ) {
        if options.loadDiskFileSynchronously {
            return deliver(find(forKey: key, options), for: nil, SharedOptions(options), then: then)
        }
        let snapshot =
            snapshot ?? generations.snapshot(forKey: key, identifier: options.processor.identifier)
        guard let lookup = options.lookup(key, snapshot.counts) else {
            return startReading(forKey: key, SharedOptions(options), for: .alone, then: then)
        }
        let caller = Lookups.Caller(
            priority: options.downloadPriority, isCurrent: options.isCurrent, then: then)
        let (run, isNew) = lookups.join(lookup, for: caller)
        guard isNew else { return }
        let options = SharedOptions(options, isCurrent: run.isNeeded)
        startReading(forKey: key, options, for: .callers(run)) { [stagedReads] result in
            // The counts of the key say something only while there is the snapshot.
            withExtendedLifetime(snapshot) {
                run.finish(result) { _, call in stagedReads.async(call) }
            }
        }
    }

    /// Whose lookup it is: one that callers share, or a single caller's.
    private enum Reader {
        case alone
        case callers(Lookups.Run)

        func submit(_ options: KingfisherParsedOptionsInfo, _ block: @escaping @Sendable () -> Void) {
            switch self {
            case .alone: WorkerPool.shared.submit(priority: options.downloadPriority, block)
            case .callers(let run): run.submit(block)
            }
        }
    }

    private func startReading(
        forKey key: String, _ options: SharedOptions, for reader: Reader,
        then: @escaping @Sendable (DiskLookup) -> Void
    ) {
        let name = fileName(forKey: key, options.value)
        let fallback: StagedValue?
        switch stagedLookup(name, key: key) {
        case .removed: return stagedReads.async { then(.success(nil)) }
        case .stored(let value, yieldsToDisk: false):
            return stagedReads.async { [self] in
                deliver(.success(.staged(value)), for: reader, options, then: then)
            }
        case .stored(let value, yieldsToDisk: true): fallback = value
        case .notStaged: fallback = nil
        }
        let read: @Sendable () -> Void = { [self] in
            readContent(name, ofKey: key, options, fallback: fallback) { [self] content in
                deliver(content, for: reader, options, then: then)
            }
        }
        if options.value.cacheSerializer.isOfLibrary { read() } else { serializing.start(read) }
    }

    /// Looks up an entry on a thread of the disk's; what is staged by now came after this lookup.
    private func readContent(
        _ name: String, ofKey key: String, _ shared: SharedOptions, fallback: StagedValue?,
        then: @escaping @Sendable (Result<Content?, KingfisherError>) -> Void
    ) {
        let end: @Sendable (Result<Content?, KingfisherError>) -> Void = { [serializing] content in
            if !shared.value.cacheSerializer.isOfLibrary {
                serializing.hasRead((try? content.get())?.entryByteCount ?? 0)
            }
            then(content)
        }
        reads.read { [self] in
            let content = readEntry(name, ofKey: key, shared.value, fallback: fallback)
            return { end(content) }
        } fail: { [diskStorage] error in
            let url = diskStorage.url(of: name)
            end(.failure(.cacheError(reason: .cannotLoadDataFromDisk(url: url, error: error))))
        }
    }

    /// What a lookup found.
    private enum Content {
        case staged(StagedValue)
        case entry(DiskStorage.ReadEntry)

        /// Whether it is an entry to remove.
        func isCorruptImage(_ isolation: DecodeSandbox) -> Bool {
            if case .entry(let entry) = self { entry.isCorruptImage(isolation) } else { false }
        }

        /// The bytes that were read for it.
        var entryByteCount: Int { if case .entry(let entry) = self { entry.data.count } else { 0 } }

        var callsSerializer: Bool { if case .staged(.image) = self { false } else { true } }
    }

    /// Looks up an entry; blocks for the disk.
    private func find(
        forKey key: String, _ options: KingfisherParsedOptionsInfo
    ) -> Result<Content?, KingfisherError> {
        let name = fileName(forKey: key, options)
        return switch stagedLookup(name, key: key) {
        case .removed: .success(nil)
        case .stored(let value, yieldsToDisk: false): .success(.staged(value))
        case .stored(let value, yieldsToDisk: true): readEntry(name, ofKey: key, options, fallback: value)
        case .notStaged: readEntry(name, ofKey: key, options, fallback: nil)
        }
    }

    private func fileName(forKey key: String, _ options: KingfisherParsedOptionsInfo) -> String {
        diskStorage.fileName(
            forKey: key.computedKey(with: options.processor.identifier),
            forcedExtension: options.forcedExtension)
    }

    /// Reads an entry of the disk, or takes the staged value that yields to it.
    private func readEntry(
        _ name: String, ofKey key: String, _ options: KingfisherParsedOptionsInfo, fallback: StagedValue?
    ) -> Result<Content?, KingfisherError> {
        guard !options.isSourceTaskStale else { return .success(nil) }
        return Result { () throws(KingfisherError) in
            let entry = try diskStorage.entry(
                named: name, ofKey: key.computedKey(with: options.processor.identifier),
                extendingExpiration: options.diskCacheAccessExtendingExpiration)
            return entry.map(Content.entry) ?? fallback.map(Content.staged)
        }
    }

    /// Creates the image, and decodes it with `backgroundDecode`; on the calling thread if `reader` is nil.
    private func deliver(
        _ content: Result<Content?, KingfisherError>, for reader: Reader?,
        _ options: SharedOptions, then: @escaping @Sendable (DiskLookup) -> Void
    ) {
        guard case .success(let content?) = content else { return then(content.map { _ in nil }) }
        let make: @Sendable () -> Void = { [self] in
            guard !options.value.isSourceTaskStale else { return then(.success(nil)) }
            guard let image = image(of: content, options: options.value) else {
                guard content.isCorruptImage(options.value.decodeSandbox) else {
                    return then(.success(nil))
                }
                return drop(content, inPlace: reader == nil) { then(.success(nil)) }
            }
            guard options.value.backgroundDecode else { return then(.success(image)) }
            let decode: @Sendable () -> Void = { [self] in
                guard !options.value.isSourceTaskStale else { return then(.success(nil)) }
                do throws(CodecError) {
                    _ = try image.bitmap()
                    then(.success(image))
                } catch {
                    guard error.isCorruption else { return then(.success(nil)) }
                    drop(content, inPlace: reader == nil) { then(.success(nil)) }
                }
            }
            if let reader { reader.submit(options.value, decode) } else { decode() }
        }
        // The program's code may block, and this option decodes all frames: neither must occupy a disk thread.
        if reader != nil, content.callsSerializer, !options.value.cacheSerializer.isOfLibrary {
            let count = content.entryByteCount
            ProgramThreads.images.async(priority: options.value.downloadPriority) { [serializing] in
                if count > 0 { serializing.release(count) }
                make()
            }
        } else if let reader, options.value.preloadAllAnimationData {
            reader.submit(options.value, make)
        } else {
            make()
        }
    }

    /// Removes a corrupt entry, and then calls `then`.
    ///
    /// Unless `inPlace`, not on a thread of the worker pool's, which a disk that hangs must not block.
    private func drop(_ content: Content, inPlace: Bool, then: @escaping @Sendable () -> Void) {
        guard case .entry(let entry) = content else { return then() }
        guard !inPlace else {
            diskStorage.core.drop(entry)
            return then()
        }
        reads.read { [diskStorage] in
            diskStorage.core.drop(entry)
        } then: { _ in
            then()
        }
    }

    private func image(of content: Content, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        let serializer = options.cacheSerializer
        switch content {
        case .entry(let entry):
            return serializer.image(with: entry.data, options: options)
        case .staged(.data(let data)):
            return serializer.image(with: data, options: options)
        case .staged(.image(let image, let original)):
            if options.hitNeedsProcessing, let original {
                // Not by the serializer, which may expect its own encoding of the original.
                return DefaultImageProcessor.default.process(item: .data(original), options: options)
            }
            let remade = image.remade(with: options) ?? image
            return remade.scale == options.scaleFactor ? remade : Image(remade, scale: options.scaleFactor)
        }
    }
}

// MARK: - Promotion

/// How a load stores in memory what it has found.
struct Promotion: Sendable {
    fileprivate let identifier: String
    fileprivate let expiration: StorageExpiration?
    fileprivate let isCurrent: (@Sendable () -> Bool)?
}

extension KingfisherParsedOptionsInfo {
    /// Nil if the load does not store in memory.
    var promotion: Promotion? {
        guard writeLayers.contains(.memory) else { return nil }
        return Promotion(
            identifier: processor.identifier, expiration: memoryCacheExpiration, isCurrent: isCurrent)
    }
}

extension ImageCache {
    /// Stores an image from disk in memory.
    ///
    /// Does nothing if memory has an image under the key, which is newer; if the key was stored or removed after
    /// `snapshot`; or if the load is stale.
    func promote(
        _ image: KFCrossPlatformImage, forKey key: String, _ promotion: Promotion?,
        since snapshot: CacheGenerations.Snapshot
    ) {
        guard let promotion, promotion.isCurrent?() != false else { return }
        promote(image, forKey: key, promotion) { present in
            // Removals are counted before memory changes: either this sees the removal, or that removes this image.
            present == nil && generations.isUnchanged(since: snapshot)
        }
    }

    /// Replaces `old` in memory, if it is still there and the new image fits.
    func promote(
        _ image: KFCrossPlatformImage, over old: KFCrossPlatformImage, forKey key: String,
        _ promotion: Promotion?
    ) {
        guard let promotion, image.cacheCost <= memoryStorage.config.largestCost else { return }
        promote(image, forKey: key, promotion) { $0 === old }
    }

    private func promote(
        _ image: KFCrossPlatformImage, forKey key: String, _ promotion: Promotion,
        if mayReplace: (KFCrossPlatformImage?) -> Bool
    ) {
        memoryStorage.store(
            value: image, forKey: key, identifier: promotion.identifier, expiration: promotion.expiration,
            if: mayReplace)
    }
}

extension KingfisherParsedOptionsInfo {
    /// Whether the disk has the original where memory has the processed image.
    var hitNeedsProcessing: Bool { cacheSerializer.originalDataUsed && !processor.identifier.isEmpty }
}

extension DiskStorage.ReadEntry {
    /// Whether to remove a file that a serializer can't read.
    ///
    /// An intact entry was written by another serializer. Any other file is corrupt if it is no image: without checksums, if
    /// it starts as an image does.
    fileprivate func isCorruptImage(_ isolation: DecodeSandbox) -> Bool {
        switch verdict {
        case .intact: false
        case .damaged: true
        case .foreign: isNoImage(isolation)
        case .unknown: data.isEmpty || data.encodedFormat != nil && isNoImage(isolation)
        }
    }

    /// False if there is no worker process to find out.
    private func isNoImage(_ isolation: DecodeSandbox) -> Bool {
        do throws(CodecError) {
            _ = try Image(decoding: data, limits: DecodeLimits(sandbox: isolation))
            return false
        } catch .sandboxFailed(_, .unavailable), .sandboxFailed(_, .busy) {
            return false
        } catch {
            return true
        }
    }
}
