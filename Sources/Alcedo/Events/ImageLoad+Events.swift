extension ImageLoad {
    /// Sends the event that the caches were looked up.
    func lookedUp(_ tier: CacheType, isOriginal: Bool = false) {
        options.context.events?.send(.cacheLookedUp(tier: tier, isOriginal: isOriginal))
    }
}
