import AlcedoLocks
package import Foundation
import Glibc

/// The system calls of a disk cache.
package struct DiskFolder: Sendable {
    /// Without a trailing slash.
    package let path: String

    private let publishLock = PublishLock()

    private final class PublishLock: Sendable {
        let lock = Lock(())
    }

    package init(path: String) { self.path = path }

    /// Serialises renames and conditional removals within this process; ``removeFile(_:aside:in:if:)`` handles others.
    func publishing<Result: Sendable>(_ body: () -> Result) -> Result {
        publishLock.lock.withLock { _ in body() }
    }

    package func path(of name: String) -> String {
        var (path, name) = (path, name)
        let count = path.utf8.count
        // Appending strings takes twice the instructions: a tenth of a miss's.
        return String(unsafeUninitializedCapacity: count + 1 + name.utf8.count) { whole in
            path.withUTF8 { _ = whole.update(fromContentsOf: $0) }
            whole[count] = UInt8(ascii: "/")
            name.withUTF8 { _ = whole[(count + 1)...].update(fromContentsOf: $0) }
            return whole.count
        }
    }
}

/// The largest count of one `read` or `write` (`MAX_RW_COUNT`).
let largestFile = 0x7fff_f000

// MARK: - Reading

extension DiskFolder {
    /// A file's bytes, and its attributes before the read.
    struct Content {
        let data: Data
        let attributes: stat
        let verdict: EntryChecksum.Verdict
    }

    enum ReadError: Error {
        case attributes(POSIXError)
        case content(POSIXError)
        /// The checksum does not match.
        case damaged(stat)
    }

    /// Reads a file, and writes its access time and new stamp; nil if there is none.
    ///
    /// `extending` returns the time and the new stamp, or nil to read nothing.
    ///
    /// - Throws: ``ReadError``, also for a link, a pipe or a folder.
    func read(
        _ name: String, extending: (stat) -> (now: Date, stamp: DiskStamp)?
    ) throws(ReadError) -> Content? {
        let path = path(of: name)
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        // The access time is written below; only the owner of a file may keep the kernel from writing it.
        // Passing the `String` itself to C would copy it.
        let descriptor = path.withCString { path in
            let descriptor = open(path, flags | noAccessTime)
            return descriptor < 0 && errno == EPERM ? open(path, flags) : descriptor
        }
        guard descriptor >= 0 else {
            let error = lastPOSIXError()
            // A file in a folder without search permission counts as missing.
            if error.code == .ENOENT || AlcedoCaches.attributes(ofPath: path) == nil { return nil }
            throw .content(error)
        }
        defer { close(descriptor) }
        var attributes = stat()
        guard fstat(descriptor, &attributes) == 0 else { throw .attributes(lastPOSIXError()) }
        guard attributes.isRegularFile else {
            throw .content(POSIXError(attributes.isDirectory ? .EISDIR : .EINVAL))
        }
        guard let (now, stamp) = extending(attributes) else { return nil }
        let data: Data
        do throws(POSIXError) { data = try bytes(of: descriptor, count: attributes.st_size) } catch {
            throw .content(error)
        }
        let verdict = EntryChecksum.verdict(on: data, in: descriptor, name: name)
        if verdict == .damaged { throw .damaged(attributes) }
        let accessed = timespec(read: now)
        if stamp != attributes.stamp || !accessed.isAbout(attributes.st_atim) {
            futimens(descriptor, [accessed, stamp == attributes.stamp ? omittedTime : stamp.time])
        }
        return Content(data: data, attributes: attributes, verdict: verdict)
    }

    private func bytes(of descriptor: Int32, count: Int) throws(POSIXError) -> Data {
        guard count > 0 else { return Data() }
        guard count <= largestFile else { throw POSIXError(.EFBIG) }
        guard let buffer = malloc(count) else { throw POSIXError(.ENOMEM) }
        var filled = 0
        while filled < count {
            let step = Glibc.read(descriptor, buffer + filled, count - filled)
            if step == 0 { break }
            if step > 0 {
                filled += step
            } else if errno != EINTR {
                let error = lastPOSIXError()
                free(buffer)
                throw error
            }
        }
        return Data(bytesNoCopy: buffer, count: filled, deallocator: .free)
    }
}

extension DiskFolder {
    package enum SweepError: Error {
        case opening(POSIXError)
        case reading(POSIXError)

        package var cause: POSIXError {
            switch self {
            case .opening(let cause), .reading(let cause): cause
            }
        }
    }

    /// Calls `body` with the name and the attributes of each entry: each regular file without a leading dot.
    ///
    /// - Throws: ``SweepError`` if the folder can't be listed.
    package func forEachEntry(_ body: (UnsafePointer<CChar>, stat) -> Void) throws(SweepError) {
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

extension DiskFolder {
    package enum WriteError: Error {
        case content(POSIXError)
        case times(POSIXError)
        case overQuota
    }

    /// Writes a staging file and renames it, so that a reader sees the whole entry or none.
    ///
    /// - Parameters:
    ///   - file: the entry.
    ///   - reserve: reserves quota once the staging file exists, so that a listing sees it; gets the file's descriptor;
    ///     false throws `overQuota`.
    /// - Throws: ``WriteError``; then nothing has changed.
    /// - Returns: the bytes of the file that it replaced.
    func write(_ file: NewFile, reserve: (Int32) -> Bool) throws(WriteError) -> Int {
        guard file.data.count <= largestFile else { throw .content(POSIXError(.EFBIG)) }
        let (staging, descriptor) = try makeStagingFile(bytes: file.data.count)
        DiskProgress.step()
        // `close` reports errors, and must not release the lock before the rename.
        let lock = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        defer { if lock >= 0 { close(lock) } }
        var isPublished = false
        defer { if !isPublished { unlink(staging) } }
        do throws(WriteError) {
            guard reserve(descriptor) else { throw .overQuota }
            try fill(descriptor, with: file.data)
            do throws(POSIXError) {
                try EntryChecksum(of: file.data, name: file.name).write(to: descriptor)
            } catch {
                throw .content(error)
            }
            let times = [timespec(stored: file.accessed), file.stamp.time]
            guard futimens(descriptor, times) == 0 else { throw .times(lastPOSIXError()) }
        } catch {
            close(descriptor)
            throw error
        }
        // Without fsync: a file that a power cut has emptied fails its checksum, and is loaded again (decision 0008).
        guard close(descriptor) == 0 else { throw .content(lastPOSIXError()) }
        let replaced = try publish(staging, as: file)
        isPublished = true
        return replaced
    }

    private func publish(_ staging: String, as file: NewFile) throws(WriteError) -> Int {
        let target = path(of: file.name)
        guard file.replaces else {
            // Unlike a rename, a link fails if the name is taken.
            guard link(staging, target) == 0 else { throw .content(lastPOSIXError()) }
            unlink(staging)
            return 0
        }
        let result = publishing { () -> Result<Int, POSIXError> in
            let replaced = attributes(ofPath: target)
            guard rename(staging, target) == 0 else { return .failure(lastPOSIXError()) }
            return .success(replaced.map { $0.isRegularFile ? $0.st_size : 0 } ?? 0)
        }
        do throws(POSIXError) { return try result.get() } catch { throw .content(error) }
    }

    /// Creates and locks a staging file; other processes remove it if this one dies.
    func makeStagingFile(bytes: Int) throws(WriteError) -> (path: String, descriptor: Int32) {
        while true {
            let path = path(of: StagingName.next(bytes: bytes))
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                // A container with the same process IDs may share the folder.
                if errno == EEXIST { continue }
                throw .content(lastPOSIXError())
            }
            // A sweep may hold the lock for a moment, or remove the file if its clock is far ahead.
            let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
            var attributes = stat()
            if isLocked, fstat(descriptor, &attributes) != 0 || attributes.st_nlink > 0 {
                return (path, descriptor)
            }
            close(descriptor)
            unlink(path)
        }
    }

    /// The most bytes of a call, so that a slow disk is seen to get on.
    private static let pieceSize = 1 << 20

    /// Writes all bytes, across short writes and interrupts.
    package func fill(_ descriptor: Int32, with data: Data) throws(WriteError) {
        let error = data.withUnsafeBytes { bytes -> POSIXError? in
            guard let base = bytes.baseAddress else { return nil }
            var written = 0
            while written < bytes.count {
                let step = Glibc.write(descriptor, base + written, min(bytes.count - written, Self.pieceSize))
                if step >= 0 {
                    written += step
                    DiskProgress.step()
                } else if errno != EINTR {
                    return lastPOSIXError()
                }
            }
            return nil
        }
        if let error { throw .content(error) }
    }

    /// Removes a file or a link if `shouldRemove` allows it, and returns its bytes; a missing one is no error.
    @discardableResult
    func remove(_ name: String, if shouldRemove: ((stat) -> Bool)? = nil) throws(POSIXError) -> Int {
        DiskProgress.step()
        let path = path(of: name)
        if let shouldRemove {
            let aside = self.path(of: StagingName.next(bytes: 0))
            return publishing { removeFile(path, aside: aside, if: shouldRemove) } ?? 0
        }
        guard let file = attributes(ofPath: path) else { return 0 }
        guard unlink(path) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return 0 }
            throw lastPOSIXError()
        }
        return file.isRegularFile ? file.st_size : 0
    }
}
