import Alcedo
import Foundation
import Harness

/// Stores, reads or misses entries of the disk cache, every `stride`th; the seconds of one.
func disk(_ arguments: Arguments) throws {
    let (count, first) = (arguments.number("count", default: 10_000), arguments.number("first", default: 0))
    let storage = try DiskStorage.Backend<Data>(config: diskConfig(arguments))
    let isMiss = arguments("kind") == "miss"
    let (start, stride) = (isMiss ? 1_000_000_000 : first, arguments.number("stride", default: 1))
    let keys = keys((0..<count).map { start + $0 * stride })
    let data = Data(
        (0..<arguments.number("bytes", default: 15_000)).map { UInt8(truncatingIfNeeded: $0 * 31) })
    let seconds = try time {
        for key in keys {
            if arguments.isStore {
                try storage.store(value: data, forKey: key)
            } else if (try storage.value(forKey: key) == nil) != isMiss {
                fail("an entry is missing, or should be")
            }
        }
    }
    if arguments.number("remove", default: 0) == 1 { for key in keys { try storage.remove(forKey: key) } }
    report([seconds / Double(count)])
}

/// Has the disk cache go down to half of what it has; the seconds for each entry that goes.
func diskTrim(_ arguments: Arguments) throws {
    let storage = try DiskStorage.Backend<Data>(config: diskConfig(arguments))
    storage.config.sizeLimit = try storage.totalSize()
    var removed = 0
    let seconds = try time { removed = try storage.removeSizeExceededValues().count }
    guard removed > 0 else { fail("nothing was removed") }
    report([seconds / Double(removed)], ["removed": Double(removed)])
}

func diskConfig(_ arguments: Arguments, limit: UInt = 0) -> DiskStorage.Config {
    let folder = URL(fileURLWithPath: arguments("folder"), isDirectory: true)
    var config = DiskStorage.Config(name: "bench", sizeLimit: limit, directory: folder)
    config.cachePathBlock = { directory, _ in directory }
    return config
}

extension Arguments {
    var isStore: Bool { self("kind") == "store" }
}
