import Foundation

extension DiskStorage.Backend {
    /// Stores what a processor made for a key, so that ``removeVariants(ofKey:)`` finds it, in this run or a later one.
    ///
    /// - Throws: as `store` does; `cannotCreateCacheFile` as well if what finds it can't be written.
    func store(
        value: T,
        forKey key: String,
        identifier: String,
        expiration: StorageExpiration?,
        writeOptions: Data.WritingOptions,
        forcedExtension: String?
    ) throws(KingfisherError) {
        try checkReady()
        let computedKey = key.computedKey(with: identifier)
        let config = config
        guard !config.isFound(identifier: identifier, forcedExtension: forcedExtension) else {
            return try store(
                value: value, forKey: computedKey, expiration: expiration, writeOptions: writeOptions,
                forcedExtension: forcedExtension)
        }
        let name = config.fileName(forKey: computedKey, forcedExtension: forcedExtension)
        let note = try noted(key, computedKey) { () throws(POSIXError) in try variants.note(name, ofKey: key)
        }
        try store(
            value: value, forKey: computedKey, expiration: expiration, writeOptions: writeOptions,
            forcedExtension: forcedExtension)
        // Whoever cleared the folder meanwhile has removed the note, but perhaps not the entry.
        try noted(key, computedKey) { () throws(POSIXError) in try variants.confirm(note) }
    }

    /// Removes a key's original and whatever processors made of it, under all extensions.
    ///
    /// - Throws: `diskStorageIsNotReady`; a `POSIXError` if a file can't be removed, after the others have been.
    func removeVariants(ofKey key: String) throws {
        try checkReady()
        let config = config
        let ledger = config.sizeLimit > 0 ? ledger : nil
        let kinds = DiskVariantKinds.all(in: folder).union(config.kindsOfOriginals)
        let names = variants.names(ofKey: key).union(kinds.flatMap { config.fileNames(forKey: key, of: $0) })
        var failure: POSIXError?
        for name in names {
            do throws(POSIXError) { try folder.remove(name, ledger: ledger) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// Does something to the index, once more if the folder has gone.
    private func noted<Result: ~Copyable>(
        _ key: String,
        _ computedKey: String,
        _ body: () throws(POSIXError) -> Result
    ) throws(KingfisherError) -> Result {
        do throws(POSIXError) {
            do throws(POSIXError) { return try body() } catch {
                guard error.code == .ENOENT else { throw error }
                try makeFolder(folder.path)
                return try body()
            }
        } catch {
            let file = url(of: DiskVariants.fileName(ofKey: key))
            throw .cacheError(
                reason: .cannotCreateCacheFile(fileURL: file, key: computedKey, data: Data(), error: error))
        }
    }
}

extension DiskStorage.Config {
    /// Whether an entry's name follows from its key, whatever the configuration is then: nothing has to be written down.
    fileprivate func isFound(identifier: String, forcedExtension: String?) -> Bool {
        identifier.isEmpty && (forcedExtension ?? pathExtension ?? "").isEmpty
    }

    /// How originals may be named that nothing was written down for.
    fileprivate var kindsOfOriginals: Set<DiskVariantKinds.Kind> {
        let suffixes = [nil, pathExtension == "" ? nil : pathExtension]
        return Set(
            suffixes.flatMap { suffix in
                [true, false].map { .init(identifier: "", suffix: suffix, isHashed: $0) }
            })
    }

    /// The names that a file may have, whatever the configuration was when it was stored.
    fileprivate func fileNames(forKey key: String, of kind: DiskVariantKinds.Kind) -> [String] {
        let computedKey = key.computedKey(with: kind.identifier)
        var config = self
        config.usesHashedFileName = kind.isHashed
        config.pathExtension = nil
        return [false, true].map { auto in
            config.autoExtAfterHashedFileName = auto
            return config.fileName(forKey: computedKey, forcedExtension: kind.suffix)
        }
    }
}
