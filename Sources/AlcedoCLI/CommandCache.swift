import Alcedo
import Foundation
import Synchronization

/// The cache of the command line: the folder `alcedo` in `$XDG_CACHE_HOME` or `~/.cache`, up to 1 GiB.
enum CommandCache {
    /// The disk cache's limit in bytes.
    private static let sizeLimit: UInt = 1 << 30

    /// The cache; the library's default cache if the folder cannot be created.
    ///
    /// A store then fails with the reason.
    static let shared: ImageCache = {
        let cache = try? ImageCache(name: "alcedo", cacheDirectoryURL: nil) { folder, _ in
            folder.appendingPathComponent("alcedo")
        }
        guard let cache else { return .default }
        cache.diskStorage.config.sizeLimit = sizeLimit
        isOpen.store(true, ordering: .releasing)
        return cache
    }()

    private static let isOpen = Atomic(false)

    /// Waits up to 2 s until everything is on disk that was loaded.
    static func flush() async {
        // A store that failed has been reported, or is no loss to the user.
        if isOpen.load(ordering: .acquiring) { try? await shared.flush(within: 2) }
    }

    /// Loads through ``shared``; the library's shared manager would create a second folder.
    static let manager = KingfisherManager(downloader: .default, cache: shared)
}
