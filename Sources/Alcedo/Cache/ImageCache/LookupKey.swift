import Foundation

/// What a lookup beyond memory has found; nil for nothing.
typealias DiskLookup = Result<KFCrossPlatformImage?, KingfisherError>

typealias Lookups = CoalescedWork<LookupKey, DiskLookup>

/// What two lookups in one cache must have in common to get the same image.
struct LookupKey: Hashable, Sendable {
    fileprivate let key: String
    fileprivate let forcedExtension: String?
    fileprivate let recipe: ImageRecipe

    /// Whether the disk has the original in the place of the image.
    fileprivate let readsOriginal: Bool
    fileprivate let decodes: Bool
    fileprivate let extendsExpiration: Bool

    /// The changes of the key so far: a lookup sees those before it.
    fileprivate let changes: CacheGenerations.Counts

    /// Few lookups run at a time: what else they differ in is only compared, as hashing it takes 1 % of a hit on the disk.
    func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension KingfisherParsedOptionsInfo {
    /// Nil for options with a serializer or an expiration of the program's, which can't be compared.
    ///
    /// No initializer of ``LookupKey``, which would get a copy of these options.
    func lookup(_ key: String, _ changes: CacheGenerations.Counts) -> LookupKey? {
        guard cacheSerializer.isOfLibrary else { return nil }
        let extendsExpiration: Bool
        switch diskCacheAccessExtendingExpiration {
        case .none: extendsExpiration = false
        case .cacheTime: extendsExpiration = true
        case .expirationTime: return nil
        }
        return LookupKey(
            key: key, forcedExtension: forcedExtension, recipe: recipe(), readsOriginal: hitNeedsProcessing,
            decodes: backgroundDecode, extendsExpiration: extendsExpiration, changes: changes)
    }
}
