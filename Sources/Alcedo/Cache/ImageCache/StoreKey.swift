import AlcedoLocks
import Foundation

/// What two stores of one image must have in common to write the same file.
struct StoreKey: Hashable, Sendable {
    let key: String
    private let cache: ObjectIdentifier
    private let image: ObjectIdentifier
    private let identifier: String
    private let forcedExtension: String?
    private let quality: CGFloat
    private let prefersOriginal: Bool
    private let isOptional: Bool

    /// Nil for a store that is not for the disk, or one that can't be compared with others.
    init?(_ image: Image, _ key: String, _ cache: ImageCache, _ options: KingfisherParsedOptionsInfo) {
        let conditions = options.storeConditions
        guard options.writesImageToDisk, options.writeLayers.contains(.disk),
            let serializer = options.cacheSerializer as? DefaultCacheSerializer,
            options.diskCacheExpiration == nil, options.diskStoreWriteOptions.isEmpty,
            conditions.isSuperseded == nil, conditions.encoded == nil, !conditions.keepsResponse
        else { return nil }
        (self.key, self.cache, self.image) = (key, ObjectIdentifier(cache), ObjectIdentifier(image))
        (identifier, forcedExtension) = (options.processor.identifier, options.forcedExtension)
        (quality, prefersOriginal) = (serializer.compressionQuality, serializer.preferCacheOriginalData)
        isOptional = conditions.isOptional
    }
}

private let stores = CoalescedWork<StoreKey, CacheStoreResult>()

extension ImageCache {
    /// Stores an image that several loads have got: for each in memory, and on disk once for those that come before it is written.
    func storeOnce(
        _ store: StoreKey, _ image: Image, original: Data?, options: KingfisherParsedOptionsInfo,
        then completion: (@Sendable (CacheStoreResult) -> Void)?
    ) {
        var isFirst = false
        stores.run(store, for: .init { completion?($0) }) { run in
            isFirst = true
            self.store(image, original: original, forKey: store.key, options: options, toDisk: true) {
                result in
                // The key stays the image's own as long as there is the image.
                withExtendedLifetime(image) {
                    run.finish(result) { priority, call in WorkerPool.shared.submit(priority: priority, call)
                    }
                }
            }
        }
        if !isFirst {
            self.store(image, original: original, forKey: store.key, options: options, toDisk: false)
        }
    }
}
