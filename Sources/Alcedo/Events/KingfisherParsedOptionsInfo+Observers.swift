extension KingfisherParsedOptionsInfo {
    /// Adds the observers of a manager, before those of the options.
    mutating func add(_ observers: [any ImageLoadObserver]) {
        if !observers.isEmpty { self.observers = observers + self.observers }
    }
}
