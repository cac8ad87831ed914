import Alcedo
import Foundation
import Harness
import Synchronization

/// Foundation's cache.
///
/// Its keys are made ahead, which programs whose keys are Swift strings can't do.
func nscache(_ arguments: Arguments) throws {
    let pixel = try onePixel()
    let capacity = arguments.number("capacity", default: 10_000)
    let keys = keys(0..<memoryKeyCount(arguments, capacity: capacity)).map { NSString(string: $0) }
    let cache = Cache(keys: keys, capacity: capacity)
    measureMemoryCache(
        arguments,
        capacity: capacity,
        make: { Image(bitmap: pixel) },
        store: { cache.objects.setObject($1, forKey: cache.keys[$0], cost: 0) },
        load: { cache.objects.object(forKey: cache.keys[$0]) != nil }
    )
}

/// Safe because NSCache locks by itself and the keys do not change.
private final class Cache: @unchecked Sendable {
    let objects = NSCache<NSString, Image>()
    let keys: [NSString]

    init(keys: [NSString], capacity: Int) {
        self.keys = keys
        objects.countLimit = capacity
    }
}

/// The least that a cache can be: a dictionary under a lock, and a ring of keys, of which the oldest one goes.
func dictionary(_ arguments: Arguments) throws {
    if arguments.optional("value") == "own" { return dictionary(arguments) { OwnValue() } }
    let pixel = try onePixel()
    dictionary(arguments) { Image(bitmap: pixel) }
}

private struct State<Value: Sendable>: ~Copyable {
    var items: [String: Value] = [:]
    var ring: [String] = []
    var oldest = 0
}

private final class Table<Value: Sendable>: Sendable {
    let state = Mutex(State<Value>())
}

private func dictionary<Value: Sendable>(_ arguments: Arguments, make: () -> Value) {
    let capacity = arguments.number("capacity", default: 10_000)
    let keys = keys(0..<memoryKeyCount(arguments, capacity: capacity))
    let table = Table<Value>()
    measureMemoryCache(
        arguments,
        capacity: capacity,
        make: make,
        store: { index, item in
            let evicted = table.state.withLock { state -> Value? in
                state.items[keys[index]] = item
                guard state.ring.count == capacity else {
                    state.ring.append(keys[index])
                    return nil
                }
                let leaving = state.items.removeValue(forKey: state.ring[state.oldest])
                state.ring[state.oldest] = keys[index]
                state.oldest = (state.oldest + 1) % capacity
                return leaving
            }
            _ = consume evicted
        },
        load: { index in table.state.withLock { $0.items[keys[index]] } != nil }
    )
}
