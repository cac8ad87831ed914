import AlcedoLocks

/// The conversions used last, by the colours that they convert.
struct TransformCache<Transform: AnyObject & Sendable>: ~Copyable, Sendable {
    private static var size: Int { 8 }
    /// Profiles are part of the keys: with ``size`` they take at most 8 MiB.
    private static var largestProfile: Int { 1 << 20 }

    private struct Entries {
        /// Nil for colours that need no conversion or can't be converted.
        var transforms: [ColorSource: Transform?] = [:]
        /// Oldest first.
        var order: [ColorSource] = []
    }

    private let entries = Lock(Entries())

    /// The conversion of `source`, which `make` creates the first time.
    func transform(from source: ColorSource, make: () -> Transform?) -> Transform? {
        if let known = entries.withLock({ $0.transforms[source] }) { return known }

        // Outside the lock, so that other images need not wait; two threads may create the same transform.
        let made = make()
        if let profile = source.profile, profile.count > Self.largestProfile { return made }
        let evicted: Transform?? = entries.withLock { entries in
            guard entries.transforms.updateValue(made, forKey: source) == nil else { return nil }
            entries.order.append(source)
            guard entries.order.count > Self.size else { return nil }
            return entries.transforms.removeValue(forKey: entries.order.removeFirst())
        }
        // Released here, outside the lock.
        _ = evicted
        return made
    }
}
