import AlcedoLocks
public import AlcedoPixels

extension ImageCache {
    /// All entries for an image: the original and what processors created from it, in memory and on disk.
    ///
    /// Reads the headers of the files, and extends no entry's life. Sees all calls before it. Expired entries, and those of
    /// a disk that can't be read, are left out.
    ///
    /// - Parameter key: the key of the image.
    /// - Returns: the entries in memory, then those on disk, each from the largest to the smallest; those of unknown size
    ///   last.
    public func variants(forKey key: String) async -> [ImageVariant] {
        let result = OneShot<[ImageVariant], Never>()
        findVariants(ofKey: key) { result.finish(.success($0)) }
        return await result.value()
    }

    /// The best entry to show an image at a size: the smallest that is at least as wide and as high, else the largest.
    ///
    /// Of those with one size, the original or a resized one is preferred to one that a processor has changed, then memory to
    /// the disk.
    ///
    /// - Parameters:
    ///   - key: the key of the image.
    ///   - size: the size in pixels.
    /// - Returns: the entry, for ``retrieveImage(of:options:)``; nil if there is none.
    public func bestVariant(forKey key: String, size: PixelSize) async -> ImageVariant? {
        let usable = await variants(forKey: key).filter { $0.processorIdentifier != nil }
            .plainFirst(\.processorIdentifier)
        return size.bestIndex(of: usable.map(\.pixelSize)).map { usable[$0] }
    }

    /// Looks up an entry's image, and promotes a disk hit to memory.
    ///
    /// - Parameters:
    ///   - variant: an entry of this cache.
    ///   - options: options such as the scale and the serializer; processor and extension are the entry's.
    /// - Returns: the image; nil if the cache no longer has it, or its ``ImageVariant/processorIdentifier`` is nil.
    /// - Throws: ``KingfisherError`` if the disk can't be read.
    public func retrieveImage(
        of variant: ImageVariant, options: KingfisherOptionsInfo? = nil
    ) async throws -> KFCrossPlatformImage? {
        guard let identifier = variant.processorIdentifier else { return nil }
        var options = KingfisherParsedOptionsInfo(options)
        options.processor = ProcessorName(identifier: identifier)
        options.forcedExtension = variant.forcedExtension
        return try await retrieveImage(forKey: variant.key, options: options).image
    }

    /// Reads the best file that a processor created, but not the options' own one; nil if there is none.
    ///
    /// Originals are left out, because a load that finds one needs no placeholder for long. Calls `then` on a thread of
    /// this cache.
    func readVariant(
        ofKey key: String, size: PixelSize?, options: KingfisherParsedOptionsInfo,
        then: @escaping @Sendable (KFCrossPlatformImage?) -> Void
    ) {
        guard !options.cacheSerializer.originalDataUsed else { return then(nil) }
        findVariants(ofKey: key, isolation: options.decodeSandbox) { [self] list in
            let usable = list.filter {
                $0.cacheType == .disk
                    && !["", options.processor.identifier].contains($0.processorIdentifier ?? "")
            }
            .plainFirst(\.processorIdentifier)
            guard !options.isSourceTaskStale,
                let index = (size ?? .unlimited).bestIndex(of: usable.map(\.pixelSize)),
                let identifier = usable[index].processorIdentifier
            else { return then(nil) }
            var options = options
            options.processor = ProcessorName(identifier: identifier)
            options.forcedExtension = usable[index].forcedExtension
            options.backgroundDecode = false
            options.preloadAllAnimationData = false
            readDecoded(forKey: key, options: options) { then((try? $0.get()) ?? nil) }
        }
    }

    /// Lists all entries, and calls `then` on a thread of this cache.
    func findVariants(
        ofKey key: String, isolation: DecodeSandbox = .automatic,
        then: @escaping @Sendable ([ImageVariant]) -> Void
    ) {
        let inMemory = memoryStorage.variants(ofKey: key).map {
            ImageVariant($0.value, identifier: $0.identifier, cost: $0.cost, expiry: $0.expiry, key: key)
        }.largestFirst
        let list: @Sendable () -> [ImageVariant] = { [diskStorage] in
            let onDisk = diskStorage.core.variants(ofKey: key, except: ResponseRecord.identifier).map {
                ImageVariant($0, key: key, in: diskStorage.core, isolation: isolation)
            }
            return inMemory + onDisk.largestFirst
        }
        // In call order, so that earlier stores and removals count.
        guard staged.withLock({ $0.isEmpty }) else {
            let end = OnceCallback(then)
            return afterStores(ofKey: key, stall: { _ in end.call(inMemory) }) { end.call(list()) }
        }
        reads.read(list) { then((try? $0.get()) ?? inMemory) }
    }
}

extension [ImageVariant] {
    fileprivate var largestFirst: [ImageVariant] {
        sorted { ($0.pixelSize?.area ?? -1, $0.byteCount) > ($1.pixelSize?.area ?? -1, $1.byteCount) }
    }
}
