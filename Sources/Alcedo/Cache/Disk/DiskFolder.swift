import AlcedoLocks
import Foundation
import Glibc
import Synchronization

/// The folder of a disk cache, by system calls: whole files in, whole files out.
struct DiskFolder: Sendable {
    /// Its path, without a slash at the end.
    let path: String

    /// Held while a file gets its name, and while one is looked at and then removed.
    ///
    /// So this process never misses what it has stored. What others do meanwhile is ``removeFile(_:aside:in:if:)``'s concern.
    let naming = Naming()

    final class Naming: Sendable {
        private let lock = Lock(())

        func callAsFunction<Result>(_ body: () -> Result) -> Result where Result: Sendable {
            lock.withLock { _ in body() }
        }
    }

    func path(of name: String) -> String {
        var whole = ""
        whole.reserveCapacity(path.utf8.count + 1 + name.utf8.count)
        whole += path
        whole += "/"
        whole += name
        return whole
    }
}

// MARK: - Reading

extension DiskFolder {
    /// What a file held, and what identified it.
    struct Content {
        let data: Data
        let attributes: stat
        let verdict: EntryChecksum.Verdict
    }

    enum ReadError: Error {
        case attributes(POSIXError)
        case content(POSIXError)
        /// The bytes are not those that were written under this name.
        case damaged(stat)
    }

    /// The file's bytes; nil if there is none that this process can see, or it is not to be read.
    ///
    /// Only a regular file is read: a link, a pipe or a folder in its place is an error.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - now: the time of the access, which is written down.
    ///   - extending: the new stamp of a file with these attributes; nil if it is not to be read.
    /// - Throws: ``ReadError``.
    /// - Returns: its bytes, and its attributes as they were.
    func read(
        _ name: String,
        at now: Date,
        extending: (stat) -> DiskStamp?
    ) throws(ReadError) -> Content? {
        let path = path(of: name)
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        // A `String` that is passed to C as it is would be copied first.
        let descriptor = path.withCString { path in
            let descriptor = open(path, flags | noAccessTime)
            return descriptor < 0 && errno == EPERM ? open(path, flags) : descriptor
        }
        guard descriptor >= 0 else {
            let error = lastPOSIXError()
            // What can't be seen, as in a folder that can't be entered, is not there.
            if error.code == .ENOENT || Alcedo.attributes(ofPath: path) == nil { return nil }
            throw .content(error)
        }
        defer { close(descriptor) }
        var attributes = stat()
        guard fstat(descriptor, &attributes) == 0 else { throw .attributes(lastPOSIXError()) }
        guard attributes.isRegularFile else {
            throw .content(POSIXError(attributes.isDirectory ? .EISDIR : .EINVAL))
        }
        guard let stamp = extending(attributes) else { return nil }
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

// MARK: - Writing

extension DiskFolder {
    enum WriteError: Error {
        case content(POSIXError)
        case times(POSIXError)
    }

    /// Writes a file under another name and then gives it its own, so that a reader sees all of it or none.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - ledger: where the bytes of the file whose place it takes are counted, if they are.
    /// - Throws: ``WriteError``; then nothing has changed.
    func write(_ file: NewFile, ledger: DiskLedger? = nil) throws(WriteError) {
        guard file.data.count <= largestFile else { throw .content(POSIXError(.EFBIG)) }
        let (temporary, descriptor) = try makeTemporary()
        // Closing tells of errors, and must not give up the lock before the file has its name.
        let lock = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        defer { if lock >= 0 { close(lock) } }
        var isPublished = false
        defer { if !isPublished { unlink(temporary) } }
        do throws(WriteError) {
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
        guard close(descriptor) == 0 else { throw .content(lastPOSIXError()) }
        do throws(POSIXError) {
            try publish(temporary, as: file, ledger: ledger)
            isPublished = true
        } catch {
            throw .content(error)
        }
    }

    /// Where a file is replaced, replacing it and counting it out is one step, so that the latter happens only once.
    private func publish(
        _ temporary: String,
        as file: NewFile,
        ledger: DiskLedger?
    ) throws(POSIXError) {
        let place = path(of: file.name)
        let rename = { naming { Glibc.rename(temporary, place) == 0 ? nil : lastPOSIXError() } }
        guard file.replaces else {
            guard link(temporary, place) == 0 else { throw lastPOSIXError() }
            unlink(temporary)
            return
        }
        guard let ledger, attributes(ofPath: place) != nil else {
            if let error = rename() { throw error }
            return
        }
        try ledger.withAccount { account throws(POSIXError) in
            let replaced = attributes(ofPath: place)
            if let error = rename() { throw error }
            if let replaced, replaced.isRegularFile { account.remove(replaced.st_size) }
        }
    }

    /// Removes a file or a link; that there is none is no error.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - ledger: where its bytes are counted, if they are.
    ///   - isDoomed: whether it is still the one to be removed; nil if it is in any case.
    /// - Throws: the reason why it can't be removed.
    /// - Returns: how many bytes that were; nil if nothing was removed.
    @discardableResult
    func remove(
        _ name: String,
        ledger: DiskLedger?,
        if isDoomed: ((stat) -> Bool)? = nil
    ) throws(POSIXError) -> Int? {
        let path = path(of: name)
        func removeNow() throws(POSIXError) -> Int? {
            if let isDoomed {
                return naming { removeFile(path, aside: self.path(of: TemporaryName.next()), if: isDoomed) }
            }
            guard let file = attributes(ofPath: path) else { return nil }
            guard unlink(path) == 0 else {
                if errno == ENOENT || errno == ENOTDIR { return nil }
                throw lastPOSIXError()
            }
            return file.isRegularFile ? file.st_size : 0
        }
        guard let ledger else { return try removeNow() }
        return try ledger.withAccount { account throws(POSIXError) in
            let removed = try removeNow()
            account.remove(removed ?? 0)
            return removed
        }
    }

    /// Makes a file that nobody takes for an entry, and that is removed by others once this process is gone.
    func makeTemporary() throws(WriteError) -> (path: String, descriptor: Int32) {
        while true {
            let path = path(of: TemporaryName.next())
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                // Another container, with process numbers of its own, may share the folder.
                if errno == EEXIST { continue }
                throw .content(lastPOSIXError())
            }
            // Who can lock it knows that its process is gone. Who has looked just now has the lock, and we need another.
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK { return (path, descriptor) }
            close(descriptor)
            unlink(path)
        }
    }

    func fill(_ descriptor: Int32, with data: Data) throws(WriteError) {
        let error = data.withUnsafeBytes { bytes -> POSIXError? in
            guard let base = bytes.baseAddress else { return nil }
            var written = 0
            while written < bytes.count {
                let step = Glibc.write(descriptor, base + written, bytes.count - written)
                if step >= 0 {
                    written += step
                } else if errno != EINTR {
                    return lastPOSIXError()
                }
            }
            return nil
        }
        if let error { throw .content(error) }
    }
}

/// The most that one system call reads or writes.
private let largestFile = 0x7fff_f000

// MARK: - Names of files that are being written

/// `.alcedo-<process>-<number>`: no entry's name starts with a dot.
enum TemporaryName {
    private static let prefix = ".alcedo-"
    private static let counter = Atomic(0)
    private static let process = getpid()

    static func next() -> String {
        let number = counter.add(1, ordering: .relaxed).newValue
        return "\(prefix)\(process)-\(number)"
    }

    /// Whether a temporary file is nobody's any more: nobody holds its lock.
    ///
    /// One that is empty may not have been locked yet. Then, and where files can't be locked, its process must be gone, or it
    /// has not changed for an hour; a minute's grace is for those of another container, which only seem to be gone.
    static func isAbandoned(
        _ name: UnsafePointer<CChar>,
        in folder: Int32,
        attributes: stat,
        at now: Date
    ) -> Bool {
        let text = String(cString: name)
        guard text.hasPrefix(prefix), let number = process(of: text) else { return false }
        let age = now.timeIntervalSince1970 - Double(attributes.st_ctim.tv_sec)
        let descriptor = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        if descriptor >= 0 {
            var locked = stat()
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
                if fstat(descriptor, &locked) == 0, locked.st_size > 0 { return true }
            } else if errno == EWOULDBLOCK {
                return false
            }
        }
        return age > 3600 || age > 60 && (number <= 0 || kill(number, 0) != 0 && errno == ESRCH)
    }
    /// Nil for other hidden files of a cache.
    private static func process(of name: String) -> pid_t? {
        pid_t(name.dropFirst(prefix.count).prefix { $0 != "-" })
    }
}
