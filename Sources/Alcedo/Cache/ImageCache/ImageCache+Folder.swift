public import Foundation

extension ImageCache {
    /// Returns the cache's folder, given the folder for all caches and the cache's name.
    public typealias DiskCachePathClosure = @Sendable (URL, String) -> URL

    /// A cache in the user's caches folder, with up to a quarter of the memory and no disk limit.
    ///
    /// The memory is the machine's, or a container's limit. If the folder can't be made, disk operations fail with
    /// `diskStorageIsNotReady`.
    ///
    /// - Parameter name: names the folder; must not be empty.
    public convenience init(name: String) {
        self.init(
            memoryStorage: .init(config: .quarterOfMemory),
            diskStorage: .init(unchecked: Self.diskConfig(name: name, directory: nil)))
    }

    /// A cache in a folder of your choice, with up to a quarter of the memory and no disk limit.
    ///
    /// - Parameters:
    ///   - name: names the folder; must not be empty.
    ///   - cacheDirectoryURL: the folder to make it in; nil for the user's caches folder.
    ///   - diskCachePathClosure: changes the folder's URL.
    /// - Throws: `cannotCreateDirectory`.
    public convenience init(
        name: String, cacheDirectoryURL: URL?, diskCachePathClosure: DiskCachePathClosure? = nil
    ) throws {
        var config = Self.diskConfig(name: name, directory: cacheDirectoryURL)
        if let diskCachePathClosure { config.cachePathBlock = diskCachePathClosure }
        self.init(
            memoryStorage: .init(config: .quarterOfMemory), diskStorage: try .init(config: config))
    }

    /// A cache in exactly this folder.
    ///
    /// If it can't be made, disk operations fail with `diskStorageIsNotReady`.
    package convenience init(name: String, folder: URL) {
        var config = Self.diskConfig(name: name, directory: folder)
        config.cachePathBlock = { folder, _ in folder }
        self.init(memoryStorage: .init(config: .quarterOfMemory), diskStorage: .init(unchecked: config))
    }

    private static func diskConfig(name: String, directory: URL?) -> DiskStorage.Config {
        precondition(!name.isEmpty, "a cache's name must not be empty")
        return DiskStorage.Config(name: name, sizeLimit: 0, directory: directory)
    }
}

extension MemoryStorage.Config {
    /// Up to a quarter of the memory that this process may use.
    static var quarterOfMemory: MemoryStorage.Config {
        MemoryStorage.Config(totalCostLimit: max(1, Int(clamping: MemoryAllowance().bytes / 4)))
    }
}
