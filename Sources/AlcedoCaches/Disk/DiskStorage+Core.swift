package import AlcedoLocks
package import Dispatch
package import Foundation
import Glibc

extension DiskStorage {
    /// Why an operation has failed, without what its caller knows: the key and the folder.
    package enum Failure: Error {
        /// The folder could not be created when the storage was opened.
        case notReady

        /// The folder can't be created.
        case folder(POSIXError)

        /// The folder can't be listed.
        case listing(DiskFolder.SweepError)

        /// A file's attributes can't be read.
        case attributes(name: String, POSIXError)

        /// A file's bytes can't be read.
        case content(name: String, POSIXError)

        /// The bytes for the disk can't be created.
        case conversion(any Error)

        /// A file can't be written.
        case file(name: String, data: Data, any Error)

        /// A file's times can't be set.
        case times(name: String, expiry: Date, POSIXError)

        /// Why a file could not be written; nil for other failures.
        package var cause: (any Error)? {
            switch self {
            case .file(_, _, let error): error
            case .times(_, _, let error): error
            default: nil
            }
        }
    }

    /// Bytes on disk, one file an entry.
    ///
    /// Any thread may call any method; each blocks for the disk. Files are written whole or not at all, even if the process
    /// dies. Several processes may share a folder. The folder has mode 0700, the files 0600.
    package final class Core: Sendable {
        /// The folder.
        package let directoryURL: URL

        /// Why the folder can't be created; nil if it was.
        package let folderError: POSIXError?

        /// Whether there is no ``folderError``, which costs 440 instructions to compare with nil: a twentieth of a miss.
        let isReady: Bool

        package let now: @Sendable () -> Date

        /// When an image cache takes an operation for stalled.
        package let stallCheck: DiskStallCheck

        /// Runs trims and cleanings in the background.
        package let housekeeping = DispatchQueue(label: "alcedo.disk.housekeeping", qos: .utility)

        let folder: DiskFolder
        let quota: DiskQuota
        package let variants: VariantIndex
        package let trims = Lock(TrimSchedule())

        /// Held while files are counted or evicted: a count that overlaps an eviction misses a file that is removed but
        /// not subtracted yet, and would subtract it twice.
        let counting = NSLock()
        private let settings: Lock<Settings>

        /// Opens or creates the folder; if that fails, there is a ``folderError``, and every method throws `notReady`.
        ///
        /// Waits up to 5 s for a disk that hangs, which does not fail it.
        package init(
            config: Config, now: @escaping @Sendable () -> Date = { Date() },
            stallCheck: DiskStallCheck = .standard, lockWait: DiskLockWait = .usage
        ) {
            (self.now, self.stallCheck) = (now, stallCheck)
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
        /// Then it returns nil: reads and writes fail until the disk responds, and a write creates the folder.
        private static func openFolder(
            _ folder: DiskFolder, now: @escaping @Sendable () -> Date, seconds: Int
        ) -> POSIXError? {
            let failure = DetachedThread.wait("alcedo-folder", seconds: seconds) { () -> POSIXError? in
                do throws(POSIXError) { try makeFolder(folder.path) } catch { return error }
                // A removal would miss the entries of a folder with that index.
                if unlink(folder.path(of: VariantIndex.obsoleteFile)) == 0 {
                    _ = try? folder.removeAll(at: now())
                }
                return nil
            }
            return failure ?? nil
        }

        /// Limits, lifetimes and names; changes apply to later calls, but the folder stays.
        package var config: Config {
            get { currentSettings.config }
            set {
                let new = Settings(newValue)
                settings.withLock { $0 = new }
            }
        }

        var currentSettings: DiskStorage.Settings { settings.withLock { $0 } }

        /// Stores bytes; if this fails, what was there stays.
        ///
        /// - Parameters:
        ///   - data: creates the bytes, before the transform.
        ///   - key: the key.
        ///   - expiration: its lifetime; nil for the configuration's. An expired one stores nothing.
        ///   - replaces: whether it replaces the present entry; if false, one fails with `EEXIST`.
        ///   - forcedExtension: the file's extension, instead of the configuration's.
        /// - Throws: `notReady`, `conversion`, `file`, with a ``DiskQuotaError`` if the cache is full and can't be trimmed, `times`.
        package func store(
            _ data: () throws -> Data, forKey key: String, expiration: StorageExpiration? = nil,
            replaces: Bool = true,
            forcedExtension: String? = nil
        ) throws(Failure) {
            try checkReady()
            let (config, now) = (config, now())
            guard let stamp = DiskStamp(expiration ?? config.expiration, from: now) else { return }
            let bytes: Data
            let name = config.fileName(forKey: key, forcedExtension: forcedExtension)
            do {
                let plain = try data()
                bytes = try config.transform?.seal(plain, fileName: name) ?? plain
            } catch {
                throw .conversion(error)
            }
            let file = NewFile(name: name, data: bytes, stamp: stamp, accessed: now, replaces: replaces)
            let limit = Int(clamping: config.sizeLimit)
            do throws(DiskFolder.WriteError) { try write(file, limit: limit) } catch {
                throw file.failure(error, limit: limit)
            }
        }

        /// Whether there is an entry that expires after `referenceDate`; reads no content and extends nothing.
        package func isCached(forKey key: String, referenceDate: Date, forcedExtension: String?) -> Bool {
            let path = folder.path(of: fileName(forKey: key, forcedExtension: forcedExtension))
            guard isReady, let file = attributes(ofPath: path), file.isRegularFile else {
                return false
            }
            return !file.stamp.isPast(at: referenceDate)
        }
    }
}

extension DiskStorage.Core {
    package func fileName(forKey key: String, forcedExtension: String?) -> String {
        config.fileName(forKey: key, forcedExtension: forcedExtension)
    }

    package func url(of name: String) -> URL { directoryURL.appendingPathComponent(name, isDirectory: false) }

    func checkReady() throws(DiskStorage.Failure) {
        guard isReady else { throw .notReady }
    }

    func sweep<Result>(
        _ body: (DiskFolder) throws(DiskFolder.SweepError) -> Result
    ) throws(DiskStorage.Failure) -> Result {
        do throws(DiskFolder.SweepError) { return try body(folder) } catch { throw .listing(error) }
    }
}
