public import AlcedoCaches
import AlcedoLocks

extension Image: CacheCostCalculable {
    /// The image's present memory use in bytes: its encoded data and the bitmap of each distinct decoded frame.
    ///
    /// The cost grows when the image is decoded; memory caches that hold the image then update its cost.
    public var cacheCost: Int { ownCost + attachedCost }

    private var ownCost: Int {
        guard animation != nil else { return store.cost }
        var (stores, bitmaps): ([ObjectIdentifier: PixelStore], Set<ObjectIdentifier>) = ([:], [])
        addStores(to: &stores)
        return stores.values.reduce(0) { cost, store in
            // The first frame and the image share a bitmap.
            let own = store.bitmaps.filter { bitmaps.insert(ObjectIdentifier($0)).inserted }
            return own.reduce(cost + (store.encoded?.data.count ?? 0)) { $0 + $1.memoryCount }
        }
    }

    /// Bytes of the animated data that a custom frame source provided, and of the metadata that a processor has kept.
    private var attachedCost: Int {
        guard store.encoded == nil else { return 0 }
        return attachments.withLock { ($0.animatedData?.count ?? 0) + ($0.metadata?.byteCount ?? 0) }
    }

    private func addStores(to stores: inout [ObjectIdentifier: PixelStore]) {
        stores[ObjectIdentifier(store)] = store
        for frame in animation?.frames ?? [] { frame.image.addStores(to: &stores) }
    }

    /// The size of its bitmaps in bytes, decoded or not: width × height × 4 for each distinct frame, or × 8 if it is deep.
    package var pixelCost: Int {
        pixelSize.area * (decodedBitmap?.bytesPerPixel ?? 4) * (animation?.distinctFrames ?? 1)
    }

    fileprivate var costChanges: Bool { animation != nil || !store.isFixed }

    /// Whether an object of a memory cache is an image that is still to be decoded, or can drop its pixels.
    static func costChanges(of object: MemoryStorage.Core.Object) -> Bool {
        // Not generic, because a cast of a type parameter looks up types at run time.
        (object as? Image)?.costChanges ?? false
    }

    /// Notifies `cache` of cost changes for as long as it holds the image under `key`; returns the current cost.
    func addCostObserver(_ cache: MemoryStorage.Core, key: HashedKey) -> Int {
        guard animation != nil else { return store.addCostObserver(cache, key: key) + attachedCost }
        var stores: [ObjectIdentifier: PixelStore] = [:]
        addStores(to: &stores)
        for store in stores.values where !store.isFixed { store.addCostObserver(cache, key: key) }
        return cacheCost
    }

    /// Whether the image or one of its frames uses this store.
    func shows(_ pixels: PixelStore) -> Bool {
        store === pixels || animation?.frames.contains { $0.image.shows(pixels) } ?? false
    }
}

extension ChangingCosts {
    /// Those of images, which are decoded and drop their pixels while they are stored.
    static let ofImages = ChangingCosts(
        cost: { ($0 as? Image)?.cacheCost ?? 0 },
        observe: { object, storage, key in
            guard let image = object as? Image, image.costChanges else { return nil }
            return image.addCostObserver(storage, key: key)
        })
}

/// A memory cache that holds an image under a key.
///
/// The strong reference costs little: a cache without owners is empty, and the next pruning removes it.
struct CostObserver: Hashable {
    let cache: MemoryStorage.Core
    let key: HashedKey

    static func == (one: CostObserver, other: CostObserver) -> Bool {
        one.cache === other.cache && one.key == other.key
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(cache))
        hasher.combine(key)
    }
}

/// The caches to notify when an image's cost changes.
///
/// A notification finds observers that no longer hold the image and removes them. ``add(_:)`` requests a notification
/// whenever the number of observers has doubled since the last removal.
struct CostObservers {
    struct Entry {
        let observer: CostObserver

        /// The sequence number of the observer's last addition.
        var addition: Int
    }

    private(set) var all: [Entry] = []

    private var additions = 0
    private var pruneThreshold = 16

    /// Adds an observer; true if the observers should be notified now, to prune stale ones.
    mutating func add(_ observer: CostObserver) -> Bool {
        additions += 1
        // Most images are in one cache under one key. A list of 8 or more may hold duplicates until it is pruned.
        if all.count < 8, let index = all.firstIndex(where: { $0.observer == observer }) {
            all[index].addition = additions
            return false
        }
        all.append(Entry(observer: observer, addition: additions))
        guard all.count > pruneThreshold else { return false }
        pruneThreshold = all.count * 2
        return true
    }

    /// Removes the entries with these addition numbers, and duplicates; an observer that was added again stays.
    mutating func remove(_ stale: Set<Int>) {
        var seen: Set<CostObserver> = []
        let remaining = all.reversed().filter {
            !stale.contains($0.addition) && seen.insert($0.observer).inserted
        }
        all = remaining.reversed()
        pruneThreshold = max(16, all.count * 2)
    }
}
