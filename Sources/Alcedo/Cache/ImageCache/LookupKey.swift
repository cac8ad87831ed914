import Foundation

/// What a lookup beyond memory has found; nil for nothing.
typealias DiskLookup = Result<KFCrossPlatformImage?, KingfisherError>

typealias Lookups = CoalescedWork<LookupKey, DiskLookup>

/// What two lookups in one cache must have in common to get the same image.
struct LookupKey: Hashable, Sendable {
    private let key: String
    private let forcedExtension: String?
    private let recipe: ImageRecipe

    /// Whether the disk has the original in the place of the image.
    private let readsOriginal: Bool
    private let decodes: Bool
    private let extendsExpiration: Bool

    /// The changes of the key so far: a lookup sees those before it.
    private let changes: CacheGenerations.Counts

    /// Nil for options with a serializer or an expiration of the program's, which can't be compared.
    init?(_ key: String, _ options: KingfisherParsedOptionsInfo, _ changes: CacheGenerations.Counts) {
        guard options.cacheSerializer.isOfLibrary else { return nil }
        switch options.diskCacheAccessExtendingExpiration {
        case .none: extendsExpiration = false
        case .cacheTime: extendsExpiration = true
        case .expirationTime: return nil
        }
        (self.key, forcedExtension, self.changes) = (key, options.forcedExtension, changes)
        recipe = ImageRecipe(options)
        readsOriginal = options.hitNeedsProcessing
        decodes = options.backgroundDecode
    }

    /// Few lookups run at a time: what else they differ in is only compared, as hashing it takes 1 % of a hit on the disk.
    func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
