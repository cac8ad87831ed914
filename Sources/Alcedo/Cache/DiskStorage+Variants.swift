import Foundation

extension DiskStorage.Backend {
    /// Stores what a processor made for a key, so that ``removeVariants(ofKey:)`` finds it, in this run or a later one.
    ///
    /// - Throws: as `store` does; `cannotCreateCacheFile` with the error `EDQUOT` if there are too many processors and
    ///   extensions already.
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
        let variant = config.variant(identifier: identifier, forcedExtension: forcedExtension)
        try note(variant, forKey: computedKey)
        try store(
            value: value,
            forKey: computedKey,
            expiration: expiration,
            writeOptions: writeOptions,
            forcedExtension: forcedExtension
        )
        // Whoever cleared the folder meanwhile has removed the note, but perhaps not the entry.
        try note(variant, forKey: computedKey)
    }

    /// Removes a key's original and whatever processors made of it, under all extensions.
    ///
    /// - Throws: `diskStorageIsNotReady`; a `POSIXError` if a file can't be removed, after the others have been.
    func removeVariants(ofKey key: String) throws {
        try checkReady()
        let config = config
        let ledger = config.sizeLimit > 0 ? ledger : nil
        let current = config.variant(identifier: "", forcedExtension: nil)
        var failure: POSIXError?
        for name in Set(variants.all().union([current]).flatMap { config.fileNames(forKey: key, of: $0) }) {
            do throws(POSIXError) { try folder.remove(name, ledger: ledger) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    private func note(
        _ variant: DiskVariants.Variant,
        forKey key: String
    ) throws(KingfisherError) {
        do throws(POSIXError) {
            do throws(POSIXError) {
                try variants.note(variant)
            } catch {
                guard error.code == .ENOENT else { throw error }
                try makeFolder(folder.path)
                try variants.note(variant)
            }
        } catch {
            throw .cacheError(
                reason: .cannotCreateCacheFile(
                    fileURL: url(of: DiskVariants.fileName), key: key, data: Data(), error: error))
        }
    }
}

extension DiskStorage.Config {
    fileprivate func variant(identifier: String, forcedExtension: String?) -> DiskVariants.Variant {
        let suffix = forcedExtension ?? pathExtension
        return DiskVariants.Variant(
            identifier: identifier, suffix: suffix == "" ? nil : suffix, isHashed: usesHashedFileName)
    }

    /// The names that a variant's file may have, whatever the configuration was when it was stored.
    fileprivate func fileNames(forKey key: String, of variant: DiskVariants.Variant) -> [String] {
        let computedKey = key.computedKey(with: variant.identifier)
        var config = self
        config.usesHashedFileName = variant.isHashed
        config.pathExtension = nil
        return [false, true].map { auto in
            config.autoExtAfterHashedFileName = auto
            return config.fileName(forKey: computedKey, forcedExtension: variant.suffix)
        }
    }
}
