import Alcedo
import Foundation

/// The cache of the command line: the folder `alcedo` in `$XDG_CACHE_HOME` or `~/.cache`, up to 1 GiB.
enum CommandCache {
    /// Bytes on disk, beyond which the images that were used last stay.
    private static let sizeLimit: UInt = 1 << 30

    /// The cache; that of a library's user if the folder cannot be made, which will then fail to store as well and say why.
    static let shared: ImageCache = {
        let cache = try? ImageCache(name: "alcedo", cacheDirectoryURL: nil) { folder, _ in
            folder.appendingPathComponent("alcedo")
        }
        guard let cache else { return .default }
        cache.diskStorage.config.sizeLimit = sizeLimit
        return cache
    }()

    /// Loads through it; the library's shared manager would make a folder of its own.
    static let manager = KingfisherManager(downloader: .default, cache: shared)
}
