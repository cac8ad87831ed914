import AlcedoLocks
import Dispatch
public import Foundation

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

        /// Where access times are written and the size limit is held.
        let housekeeping = DispatchQueue(label: "alcedo.disk.housekeeping", qos: .utility)

        let folder: DiskFolder
        private let settings: Lock<Config>
        private let size = Lock(DiskSizeAccount())
        private let accesses: DiskAccessLog

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
            var settings = config
            settings.cachePathBlock = nil
            self.settings = Lock(settings)
            accesses = DiskAccessLog(queue: housekeeping)
            do throws(POSIXError) {
                try makeFolder(folder.path)
                folderError = nil
            } catch {
                folderError = error
            }
        }

        /// Limits, times and names; a change counts for later calls, but the folder stays.
        public var config: Config {
            get { settings.withLock { $0 } }
            set { settings.withLock { $0 = newValue } }
        }

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
            let name = config.fileName(forKey: key, forcedExtension: forcedExtension)
            let replaced = config.sizeLimit > 0 ? fileSize(name) : 0
            do throws(DiskFolder.WriteError) {
                try write(data, to: name, stamp: stamp, now: now, options: writeOptions)
            } catch {
                throw .cacheError(reason: reason(of: error, writing: data, to: name, key: key, stamp: stamp))
            }
            account(data.count - replaced, limit: config.sizeLimit)
        }

        /// Reads a value.
        ///
        /// The time of access and the new expiry are written a little later, on another thread. An expired entry
        /// stays until a sweep.
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
            try checkReady()
            let (config, now) = (config, now())
            let name = config.fileName(forKey: key, forcedExtension: forcedExtension)
            let content: DiskFolder.Content?
            do throws(DiskFolder.ReadError) {
                content = try folder.read(name) { !$0.isPast(at: now) }
            } catch {
                switch error {
                case .attributes(let error):
                    throw .cacheError(reason: .invalidURLResource(error: error, key: key, url: url(of: name)))
                case .content(let error):
                    throw .cacheError(reason: .cannotLoadDataFromDisk(url: url(of: name), error: error))
                }
            }
            guard let content else { return nil }
            let value: T
            do { value = try T.fromData(content.data) } catch {
                throw .cacheError(reason: .cannotLoadDataFromDisk(url: url(of: name), error: error))
            }
            let stamp = content.attributes.stamp
            accesses.note(
                .init(
                    path: folder.path(of: name),
                    inode: content.attributes.st_ino,
                    stamp: stamp,
                    newStamp: stamp.extended(extendingExpiration, from: now, fallback: config.expiration),
                    date: now
                )
            )
            return value
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

        /// Removes the value under `key`; that there is none is no error.
        ///
        /// - Throws: `diskStorageIsNotReady`; a `POSIXError` if the file can't be removed.
        public func remove(forKey key: String, forcedExtension: String? = nil) throws {
            try checkReady()
            let config = config
            let name = config.fileName(forKey: key, forcedExtension: forcedExtension)
            let removed = config.sizeLimit > 0 ? fileSize(name) : 0
            try folder.remove(name)
            size.withLock { $0.add(-removed) }
        }

        /// Removes all files in the folder; what a link points to stays, as do folders in it.
        ///
        /// - Throws: `fileEnumeratorCreationFailed`, `invalidFileEnumeratorContent`, `cannotCreateDirectory`,
        ///   `diskStorageIsNotReady`.
        public func removeAll() throws(KingfisherError) {
            try checkReady()
            let date = now()
            try sweep { folder throws(DiskFolder.SweepError) in try folder.removeAll(at: date) }
            size.withLock { $0 = DiskSizeAccount() }
            do throws(POSIXError) { try makeFolder(folder.path) } catch {
                throw .cacheError(reason: .cannotCreateDirectory(path: folder.path, error: error))
            }
        }

        /// Where the value under `key` is, or would be.
        public func cacheFileURL(forKey key: String, forcedExtension: String? = nil) -> URL {
            url(of: fileName(forKey: key, forcedExtension: forcedExtension))
        }

        /// Removes all entries that have expired, and what killed processes left half-written.
        ///
        /// - Returns: the entries' files.
        /// - Throws: `fileEnumeratorCreationFailed`, `invalidFileEnumeratorContent`, `diskStorageIsNotReady`.
        public func removeExpiredValues() throws(KingfisherError) -> [URL] {
            try checkReady()
            let date = now()
            let removal = try sweep { folder throws(DiskFolder.SweepError) in
                try folder.removeExpired(at: date)
            }
            size.withLock { $0.add(-removal.bytes) }
            return removal.names.map(url(of:))
        }

        /// If the size limit is reached, removes what was read least recently, down to half the limit.
        ///
        /// - Returns: the entries' files.
        /// - Throws: `fileEnumeratorCreationFailed`, `invalidFileEnumeratorContent`, `diskStorageIsNotReady`.
        public func removeSizeExceededValues() throws(KingfisherError) -> [URL] {
            try checkReady()
            let limit = Int(clamping: config.sizeLimit)
            guard limit > 0 else { return [] }
            size.withLock { $0.beginListing() }
            let (listed, removal) = try sweep { folder throws(DiskFolder.SweepError) in
                let listing = try folder.list()
                guard listing.totalSize >= limit else { return (listing.totalSize, DiskFolder.Removal()) }
                return (listing.totalSize, try folder.removeOldest(of: listing, downTo: limit / 2))
            }
            size.withLock { $0.endListing(total: listed - removal.bytes) }
            return removal.names.map(url(of:))
        }

        /// The bytes that all entries take together, expired ones included.
        ///
        /// - Throws: `fileEnumeratorCreationFailed`, `invalidFileEnumeratorContent`, `diskStorageIsNotReady`.
        public func totalSize() throws(KingfisherError) -> UInt {
            try checkReady()
            return try sweep { folder throws(DiskFolder.SweepError) in UInt(try folder.list().totalSize) }
        }
    }
}

// MARK: - Names

extension DiskStorage.Backend {
    func fileName(forKey key: String, forcedExtension: String?) -> String {
        config.fileName(forKey: key, forcedExtension: forcedExtension)
    }

    private func url(of name: String) -> URL {
        directoryURL.appendingPathComponent(name, isDirectory: false)
    }
}

// MARK: - Writing

extension DiskStorage.Backend {
    /// Writes; if the folder has gone, makes it again and writes once more.
    private func write(
        _ data: Data,
        to name: String,
        stamp: DiskStamp,
        now: Date,
        options: Data.WritingOptions
    ) throws(DiskFolder.WriteError) {
        let replaces = !options.contains(.withoutOverwriting)
        do throws(DiskFolder.WriteError) {
            try folder.write(data, to: name, stamp: stamp, accessed: now, replaces: replaces)
        } catch {
            guard case .content(let cause) = error, cause.code == .ENOENT else { throw error }
            do throws(POSIXError) { try makeFolder(folder.path) } catch { throw .content(error) }
            try folder.write(data, to: name, stamp: stamp, accessed: now, replaces: replaces)
        }
    }

    private func reason(
        of error: DiskFolder.WriteError,
        writing data: Data,
        to name: String,
        key: String,
        stamp: DiskStamp
    ) -> KingfisherError.CacheErrorReason {
        switch error {
        case .content(let error):
            .cannotCreateCacheFile(fileURL: url(of: name), key: key, data: data, error: error)
        case .times(let error):
            .cannotSetCacheFileAttribute(
                filePath: folder.path(of: name),
                attributes: [.modificationDate: Date(timeIntervalSince1970: Double(stamp.expiry))],
                error: error
            )
        }
    }

    private func fileSize(_ name: String) -> Int {
        attributes(ofPath: folder.path(of: name)).map { $0.isRegularFile ? $0.st_size : 0 } ?? 0
    }
}

// MARK: - Keeping the size

extension DiskStorage.Backend {
    private func account(_ bytes: Int, limit: UInt) {
        let isTrimDue = size.withLock { size in
            size.add(bytes)
            return size.claimTrim(limit: limit)
        }
        guard isTrimDue else { return }
        housekeeping.async { [weak self] in self?.trim() }
    }

    /// Makes room: what has expired goes first.
    ///
    /// That the folder can't be listed is reported by the methods that do so for a caller.
    private func trim() {
        size.withLock { $0.beginTrim() }
        _ = try? removeExpiredValues()
        _ = try? removeSizeExceededValues()
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
