import AlcedoCodecs
import Foundation
import Glibc

extension DiskStorage {
    /// A key's entry.
    struct Variant {
        let name: String

        /// Nil if it is not known, or if the present configuration names such an entry otherwise.
        let identifier: String?

        /// The extension that a lookup needs.
        let forcedExtension: String?

        /// Bytes.
        let size: Int

        /// Nil for never.
        let expiry: Date?

        /// Nil unless the file starts with the headers of an image.
        let pixelSize: PixelSize?
    }
}

extension DiskStorage.Backend {
    /// A key's original and all its variants that have not expired, in no order; reads their headers, and touches none.
    func variants(ofKey key: String, isolation: DecodeIsolation) -> [DiskStorage.Variant] {
        guard isReady else { return [] }
        let (config, now) = (config, now())
        var identifiers = variants.identifiers(ofKey: key)
        for name in config.originalNames(ofKey: key) { identifiers[name] = "" }
        return identifiers.compactMap { name, identifier in
            guard identifier != ResponseRecord.identifier,
                let file = attributes(ofPath: folder.path(of: name)), file.isRegularFile,
                !file.stamp.isPast(at: now)
            else { return nil }
            // Keys with equal hashes share lines; a name of another key's entry does not match.
            let lookup = identifier.flatMap { config.lookup(of: name, forKey: key.computedKey(with: $0)) }
            return DiskStorage.Variant(
                name: name, identifier: lookup == nil ? nil : identifier,
                forcedExtension: lookup?.forcedExtension, size: file.st_size,
                expiry: file.stamp == .never
                    ? nil : Date(timeIntervalSince1970: TimeInterval(file.stamp.expiry)),
                pixelSize: folder.pixelSize(ofImage: name, bytes: file.st_size, isolation))
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

/// Bytes of a file's start that are read for its headers.
private let headerBytes = 64 << 10

extension DiskFolder {
    /// The upright size of an image, from the start of its file; nil if that has no complete headers.
    fileprivate func pixelSize(ofImage name: String, bytes: Int, _ isolation: DecodeIsolation) -> PixelSize? {
        // With a capacity of 0 the initialiser below writes to the array that all empty ones share.
        guard bytes > 0 else { return nil }
        let path = path(of: name)
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        var descriptor = open(path, flags | noAccessTime)
        if descriptor < 0, errno == EPERM { descriptor = open(path, flags) }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let start = [UInt8](unsafeUninitializedCapacity: min(bytes, headerBytes)) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        let limits = DecodeLimits(isolation: isolation)
        let info = try? DecodeResources().codecs.info(of: start.span.bytes, limits: limits)
        return info?.uprightSize
    }
}
