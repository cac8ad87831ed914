public import Foundation

extension ImageCache {
    /// A cache in the user's folder for caches, with up to a quarter of the memory and no limit on disk.
    ///
    /// The memory is the machine's, or what a container leaves of it.
    /// If the folder can't be made, whatever needs the disk fails with `diskStorageIsNotReady`.
    ///
    /// - Parameter name: names the folder; must not be empty.
    public convenience init(name: String) {
        self.init(
            memoryStorage: .init(config: .quarterOfMemory),
            diskStorage: .init(unchecked: Self.diskConfig(name: name, directory: nil))
        )
    }

    /// A cache in a folder of one's own choice, with up to a quarter of the memory and no limit on disk.
    ///
    /// The memory is the machine's, or what a container leaves of it.
    ///
    /// - Parameters:
    ///   - name: names the folder; must not be empty.
    ///   - cacheDirectoryURL: the folder to make it in; nil for the user's folder for caches.
    ///   - diskCachePathClosure: changes the folder's URL.
    /// - Throws: `cannotCreateDirectory`.
    public convenience init(
        name: String,
        cacheDirectoryURL: URL?,
        diskCachePathClosure: DiskCachePathClosure? = nil
    ) throws {
        var config = Self.diskConfig(name: name, directory: cacheDirectoryURL)
        if let diskCachePathClosure { config.cachePathBlock = diskCachePathClosure }
        self.init(
            memoryStorage: .init(config: .quarterOfMemory),
            diskStorage: try .init(config: config)
        )
    }

    private static func diskConfig(name: String, directory: URL?) -> DiskStorage.Config {
        precondition(!name.isEmpty, "a cache's name must not be empty")
        return DiskStorage.Config(name: name, sizeLimit: 0, directory: directory)
    }
}
