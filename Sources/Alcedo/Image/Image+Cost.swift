import AlcedoLocks

extension Image: CacheCostCalculable {
    /// Bytes that it keeps in memory now: those that it was made from, and the pixels of each distinct frame that has
    /// been decoded.
    ///
    /// It grows when the image is decoded. A cache in memory that has the image charges it for that then.
    public var cacheCost: Int { ownCost + attachedCost }

    private var ownCost: Int {
        guard animation != nil else { return store.cost }
        var (stores, bitmaps): ([ObjectIdentifier: PixelStore], Set<ObjectIdentifier>) = ([:], [])
        addStores(to: &stores)
        return stores.values.reduce(0) { cost, store in
            // The first frame and the image share their pixels.
            let own = store.bitmaps.filter { bitmaps.insert(ObjectIdentifier($0)).inserted }
            return own.reduce(cost + (store.encoded?.data.count ?? 0)) { $0 + $1.byteCount }
        }
    }

    /// Bytes of an animation that frames of somebody else's making came from.
    private var attachedCost: Int {
        guard store.encoded == nil else { return 0 }
        return attachments.withLock { $0.animatedData?.count ?? 0 }
    }

    private func addStores(to stores: inout [ObjectIdentifier: PixelStore]) {
        stores[ObjectIdentifier(store)] = store
        for frame in animation?.frames ?? [] { frame.image.addStores(to: &stores) }
    }

    /// Bytes of its pixels, decoded or not: width × height × 4 for each distinct frame.
    package var pixelCost: Int { pixelSize.area * 4 * (animation?.distinctFrames ?? 1) }

    /// Has a cache told when the cost changes, as long as it has the image under `key`; the cost now.
    func tell(_ cache: MemoryStorage.Core, of key: HashedKey) -> Int {
        guard animation != nil else { return store.tell(cache, of: key) + attachedCost }
        var stores: [ObjectIdentifier: PixelStore] = [:]
        addStores(to: &stores)
        for store in stores.values where !store.isFixed { store.tell(cache, of: key) }
        return cacheCost
    }

    /// Whether it has these pixels, be it in one of its frames.
    func shows(_ pixels: PixelStore) -> Bool {
        store === pixels || animation?.frames.contains { $0.image.shows(pixels) } ?? false
    }
}
