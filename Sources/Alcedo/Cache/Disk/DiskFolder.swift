import AlcedoLocks
import Foundation
import Glibc

/// The folder of a disk cache, by system calls.
struct DiskFolder: Sendable {
    /// Its path, without a slash at the end.
    let path: String

    private let publishLock = PublishLock()

    private final class PublishLock: Sendable {
        let lock = Lock(())
    }

    init(path: String) { self.path = path }

    /// Serialises publishing a file with checking and removing one, within this process.
    ///
    /// For other processes see ``removeFile(_:aside:in:if:)``.
    func publishing<Result: Sendable>(_ body: () -> Result) -> Result {
        publishLock.lock.withLock { _ in body() }
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

/// The most that one system call reads or writes.
let largestFile = 0x7fff_f000

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
