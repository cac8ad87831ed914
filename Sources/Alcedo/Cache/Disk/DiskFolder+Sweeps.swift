import Foundation
import Glibc

extension DiskFolder {
    enum SweepError: Error {
        case opening(POSIXError)
        case reading(POSIXError)

        var cause: POSIXError {
            switch self {
            case .opening(let cause), .reading(let cause): cause
            }
        }
    }

    /// Calls `body` with the name and the attributes of each entry: each regular file without a leading dot.
    ///
    /// - Throws: ``SweepError`` if the folder can't be listed.
    func forEachEntry(_ body: (UnsafePointer<CChar>, stat) -> Void) throws(SweepError) {
        guard let directory = try openDirectory() else { return }
        try forEach(in: directory) { name, attributes in
            if let attributes, attributes.isRegularFile, !isHidden(name) { body(name, attributes) }
        }
    }

    /// Removes entries, and the staging files of killed processes.
    ///
    /// - Parameters:
    ///   - now: the time.
    ///   - shouldRemove: whether to remove an entry; those with unreadable attributes are always removed.
    ///   - isStillRemovable: the same for a file that may have replaced it; by default `shouldRemove`.
    ///   - removed: gets the name and the size of each entry removed.
    ///   - kept: gets the attributes of each other entry.
    ///   - staging: gets the inode and the bytes of each staging file in use, and of one that has just become an entry.
    /// - Throws: ``SweepError`` if the folder can't be listed.
    func sweep(
        at now: Date,
        removing shouldRemove: (stat) -> Bool,
        ifStill isStillRemovable: ((stat) -> Bool)? = nil,
        removed: (UnsafePointer<CChar>, Int) -> Void = { _, _ in },
        kept: (stat) -> Void = { _ in },
        staging: (ino_t, Int) -> Void = { _, _ in }
    ) throws(SweepError) {
        guard let directory = try openDirectory() else { return }
        // A staging file that vanishes has become an entry, which this listing may have missed.
        func vanished(_ name: UnsafePointer<CChar>, _ number: ino_t) {
            staging(number, StagingName.bytes(in: name))
        }
        try forEach(in: directory, vanished: vanished) { name, attributes in
            guard let attributes else {
                directory.remove(name)
                return
            }
            if isHidden(name) {
                let found = StagingName.removeIfAbandoned(
                    name, in: directory.descriptor, attributes: attributes, at: now)
                if case .written(let bytes) = found { staging(attributes.st_ino, bytes) }
            } else if attributes.isRegularFile {
                guard shouldRemove(attributes) else { return kept(attributes) }
                let size = publishing {
                    withoutActuallyEscaping(shouldRemove) {
                        directory.remove(name, if: isStillRemovable ?? $0)
                    }
                }
                if let size { removed(name, size) } else { kept(attributes) }
            }
        }
    }

    /// Evicts the entries up to the cutoff, and calls `removed` with the name and the size of each.
    ///
    /// Entries stored or read since the cutoff was computed stay, so two processes may evict at once.
    ///
    /// - Throws: ``SweepError`` if the folder can't be listed.
    func evict(
        _ cutoff: EvictionOrder.Cutoff, at now: Date, removed: (UnsafePointer<CChar>, Int) -> Void
    ) throws(SweepError) {
        var remaining = cutoff
        try sweep(
            at: now, removing: { remaining.take($0) }, ifStill: { cutoff.isReached($0) }, removed: removed)
    }

    /// Removes all entries and links, and abandoned staging files; returns how many were removed and how many could not be.
    @discardableResult
    func removeAll(at now: Date) throws(SweepError) -> (removed: Int, left: Int) {
        guard let directory = try openDirectory() else { return (0, 0) }
        var (removed, left) = (0, 0)
        try forEach(in: directory) { name, attributes in
            guard isHidden(name) else {
                if directory.remove(name) { removed += 1 } else { left += 1 }
                return
            }
            if let attributes {
                _ = StagingName.removeIfAbandoned(
                    name, in: directory.descriptor, attributes: attributes, at: now)
            }
        }
        return (removed, left)
    }

    private func isHidden(_ name: UnsafePointer<CChar>) -> Bool {
        name.pointee == CChar(bitPattern: UInt8(ascii: "."))
    }

    private func openDirectory() throws(SweepError) -> DiskDirectory? {
        do throws(DiskDirectory.OpeningFailed) { return try DiskDirectory(path: path) } catch {
            throw .opening(error.cause)
        }
    }

    private func forEach(
        in directory: borrowing DiskDirectory,
        vanished: (UnsafePointer<CChar>, ino_t) -> Void = { _, _ in },
        _ body: (UnsafePointer<CChar>, stat?) -> Void
    ) throws(SweepError) {
        do throws(DiskDirectory.ReadingFailed) { try directory.forEach(vanished: vanished, body) } catch {
            throw .reading(error.cause)
        }
    }
}
