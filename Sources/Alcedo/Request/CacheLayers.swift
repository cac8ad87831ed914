/// The layers that a load reads from and stores in: memory, disk, the shared cache, and the source.
///
/// The HTTP cache of a downloader belongs to ``network``.
public struct CacheLayers: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let memory = CacheLayers(rawValue: 1 << 0)
    public static let disk = CacheLayers(rawValue: 1 << 1)

    /// The source: a download, a file or a provider.
    ///
    /// It is only read from.
    public static let network = CacheLayers(rawValue: 1 << 2)

    /// The cache that machines share; see ``ImageCache/sharedCache``.
    public static let shared = CacheLayers(rawValue: 1 << 3)

    public static let all: CacheLayers = [.memory, .disk, .shared, .network]
}

extension KingfisherParsedOptionsInfo {
    /// Whether a load reads one of these layers: each option can only exclude layers.
    func reads(_ layers: CacheLayers) -> Bool {
        var allowed = readLayers
        if forceRefresh {
            allowed.formIntersection(.network)
        } else {
            if fromMemoryCacheOrRefresh { allowed.subtract([.disk, .shared]) }
            if onlyFromCache { allowed.remove(.network) }
        }
        return !allowed.isDisjoint(with: layers)
    }

    var writesImageToDisk: Bool { !cacheMemoryOnly && writeLayers.contains(.disk) }

    /// Whether a load stores its image in the shared cache, if there is one.
    var sharesImage: Bool { !cacheMemoryOnly && writeLayers.contains(.shared) }
}
