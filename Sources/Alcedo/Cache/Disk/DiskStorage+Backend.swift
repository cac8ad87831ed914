import AlcedoLocks
import Dispatch
public import Foundation
import Glibc

extension DiskStorage {
    /// Values on disk, one file each; the file's content is the value's bytes.
    ///
    /// Any thread may call any method; each blocks for the disk. Files are written whole or not at all, even if the process
    /// dies. Several processes may share a folder. The folder has mode 0700, the files 0600.
    public final class Backend<T: DataTransformable>: Sendable where T: Sendable {
        /// The folder.
        public let directoryURL: URL

        /// Why the folder can't be made; nil if it was.
        let folderError: POSIXError?

        /// Whether there is no ``folderError``, which costs 440 instructions to compare with nil: a twentieth of a miss.
        let isReady: Bool

        let now: @Sendable () -> Date

        /// What an image cache reports the first fault to.
        let faults: DiskFaultReport

        /// When an image cache takes an operation for stalled.
        let stallCheck: DiskStallCheck

        /// Runs trims and cleanings in the background.
        let housekeeping = DispatchQueue(label: "alcedo.disk.housekeeping", qos: .utility)

        let folder: DiskFolder
        let quota: DiskQuota
        let variants: VariantIndex
        let trims = Lock(TrimSchedule())

        /// Held while files are counted or evicted: a count that overlaps an eviction misses a file that is removed but
        /// not subtracted yet, and would subtract it twice.
        let counting = NSLock()
        private let settings: Lock<Settings>

        /// Opens the folder, or makes it; waits up to 5 s for a disk that hangs, which does not fail it.
        ///
        /// - Throws: `cannotCreateDirectory`.
        public convenience init(config: Config) throws(KingfisherError) {
            try self.init(config: config, now: { Date() })
        }

        /// With another clock, and another patience with a process that has the quota's lock.
        package convenience init(
            config: Config, now: @escaping @Sendable () -> Date, lockWait: DiskLockWait = .usage
        ) throws(KingfisherError) {
            try self.init(config: config, now: now, faults: DiskFaultReport(), lockWait: lockWait)
        }

        convenience init(
            config: Config, now: @escaping @Sendable () -> Date, faults: DiskFaultReport,
            stallCheck: DiskStallCheck = .standard, lockWait: DiskLockWait = .usage
        ) throws(KingfisherError) {
            self.init(
                unchecked: config, now: now, faults: faults, stallCheck: stallCheck, lockWait: lockWait)
            if let folderError {
                throw .cacheError(reason: .cannotCreateDirectory(path: folder.path, error: folderError))
            }
        }

        /// Opens or makes the folder; if that fails, every method throws `diskStorageIsNotReady`.
        init(
            unchecked config: Config, now: @escaping @Sendable () -> Date = { Date() },
            faults: DiskFaultReport = DiskFaultReport(), stallCheck: DiskStallCheck = .standard,
            lockWait: DiskLockWait = .usage
        ) {
            (self.now, self.faults, self.stallCheck) = (now, faults, stallCheck)
            directoryURL = config.folderURL
            let folder = DiskFolder(path: directoryURL.path)
            self.folder = folder
            quota = DiskQuota(folder: folder, lockWait: lockWait)
            variants = VariantIndex(folder: folder)
            var settings = config
            settings.cachePathBlock = nil
            self.settings = Lock(Settings(settings))
            folderError = Self.openFolder(folder, now: now, seconds: stallCheck.error.seconds)
            isReady = folderError == nil
        }

        /// Makes the folder, on a thread of its own; waits only as long as an operation that stalls.
        ///
        /// Then it returns nil: reads and writes fail until the disk responds, and a write makes the folder.
        private static func openFolder(
            _ folder: DiskFolder, now: @escaping @Sendable () -> Date, seconds: Int
        ) -> POSIXError? {
            let failure = DetachedThread.wait("alcedo-folder", seconds: seconds) { () -> POSIXError? in
                do throws(POSIXError) { try makeFolder(folder.path) } catch { return error }
                if unlink(folder.path(of: VariantIndex.obsoleteFile)) == 0 {
                    _ = try? folder.removeAll(at: now())
                }
                return nil
            }
            return failure ?? nil
        }

        /// Limits, lifetimes and names; changes apply to later calls, but the folder stays.
        public var config: Config {
            get { currentSettings.config }
            set {
                let new = Settings(newValue)
                settings.withLock { $0 = new }
            }
        }

        var currentSettings: DiskStorage.Settings { settings.withLock { $0 } }

        /// Stores a value, replacing the present one; if this fails, the present one stays.
        ///
        /// - Parameters:
        ///   - value: the value.
        ///   - key: the key.
        ///   - expiration: its lifetime; nil for the configuration's. An expired one stores nothing.
        ///   - writeOptions: only `.withoutOverwriting` has an effect.
        ///   - forcedExtension: the file's extension, instead of the configuration's.
        /// - Throws: `cannotConvertToData`, also if the transform fails; `cannotCreateCacheFile`, with a ``DiskQuotaError`` if the
        ///   cache is full and can't be trimmed; `cannotSetCacheFileAttribute`; `diskStorageIsNotReady`.
        public func store(
            value: T, forKey key: String, expiration: StorageExpiration? = nil,
            writeOptions: Data.WritingOptions = [], forcedExtension: String? = nil
        ) throws(KingfisherError) {
            try checkReady()
            let (config, now) = (config, now())
            guard let stamp = DiskStamp(expiration ?? config.expiration, from: now) else { return }
            let data: Data
            let name = config.fileName(forKey: key, forcedExtension: forcedExtension)
            do {
                let plain = try value.toData()
                data = try config.transform?.seal(plain, fileName: name) ?? plain
            } catch {
                throw .cacheError(reason: .cannotConvertToData(object: value, error: error))
            }
            let file = NewFile(
                name: name, data: data, stamp: stamp, accessed: now,
                replaces: !writeOptions.contains(.withoutOverwriting))
            let limit = Int(clamping: config.sizeLimit)
            do throws(DiskFolder.WriteError) { try write(file, limit: limit) } catch {
                throw .cacheError(reason: file.reason(of: error, key: key, in: directoryURL, limit: limit))
            }
        }

        /// Reads a value, and writes the access time and the new expiry.
        ///
        /// - Parameters:
        ///   - key: the key.
        ///   - forcedExtension: the extension it was stored with.
        ///   - extendingExpiration: the new expiry; `.cacheTime` restarts the lifetime that the entry was stored with.
        /// - Returns: nil if there is no entry or it has expired; expired entries stay until a sweep.
        /// - Throws: `invalidURLResource`, `cannotLoadDataFromDisk`, `diskStorageIsNotReady`.
        public func value(
            forKey key: String, forcedExtension: String? = nil,
            extendingExpiration: ExpirationExtending = .cacheTime
        ) throws(KingfisherError) -> T? {
            let entry = try entry(
                forKey: key, forcedExtension: forcedExtension, extendingExpiration: extendingExpiration)
            guard let entry else { return nil }
            do { return try T.fromData(entry.data) } catch {
                throw .cacheError(reason: .cannotLoadDataFromDisk(url: url(of: entry.name), error: error))
            }
        }

        /// Whether there is an unexpired entry; reads no content and extends nothing.
        public func isCached(forKey key: String, forcedExtension: String? = nil) -> Bool {
            isCached(forKey: key, referenceDate: now(), forcedExtension: forcedExtension)
        }

        /// Whether there is an entry that expires after `referenceDate`.
        public func isCached(forKey key: String, referenceDate: Date, forcedExtension: String? = nil) -> Bool
        {
            let path = folder.path(of: fileName(forKey: key, forcedExtension: forcedExtension))
            guard isReady, let file = attributes(ofPath: path), file.isRegularFile else {
                return false
            }
            return !file.stamp.isPast(at: referenceDate)
        }

        /// The URL of the key's file, whether it exists or not.
        public func cacheFileURL(forKey key: String, forcedExtension: String? = nil) -> URL {
            url(of: fileName(forKey: key, forcedExtension: forcedExtension))
        }
    }
}

extension DiskStorage.Backend {
    func fileName(forKey key: String, forcedExtension: String?) -> String {
        config.fileName(forKey: key, forcedExtension: forcedExtension)
    }

    func url(of name: String) -> URL { directoryURL.appendingPathComponent(name, isDirectory: false) }

    func checkReady() throws(KingfisherError) {
        guard isReady else {
            throw .cacheError(reason: .diskStorageIsNotReady(cacheURL: directoryURL))
        }
    }

    func sweep<Result>(
        _ body: (DiskFolder) throws(DiskFolder.SweepError) -> Result
    ) throws(KingfisherError) -> Result {
        do throws(DiskFolder.SweepError) { return try body(folder) } catch {
            switch error {
            case .opening: throw .cacheError(reason: .fileEnumeratorCreationFailed(url: directoryURL))
            case .reading: throw .cacheError(reason: .invalidFileEnumeratorContent(url: directoryURL))
            }
        }
    }
}
