package import Foundation

extension DiskStorage.Core {
    /// Stores what a processor made of a key's image, so that ``removeVariants(ofKey:)`` finds it.
    ///
    /// - Throws: as `store` does; `file` as well if the index can't be written.
    package func store(
        _ data: () throws -> Data,
        forKey key: String,
        identifier: String,
        expiration: StorageExpiration?,
        replaces: Bool,
        forcedExtension: String?
    ) throws(DiskStorage.Failure) {
        try checkReady()
        let computedKey = key.computedKey(with: identifier)
        let config = config
        guard !config.isDerivable(identifier: identifier, forcedExtension: forcedExtension) else {
            return try store(
                data, forKey: computedKey, expiration: expiration, replaces: replaces,
                forcedExtension: forcedExtension)
        }
        let name = config.fileName(forKey: computedKey, forcedExtension: forcedExtension)
        // An encrypted entry's processor is not for the disk either.
        let recorded = config.transform == nil ? identifier : nil
        let record = try indexing(key) { () throws(POSIXError) in
            try variants.add(name, ofKey: key, identifier: recorded)
        }
        try store(
            data, forKey: computedKey, expiration: expiration, replaces: replaces,
            forcedExtension: forcedExtension)
        try indexing(key) { () throws(POSIXError) in try variants.finish(record) }
    }

    /// Removes a key's original and all its variants, under all extensions.
    ///
    /// - Throws: `notReady`; a `POSIXError` if a file can't be removed, after the others have been.
    package func removeVariants(ofKey key: String) throws {
        try checkReady()
        let config = config
        var failure: POSIXError?
        for name in variants.names(ofKey: key).union(config.originalNames(ofKey: key)) {
            do throws(POSIXError) { try remove(named: name) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// Changes the index; once more if the folder was missing.
    private func indexing<Result: ~Copyable>(
        _ key: String,
        _ body: () throws(POSIXError) -> Result
    ) throws(DiskStorage.Failure) -> Result {
        do throws(POSIXError) {
            do throws(POSIXError) { return try body() } catch {
                guard error.code == .ENOENT else { throw error }
                try makeFolder(folder.path)
                return try body()
            }
        } catch {
            throw .file(name: VariantIndex.fileName(ofKey: key), data: Data(), error)
        }
    }
}

extension DiskStorage.Config {
    /// Whether an entry's name is one of ``originalNames(ofKey:)``.
    fileprivate func isDerivable(identifier: String, forcedExtension: String?) -> Bool {
        identifier.isEmpty && (forcedExtension ?? pathExtension ?? "").isEmpty
    }

    /// The names that a key's original may have under any configuration that gives it no extension, or this one.
    func originalNames(ofKey key: String) -> Set<String> {
        var names: Set<String> = []
        var config = self
        for isHashed in [true, false] {
            for hasExtension in [true, false] {
                config.usesHashedFileName = isHashed
                config.autoExtAfterHashedFileName = hasExtension
                config.pathExtension = nil
                names.insert(config.fileName(forKey: key, forcedExtension: nil))
                names.insert(config.fileName(forKey: key, forcedExtension: pathExtension))
            }
        }
        return names
    }
}
