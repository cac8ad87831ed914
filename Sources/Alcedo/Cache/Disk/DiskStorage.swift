public import Foundation

/// The cache on disk.
public enum DiskStorage {
    /// Where a disk cache is, what it may hold, and for how long.
    public struct Config: Sendable {
        /// Most bytes that the files may take together; 0 for no limit.
        ///
        /// A store that reaches the limit starts a trim to half of it in the background: expired entries are removed
        /// first, then the least recently read ones. A store that would exceed the limit by more than 5 % fails with
        /// `EDQUOT` and is dropped; stores never wait for room. A value of at least this size fails with `EFBIG`. All
        /// processes that share the folder and set a limit count together.
        public var sizeLimit: UInt

        /// How long an entry is kept after it was stored or last read; 7 days by default.
        public var expiration: StorageExpiration = .days(7)

        /// The extension of every file's name, without a dot; none by default.
        public var pathExtension: String? = nil

        /// Names files by the SHA-256 of their keys; true by default.
        ///
        /// If false, the key is the name: `%`, `/`, the zero character and a leading dot are percent-encoded, so
        /// that no key leaves the folder and no two keys share a name. A name of over 255 bytes is hashed after all.
        public var usesHashedFileName = true

        /// Gives a hashed name the extension that the key seems to have; false by default.
        ///
        /// That is what follows the last dot before the first `@`, if it is 1 to 20 letters and digits.
        public var autoExtAfterHashedFileName = false

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
        ///   - sizeLimit: most bytes; 0 for no limit.
        ///   - fileManager: knows where the user's caches are. Nothing else is asked of it.
        ///   - directory: the folder to make the cache's folder in; nil for that of the user's caches, which is
        ///     `$XDG_CACHE_HOME` or `~/.cache`.
        public init(
            name: String,
            sizeLimit: UInt,
            fileManager: FileManager = .default,
            directory: URL? = nil
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
