import AlcedoLocks

/// The observers or interceptors of a manager, in order; any thread may change the list.
///
///     KingfisherManager.shared.observers.append(counter)
///     KingfisherManager.shared.observers.removeAll { $0 is ImageLoadCounter }
///
/// A change applies to loads that start later.
public final class LoadHookList<Hook: Sendable>: ExpressibleByArrayLiteral, Sendable {
    private let list: Lock<[Hook]>

    public init(_ hooks: [Hook] = []) { list = Lock(hooks) }

    public convenience init(arrayLiteral hooks: Hook...) { self.init(hooks) }

    /// A copy of the list.
    public var values: [Hook] { list.withLock { $0.isEmpty ? [] : $0.unshared } }

    public func append(_ hook: Hook) { list.withLock { $0.append(hook) } }

    /// Removes those for which `shouldBeRemoved` returns true, such as `{ $0 is MyObserver }`; it must not use the list.
    public func removeAll(where shouldBeRemoved: (Hook) throws -> Bool) rethrows {
        try list.withLock { try $0.removeAll(where: shouldBeRemoved) }
    }

    func replace(with other: LoadHookList) {
        let hooks = other.values
        list.withLock { $0 = hooks }
    }
}

/// What a manager adds to the options of each of its loads, before the load's own.
struct LoadHooks: Sendable {
    let observers = LoadHookList<any ImageLoadObserver>()
    let interceptors = LoadHookList<any ImageLoadInterceptor>()
    let networkInterceptors = LoadHookList<any ImageLoadInterceptor>()
}

extension KingfisherParsedOptionsInfo {
    mutating func add(_ hooks: LoadHooks) {
        observers.prepend(hooks.observers.values)
        interceptors.prepend(hooks.interceptors.values)
        networkInterceptors.prepend(hooks.networkInterceptors.values)
    }
}

extension Array {
    /// Allocates nothing if one of both is empty, as usual.
    fileprivate mutating func prepend(_ others: [Element]) {
        if isEmpty { self = others } else if !others.isEmpty { self = others + self }
    }
}
