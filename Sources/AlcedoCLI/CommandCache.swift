import Alcedo
import AlcedoConsole
import Foundation
import Glibc
import Synchronization

/// The cache of the command line: the folder `alcedo` in `$XDG_CACHE_HOME` or `~/.cache`, up to 1 GiB.
enum CommandCache {
    /// The disk cache's limit in bytes.
    private static let sizeLimit: UInt = 1 << 30

    /// What to do if the folder cannot be written.
    private static let advice = "set XDG_CACHE_HOME to a folder that can be written"

    /// The cache; images are kept in memory only if the folder cannot be created.
    static let shared: ImageCache = {
        let files = FileManager.default
        let caches = files.urls(for: .cachesDirectory, in: .userDomainMask).first ?? files.temporaryDirectory
        let cache = ImageCache(name: "alcedo", folder: caches.appending(path: "alcedo"))
        cache.diskStorage.config.sizeLimit = sizeLimit
        isOpen.store(true, ordering: .releasing)
        return cache
    }()

    private static let isOpen = Atomic(false)

    /// Has Foundation find the user's folders where `HOME` is not set, as in a service.
    ///
    /// To be called before any thread reads the environment.
    static func findHome() {
        if let home = getenv("HOME"), home.pointee != 0 { return }
        let home = getpwuid(getuid())?.pointee.pw_dir.map { String(cString: $0) } ?? ""
        // The home of Debian's users without one, which does not exist.
        setenv("HOME", home.hasPrefix("/") ? home : "/nonexistent", 1)
    }

    /// A diagnostic of the library as a message of the command.
    static func report(_ diagnostic: Diagnostic) {
        let text =
            if case .memoryOnlyCache(let folder, let reason) = diagnostic {
                "images cannot be stored in the cache \(folder) (\(reason)); \(advice)"
            } else {
                "\(diagnostic)"
            }
        Terminal.tryToPrintError("alcedo: \(printable(text.redactingURLs))\n")
    }

    /// Throws why the folder cannot be used; nothing if it can.
    static func checkFolder() throws {
        let folder = shared.diskStorage.directoryURL.path
        let code = FolderMaker.make(folder)
        guard code == 0, access(folder, R_OK | W_OK | X_OK) == 0 else {
            let reason = String(cString: strerror(code == 0 ? errno : code))
            throw Failure("\(folder): the cache folder cannot be used (\(reason)); \(advice)")
        }
    }

    /// Waits up to 2 s until everything is on disk that was loaded.
    static func flush() async {
        // A store that failed has been reported, or is no loss to the user.
        if isOpen.load(ordering: .acquiring) { try? await shared.flush(within: .seconds(2)) }
    }

    /// Loads through ``shared``; the library's shared manager would create a second folder.
    static let manager = KingfisherManager(downloader: .default, cache: shared)
}
