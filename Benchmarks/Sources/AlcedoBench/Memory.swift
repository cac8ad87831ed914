import Alcedo
import Harness

/// The memory cache, full, of images or with `value=own` of another type; it keeps what was used last.
func memory(_ arguments: Arguments) throws {
    if arguments.optional("value") == "own" { return memory(arguments) { OwnValue() } }
    let pixel = try onePixel()
    memory(arguments) { Image(bitmap: pixel) }
}

private func memory<Value: CacheCostCalculable & Sendable>(_ arguments: Arguments, make: () -> Value) {
    let capacity = arguments.number("capacity", default: 10_000)
    let keys = keys(0..<memoryKeyCount(arguments, capacity: capacity))
    var config = MemoryStorage.Config(totalCostLimit: 0)
    config.countLimit = capacity
    let storage = MemoryStorage.Backend<Value>(config: config)
    measureMemoryCache(
        arguments,
        capacity: capacity,
        make: make,
        store: { storage.store(value: $1, forKey: keys[$0]) },
        load: { storage.value(forKey: keys[$0]) != nil }
    )
}

/// Halves the limit of a full memory cache; the seconds for each entry that goes.
func memoryTrim(_ arguments: Arguments) throws {
    let pixel = try onePixel()
    let capacity = arguments.number("capacity", default: 10_000)
    let keys = keys(0..<capacity)
    var config = MemoryStorage.Config(totalCostLimit: 0)
    let seconds = (0..<max(3, min(50, 200_000 / capacity))).map { _ in
        config.countLimit = capacity
        let storage = MemoryStorage.Backend<Image>(config: config)
        for key in keys { storage.store(value: Image(bitmap: pixel), forKey: key) }
        config.countLimit = capacity / 2
        return time { storage.config = config } / Double(capacity - capacity / 2)
    }
    report(seconds)
}
