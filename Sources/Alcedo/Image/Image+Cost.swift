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
            return own.reduce(cost + (store.encoded?.data.count ?? 0)) { $0 + $1.byteCount }
        }
    }

    /// Bytes of the animated data that a custom frame source provided.
    private var attachedCost: Int {
        guard store.encoded == nil else { return 0 }
        return attachments.withLock { $0.animatedData?.count ?? 0 }
    }

    private func addStores(to stores: inout [ObjectIdentifier: PixelStore]) {
        stores[ObjectIdentifier(store)] = store
        for frame in animation?.frames ?? [] { frame.image.addStores(to: &stores) }
    }

    /// The size of its bitmaps in bytes, decoded or not: width × height × 4 for each distinct frame.
    package var pixelCost: Int { pixelSize.area * 4 * (animation?.distinctFrames ?? 1) }

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
