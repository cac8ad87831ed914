/// What a manager adds to the options of each of its loads, before the load's own.
struct LoadHooks: Sendable {
    var observers: [any ImageLoadObserver] = []
    var interceptors: [any ImageLoadInterceptor] = []
    var networkInterceptors: [any ImageLoadInterceptor] = []
}

extension KingfisherParsedOptionsInfo {
    mutating func add(_ hooks: LoadHooks) {
        if !hooks.observers.isEmpty { observers = hooks.observers + observers }
        if !hooks.interceptors.isEmpty { interceptors = hooks.interceptors + interceptors }
        if !hooks.networkInterceptors.isEmpty {
            networkInterceptors = hooks.networkInterceptors + networkInterceptors
        }
    }
}
