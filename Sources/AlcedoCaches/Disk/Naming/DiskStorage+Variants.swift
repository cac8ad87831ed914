package import Foundation
import Glibc

extension DiskStorage.Core {
    /// Stores what a processor created from a key's image, so that ``removeVariants(ofKey:)`` finds it.
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
    fileprivate func originalNames(ofKey key: String) -> Set<String> {
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

extension DiskStorage {
    /// A key's entry.
    package struct Variant {
        package let name: String

        /// Nil if it is not known, or if the present configuration names such an entry otherwise.
        package let identifier: String?

        /// The extension that a lookup needs.
        package let forcedExtension: String?

        /// Bytes.
        package let size: Int

        /// Nil for never.
        package let expiry: Date?
    }
}

extension DiskStorage.Core {
    /// A key's original and all its variants that have not expired, in no order and without one; touches none.
    package func variants(ofKey key: String, except omitted: String) -> [DiskStorage.Variant] {
        guard isReady else { return [] }
        let (config, now) = (config, now())
        var identifiers = variants.identifiers(ofKey: key)
        for name in config.originalNames(ofKey: key) { identifiers[name] = "" }
        return identifiers.compactMap { name, identifier in
            guard identifier != omitted,
                let file = attributes(ofPath: folder.path(of: name)), file.isRegularFile,
                !file.stamp.isPast(at: now)
            else { return nil }
            // Keys with equal hashes share lines; a name of another key's entry does not match.
            let lookup = identifier.flatMap { config.lookup(of: name, forKey: key.computedKey(with: $0)) }
            return DiskStorage.Variant(
                name: name, identifier: lookup == nil ? nil : identifier,
                forcedExtension: lookup?.forcedExtension, size: file.st_size,
                expiry: file.stamp == .never
                    ? nil : Date(timeIntervalSince1970: TimeInterval(file.stamp.expiry)))
        }
    }
}

extension DiskStorage.Config {
    /// A lookup's parameter.
    fileprivate struct Lookup {
        let forcedExtension: String?
    }

    /// The lookup of a key that finds the file `name`; nil if none does.
    fileprivate func lookup(of name: String, forKey computedKey: String) -> Lookup? {
        if fileName(forKey: computedKey, forcedExtension: nil) == name { return Lookup(forcedExtension: nil) }
        let base = fileName(forKey: computedKey, forcedExtension: "")
        if base == name { return Lookup(forcedExtension: "") }
        let suffix = String(name.dropFirst(base.count + 1))
        let isName = fileName(forKey: computedKey, forcedExtension: suffix) == name
        return isName ? Lookup(forcedExtension: suffix) : nil
    }
}

extension DiskStorage.Core {
    /// Bytes of a file's start that are read for its headers.
    private static var headerBytes: Int { 64 << 10 }

    /// The first 64 KiB of a variant's file, which it does not touch; nil if they can't be read.
    package func start(of variant: DiskStorage.Variant) -> [UInt8]? {
        // With a capacity of 0 the initialiser below writes to the array that all empty ones share.
        guard variant.size > 0 else { return nil }
        let path = folder.path(of: variant.name)
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        var descriptor = open(path, flags | noAccessTime)
        if descriptor < 0, errno == EPERM { descriptor = open(path, flags) }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let capacity = min(variant.size, Self.headerBytes)
        return [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
        }
    }
}
