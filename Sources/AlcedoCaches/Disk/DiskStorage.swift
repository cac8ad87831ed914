public import Foundation

/// The cache on disk.
public enum DiskStorage {
    /// The folder, the limits and the lifetimes of a disk cache.
    public struct Config: Sendable {
        /// Largest sum of all files in bytes; 0 for no limit.
        ///
        /// A store that reaches the limit starts a trim to half of it in the background: expired entries are removed
        /// first, then the least recently read ones. A store that would exceed the limit by more than 5 % waits for that, or
        /// trims itself; if that makes no room, it is dropped with a ``DiskQuotaError``. A value of at least this size fails with
        /// `EFBIG`. The limit is common to all processes that share the folder and set one.
        public var sizeLimit: UInt

        /// The lifetime of an entry after it was stored or last read; 7 days by default.
        public var expiration: StorageExpiration = .days(7)

        /// The extension of every file's name, without a dot; none by default.
        public var pathExtension: String? = nil

        /// Names files by the SHA-256 of their keys; true by default.
        ///
        /// If false, the key is the name, with `%`, `/`, the zero character and a leading dot percent-encoded. A name over
        /// 255 bytes is hashed in any case.
        public var usesHashedFileName = true

        /// Adds the key's extension to a hashed name; false by default.
        ///
        /// The extension is 1 to 20 letters and digits after the last dot before the first `@`.
        public var autoExtAfterHashedFileName = false

        /// Changes all bytes that go to the disk, for example encrypts them with ``AESGCMTransform``; none by default.
        ///
        /// Entries that it can't restore are misses, as are those that it wrote once it is no longer set. Names are not
        /// transformed. The URL and the path of an entry are those of the transformed file.
        public var transform: (any DiskTransform)?

        // Implicitly unwrapped as in Kingfisher, so that code that calls it compiles.
        // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
        /// Makes the folder's URL from the folder for caches and the cache's name; called once, then dropped.
        ///
        /// By default the cache is a folder of that name.
        public var cachePathBlock: (@Sendable (_ directory: URL, _ cacheName: String) -> URL)! = {
            directory, cacheName in directory.appendingPathComponent(cacheName, isDirectory: true)
        }

        /// The cache's name.
        public let name: String

        let directory: URL

        /// A configuration for the folder `com.onevcat.Kingfisher.ImageCache.<name>`.
        ///
        /// - Parameters:
        ///   - name: the cache's name; must not be empty.
        ///   - sizeLimit: ``sizeLimit``.
        ///   - fileManager: finds the user's caches folder.
        ///   - directory: the parent folder; nil for the user's caches folder, `$XDG_CACHE_HOME` or `~/.cache`.
        public init(
            name: String, sizeLimit: UInt, fileManager: FileManager = .default, directory: URL? = nil
        ) {
            self.name = name
            self.sizeLimit = sizeLimit
            self.directory =
                directory ?? fileManager.urls(for: .cachesDirectory, in: .userDomainMask).first
                ?? fileManager.temporaryDirectory
        }
    }
}

extension DiskStorage.Config {
    /// The cache's folder.
    var folderURL: URL {
        let cacheName = "com.onevcat.Kingfisher.ImageCache.\(name)"
        return cachePathBlock?(directory, cacheName)
            ?? directory.appendingPathComponent(cacheName, isDirectory: true)
    }
}
