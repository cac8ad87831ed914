import AlcedoLocks
import Dispatch
public import Foundation
import Glibc

extension DiskStorage {
    /// Values on disk: a file each, whose content is the value's bytes and nothing else.
    ///
    /// Any thread may call any method; each blocks for as long as the disk takes. A file appears whole or not at all,
    /// whatever happens to the process. Several processes may share a folder. The folder is the owner's only (0700),
    /// and so are the files (0600).
    public final class Backend<T: DataTransformable>: Sendable where T: Sendable {
        /// The folder.
        public let directoryURL: URL

        /// Why there is no folder; nil if there is one.
        let folderError: POSIXError?

        /// Tells the time.
        let now: @Sendable () -> Date

        /// Trims and cleanings run here, in the background.
        let housekeeping = DispatchQueue(label: "alcedo.disk.housekeeping", qos: .utility)

        let folder: DiskFolder
        let quota: DiskQuota
        let variants: VariantIndex
        let trims = Lock(TrimSchedule())
        private let settings: Lock<Settings>

        /// Opens or makes the folder.
        ///
        /// - Throws: `cannotCreateDirectory`.
        public convenience init(config: Config) throws(KingfisherError) {
            try self.init(config: config, now: { Date() })
        }

        /// Opens or makes the folder; tells the time by `now`.
        package convenience init(
            config: Config,
            now: @escaping @Sendable () -> Date
        ) throws(KingfisherError) {
            self.init(unchecked: config, now: now)
            if let folderError {
                throw .cacheError(reason: .cannotCreateDirectory(path: folder.path, error: folderError))
            }
        }

        /// Opens or makes the folder; without one, every method throws `diskStorageIsNotReady`.
        init(unchecked config: Config, now: @escaping @Sendable () -> Date = { Date() }) {
            self.now = now
            directoryURL = config.folderURL
            let folder = DiskFolder(path: directoryURL.path)
            self.folder = folder
            quota = DiskQuota(folder: folder)
            variants = VariantIndex(folder: folder)
            var settings = config
            settings.cachePathBlock = nil
            self.settings = Lock(Settings(settings))
            do throws(POSIXError) {
                try makeFolder(folder.path)
                folderError = nil
                if unlink(folder.path(of: VariantIndex.obsoleteFile)) == 0 {
                    _ = try? folder.removeAll(at: now())
                }
            } catch {
                folderError = error
            }
        }

        /// Limits, times and names; a change counts for later calls, but the folder stays.
        public var config: Config {
            get { currentSettings.config }
            set {
                let new = Settings(newValue)
                settings.withLock { $0 = new }
            }
        }

        var currentSettings: DiskStorage.Settings { settings.withLock { $0 } }

        /// Stores `value` under `key`, in place of what was there.
        ///
        /// Where this fails, what was there is still there.
        ///
        /// - Parameters:
        ///   - value: the value.
        ///   - key: the key.
        ///   - expiration: how long; nil for the configuration's. With a time that is over, nothing happens.
        ///   - writeOptions: only `.withoutOverwriting` counts; a file is published whole whatever they say.
        ///   - forcedExtension: an extension for the file's name, in place of the configuration's.
        /// - Throws: `cannotConvertToData`, `cannotCreateCacheFile`, `cannotSetCacheFileAttribute`,
        ///   `diskStorageIsNotReady`.
        public func store(
            value: T,
            forKey key: String,
            expiration: StorageExpiration? = nil,
            writeOptions: Data.WritingOptions = [],
            forcedExtension: String? = nil
        ) throws(KingfisherError) {
            try checkReady()
            let (config, now) = (config, now())
            guard let stamp = DiskStamp(expiration ?? config.expiration, from: now) else { return }
            let data: Data
            do { data = try value.toData() } catch {
                throw .cacheError(reason: .cannotConvertToData(object: value, error: error))
            }
            let file = NewFile(
                name: config.fileName(forKey: key, forcedExtension: forcedExtension),
                data: data,
                stamp: stamp,
                accessed: now,
                replaces: !writeOptions.contains(.withoutOverwriting)
            )
            do throws(DiskFolder.WriteError) {
                try write(file, limit: Int(clamping: config.sizeLimit))
            } catch {
                throw .cacheError(reason: file.reason(of: error, key: key, in: directoryURL))
            }
        }

        /// Reads a value.
        ///
        /// The time of access and the new expiry are written at once. An expired entry stays until a sweep.
        ///
        /// - Parameters:
        ///   - key: the key.
        ///   - forcedExtension: the extension that it was stored with.
        ///   - extendingExpiration: what happens to its expiry; with `.cacheTime` it gets the time again that it was
        ///     stored with, whatever the configuration says now.
        /// - Returns: the value; nil if there is none or it has expired.
        /// - Throws: `invalidURLResource`, `cannotLoadDataFromDisk`, `diskStorageIsNotReady`.
        public func value(
            forKey key: String,
            forcedExtension: String? = nil,
            extendingExpiration: ExpirationExtending = .cacheTime
        ) throws(KingfisherError) -> T? {
            let entry = try entry(
                forKey: key, forcedExtension: forcedExtension, extendingExpiration: extendingExpiration)
            guard let entry else { return nil }
            do { return try T.fromData(entry.data) } catch {
                throw .cacheError(reason: .cannotLoadDataFromDisk(url: url(of: entry.name), error: error))
            }
        }

        /// Whether there is a value under `key` that has not expired; asking extends nothing and reads no content.
        public func isCached(forKey key: String, forcedExtension: String? = nil) -> Bool {
            isCached(forKey: key, referenceDate: now(), forcedExtension: forcedExtension)
        }

        /// Whether there is a value under `key` that will not have expired at `referenceDate`.
        public func isCached(forKey key: String, referenceDate: Date, forcedExtension: String? = nil) -> Bool
        {
            let path = folder.path(of: fileName(forKey: key, forcedExtension: forcedExtension))
            guard folderError == nil, let file = attributes(ofPath: path), file.isRegularFile else {
                return false
            }
            return !file.stamp.isPast(at: referenceDate)
        }

        /// Where the value under `key` is, or would be.
        public func cacheFileURL(forKey key: String, forcedExtension: String? = nil) -> URL {
            url(of: fileName(forKey: key, forcedExtension: forcedExtension))
        }
    }
}

// MARK: - Names

extension DiskStorage.Backend {
    func fileName(forKey key: String, forcedExtension: String?) -> String {
        config.fileName(forKey: key, forcedExtension: forcedExtension)
    }

    func url(of name: String) -> URL {
        directoryURL.appendingPathComponent(name, isDirectory: false)
    }
}

// MARK: - Errors

extension DiskStorage.Backend {
    func checkReady() throws(KingfisherError) {
        guard folderError == nil else {
            throw .cacheError(reason: .diskStorageIsNotReady(cacheURL: directoryURL))
        }
    }

    func sweep<Result>(
        _ body: (DiskFolder) throws(DiskFolder.SweepError) -> Result
    ) throws(KingfisherError) -> Result {
        do throws(DiskFolder.SweepError) {
            return try body(folder)
        } catch {
            switch error {
            case .opening: throw .cacheError(reason: .fileEnumeratorCreationFailed(url: directoryURL))
            case .reading: throw .cacheError(reason: .invalidFileEnumeratorContent(url: directoryURL))
            }
        }
    }
}
