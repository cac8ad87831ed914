public import AlcedoCaches
public import Foundation

extension DiskStorage {
    /// Values on disk, one file each; the file's content is the value's bytes.
    ///
    /// Any thread may call any method; each blocks for the disk. Files are written whole or not at all, even if the process
    /// dies. Several processes may share a folder. The folder has mode 0700, the files 0600.
    public final class Backend<T: DataTransformable>: Sendable where T: Sendable {
        public let directoryURL: URL

        package let core: Core

        /// What an image cache reports the first fault to.
        let faults: DiskFaultReport

        /// Opens the folder, or creates it; waits up to 5 s for a disk that hangs, which does not fail it.
        ///
        /// - Throws: `cannotCreateDirectory`.
        public convenience init(config: Config) throws(KingfisherError) {
            try self.init(config: config, now: { Date() })
        }

        /// With another clock, and another time to wait for a process that holds the quota's lock.
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
            if let error = core.folderError { throw failure(.folder(error)) }
        }

        /// Opens or creates the folder; if that fails, every method throws `diskStorageIsNotReady`.
        init(
            unchecked config: Config, now: @escaping @Sendable () -> Date = { Date() },
            faults: DiskFaultReport = DiskFaultReport(), stallCheck: DiskStallCheck = .standard,
            lockWait: DiskLockWait = .usage
        ) {
            core = Core(config: config, now: now, stallCheck: stallCheck, lockWait: lockWait)
            (directoryURL, self.faults) = (core.directoryURL, faults)
        }

        /// Limits, lifetimes and names; changes apply to later calls, but the folder stays.
        public var config: Config {
            get { core.config }
            set { core.config = newValue }
        }

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
            try store(
                value: value, forKey: key, identifier: nil, expiration: expiration,
                writeOptions: writeOptions, forcedExtension: forcedExtension)
        }

        /// Stores the value that a processor created from a key's image, so that ``removeVariants(ofKey:)`` finds it.
        ///
        /// Without an identifier the key is that of the entry, and the value is no variant.
        ///
        /// - Throws: as `store` does; `cannotCreateCacheFile` as well if the index can't be written.
        func store(
            value: T, forKey key: String, identifier: String?, expiration: StorageExpiration?,
            writeOptions: Data.WritingOptions, forcedExtension: String?
        ) throws(KingfisherError) {
            let replaces = !writeOptions.contains(.withoutOverwriting)
            do throws(DiskStorage.Failure) {
                if let identifier {
                    try core.store(
                        value.toData, forKey: key, identifier: identifier, expiration: expiration,
                        replaces: replaces, forcedExtension: forcedExtension)
                } else {
                    try core.store(
                        value.toData, forKey: key, expiration: expiration, replaces: replaces,
                        forcedExtension: forcedExtension)
                }
            } catch {
                throw failure(error, forKey: key.computedKey(with: identifier ?? ""), value)
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
            core.isCached(forKey: key, referenceDate: referenceDate, forcedExtension: forcedExtension)
        }

        /// The URL of the key's file, whether it exists or not.
        public func cacheFileURL(forKey key: String, forcedExtension: String? = nil) -> URL {
            url(of: fileName(forKey: key, forcedExtension: forcedExtension))
        }

        /// Removes an entry; a missing one is no error.
        ///
        /// - Throws: `diskStorageIsNotReady`; a `POSIXError` if the file can't be removed.
        public func remove(forKey key: String, forcedExtension: String? = nil) throws {
            try converting { try core.remove(forKey: key, forcedExtension: forcedExtension) }
        }

        /// Removes all files of the folder, but neither subfolders nor the targets of links.
        ///
        /// - Throws: `fileEnumeratorCreationFailed`, `invalidFileEnumeratorContent`, `cannotCreateDirectory`,
        ///   `diskStorageIsNotReady`.
        public func removeAll() throws(KingfisherError) { try clear() }

        /// Removes all files, and returns how many were removed and how many could not be; throws as ``removeAll()`` does.
        @discardableResult
        package func clear() throws(KingfisherError) -> (removed: Int, left: Int) {
            do throws(DiskStorage.Failure) { return try core.clear() } catch { throw failure(error) }
        }

        /// Removes all expired entries, and the staging files of killed processes.
        ///
        /// If most entries expired over a month ago, the clock may be wrong, and they stay for another day.
        ///
        /// - Returns: the removed entries' files.
        /// - Throws: `fileEnumeratorCreationFailed`, `invalidFileEnumeratorContent`, `diskStorageIsNotReady`.
        public func removeExpiredValues() throws(KingfisherError) -> [URL] {
            do throws(DiskStorage.Failure) { return try core.removeExpiredValues() } catch {
                throw failure(error)
            }
        }

        /// If the size limit is reached, evicts the least recently read entries down to half of it.
        ///
        /// - Returns: the removed entries' files.
        /// - Throws: `fileEnumeratorCreationFailed`, `invalidFileEnumeratorContent`, `diskStorageIsNotReady`.
        public func removeSizeExceededValues() throws(KingfisherError) -> [URL] {
            do throws(DiskStorage.Failure) { return try core.removeSizeExceededValues() } catch {
                throw failure(error)
            }
        }

        /// The bytes of all entries, including expired ones.
        ///
        /// - Throws: `fileEnumeratorCreationFailed`, `invalidFileEnumeratorContent`, `diskStorageIsNotReady`.
        public func totalSize() throws(KingfisherError) -> UInt {
            do throws(DiskStorage.Failure) { return try core.totalSize() } catch { throw failure(error) }
        }
    }
}

// MARK: - For image caches

extension DiskStorage.Backend {
    var now: @Sendable () -> Date { core.now }

    func fileName(forKey key: String, forcedExtension: String?) -> String {
        core.fileName(forKey: key, forcedExtension: forcedExtension)
    }

    func url(of name: String) -> URL { core.url(of: name) }

    /// An entry's bytes, and the identity of its file; throws as `value` does.
    func entry(
        forKey key: String, forcedExtension: String?, extendingExpiration: ExpirationExtending
    ) throws(KingfisherError) -> DiskStorage.ReadEntry? {
        try entry(
            named: fileName(forKey: key, forcedExtension: forcedExtension), ofKey: key,
            extendingExpiration: extendingExpiration)
    }

    /// The same for a caller that has the name of the key's file.
    func entry(
        named name: String, ofKey key: @autoclosure () -> String, extendingExpiration: ExpirationExtending
    ) throws(KingfisherError) -> DiskStorage.ReadEntry? {
        do throws(DiskStorage.Failure) {
            return try core.entry(named: name, extendingExpiration: extendingExpiration)
        } catch {
            throw failure(error, forKey: key())
        }
    }

    /// All entries, including expired ones, most recently used first.
    ///
    /// - Throws: `fileEnumeratorCreationFailed`, `invalidFileEnumeratorContent`, `diskStorageIsNotReady`.
    package func entries() throws(KingfisherError) -> [DiskStorage.Entry] {
        do throws(DiskStorage.Failure) { return try core.entries() } catch { throw failure(error) }
    }

    /// Removes a key's original and all its variants, under all extensions.
    ///
    /// - Throws: `diskStorageIsNotReady`; a `POSIXError` if a file can't be removed, after the others have been.
    func removeVariants(ofKey key: String) throws { try converting { try core.removeVariants(ofKey: key) } }
}

// MARK: - Errors

extension DiskStorage.Backend {
    /// Reports a store that has failed, once, if the disk is why.
    func report(_ error: KingfisherError) {
        let cause: (any Error)? =
            switch error {
            case .cacheError(reason: .diskStorageIsNotReady): core.folderError
            case .cacheError(reason: .cannotCreateCacheFile(_, _, _, let cause)): cause
            case .cacheError(reason: .cannotSetCacheFileAttribute(_, _, let cause)): cause
            default: nil
            }
        if let cause { faults.report(cause, in: core) }
    }

    /// Reports failures of calls that only wait for the disk, whose callers get no error.
    func report(_ stall: DiskStallError) { faults.report(stall, in: core) }

    /// Calls what throws a `POSIXError` as well.
    private func converting(_ body: () throws -> Void) throws {
        do { try body() } catch let error as DiskStorage.Failure { throw failure(error) }
    }

    /// What users get for an error of the storage.
    private func failure(
        _ error: DiskStorage.Failure, forKey key: String = "", _ value: Any = ()
    ) -> KingfisherError {
        switch error {
        case .notReady: .cacheError(reason: .diskStorageIsNotReady(cacheURL: directoryURL))
        case .folder(let error):
            .cacheError(reason: .cannotCreateDirectory(path: directoryURL.path, error: error))
        case .listing(.opening): .cacheError(reason: .fileEnumeratorCreationFailed(url: directoryURL))
        case .listing(.reading): .cacheError(reason: .invalidFileEnumeratorContent(url: directoryURL))
        case .attributes(let name, let error):
            .cacheError(reason: .invalidURLResource(error: error, key: key, url: url(of: name)))
        case .content(let name, let error):
            .cacheError(reason: .cannotLoadDataFromDisk(url: url(of: name), error: error))
        case .conversion(let error): .cacheError(reason: .cannotConvertToData(object: value, error: error))
        case .file(let name, let data, let error):
            .cacheError(
                reason: .cannotCreateCacheFile(fileURL: url(of: name), key: key, data: data, error: error))
        case .times(let name, let expiry, let error):
            .cacheError(
                reason: .cannotSetCacheFileAttribute(
                    filePath: url(of: name).path, attributes: [.modificationDate: expiry], error: error))
        }
    }
}
