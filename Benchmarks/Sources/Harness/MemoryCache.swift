public import Alcedo

/// What a memory cache is measured by, whoever made it: seconds of one operation.
///
/// Inlinable, so that a value of a known type costs what it does in a program of its own.
///
/// - Parameters:
///   - arguments: `kind` is `hit` or `store`; `threads` each do as many operations.
///   - capacity: entries that the cache holds: they are there for hits, and stores have to evict.
///   - make: makes a value.
///   - store: stores under a key.
///   - load: whether a key is there.
@inlinable
public func measureMemoryCache<Value: Sendable>(
    _ arguments: Arguments,
    capacity: Int,
    make: () -> Value,
    store: @escaping @Sendable (Int, Value) -> Void,
    load: @escaping @Sendable (Int) -> Bool
) {
    let threads = arguments.number("threads", default: 1)
    let operations = arguments.number("operations", default: 100_000)
    let isHit = arguments("kind") == "hit"
    for index in 0..<capacity { store(index, make()) }
    let order = shuffled(operations)
    let items = (0..<1000).map { _ in make() }
    let seconds = (0..<4).map { run in
        time(onThreads: threads) { thread in
            for index in order {
                if isHit {
                    guard load(index % capacity) else { fail("an entry is missing") }
                } else {
                    // Keys that the last run has evicted.
                    let key = capacity + (index + (run % 2) * operations) * threads + thread
                    store(key, items[index % 1000])
                }
            }
        } / Double(operations * threads)
    }
    // The first run warms up.
    report(Array(seconds.dropFirst()))
}

/// How many keys ``measureMemoryCache(_:capacity:make:store:load:)`` uses.
public func memoryKeyCount(_ arguments: Arguments, capacity: Int) -> Int {
    let operations = arguments.number("operations", default: 100_000)
    return arguments("kind") == "hit"
        ? capacity : capacity + operations * 2 * arguments.number("threads", default: 1)
}

/// The pixels of the images that memory caches keep: so few that memory is taken for keys and objects.
public func onePixel() throws -> Bitmap {
    let bytes: [UInt8] = [1, 2, 3, 255]
    let size = PixelSize(width: 1, height: 1)
    return try Image(pixels: bytes.span.bytes, size: size, layout: PixelLayout(.bgra, .opaque)).bitmap()
}

/// A value of a program's own: what a cache of parsed pages or of colours may keep.
public struct OwnValue: CacheCostCalculable, Sendable {
    private let title: String
    private let width: Int
    private let height: Int

    /// Makes one; all are alike.
    public init() {
        title = "A title of a picture, longer than a small string"
        (width, height) = (640, 480)
    }

    /// As many bytes as it takes, about.
    public var cacheCost: Int { 100 }
}
