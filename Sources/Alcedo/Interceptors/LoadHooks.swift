/// What a manager adds to the options of each of its loads, before the load's own.
struct LoadHooks: Sendable {
    var observers: [any ImageLoadObserver] = []
    var interceptors: [any ImageLoadInterceptor] = []
    var networkInterceptors: [any ImageLoadInterceptor] = []
}

extension KingfisherParsedOptionsInfo {
    mutating func add(_ hooks: LoadHooks) {
        observers.prepend(hooks.observers)
        interceptors.prepend(hooks.interceptors)
        networkInterceptors.prepend(hooks.networkInterceptors)
    }
}

extension Array {
    /// Allocates nothing if one of both is empty, as usual.
    fileprivate mutating func prepend(_ others: [Element]) {
        if isEmpty { self = others } else if !others.isEmpty { self = others + self }
    }
}
