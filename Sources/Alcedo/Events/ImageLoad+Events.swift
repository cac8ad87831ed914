extension ImageLoad {
    /// Sends the event that the caches were looked up.
    func lookedUp(_ type: CacheType, isOriginal: Bool = false) {
        lookedUp(tier: CacheTier(type), isOriginal: isOriginal)
    }

    /// Sends the event that the caches were looked up.
    func lookedUp(tier: CacheTier, isOriginal: Bool = false) {
        options.context.events?.send(.cacheLookedUp(tier: tier, isOriginal: isOriginal))
    }
}
