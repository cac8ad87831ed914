import AlcedoLocks
import Foundation
import Glibc

/// The system calls of a disk cache.
struct DiskFolder: Sendable {
    /// Without a trailing slash.
    let path: String

    private let publishLock = PublishLock()

    private final class PublishLock: Sendable {
        let lock = Lock(())
    }

    init(path: String) { self.path = path }

    /// Serialises renames and conditional removals within this process; ``removeFile(_:aside:in:if:)`` handles others.
    func publishing<Result: Sendable>(_ body: () -> Result) -> Result {
        publishLock.lock.withLock { _ in body() }
    }

    func path(of name: String) -> String {
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
        // Passing the `String` itself to C would copy it.
        let descriptor = path.withCString { path in
            let descriptor = open(path, flags | noAccessTime)
            return descriptor < 0 && errno == EPERM ? open(path, flags) : descriptor
        }
        guard descriptor >= 0 else {
            let error = lastPOSIXError()
            // A file in a folder without search permission counts as missing.
            if error.code == .ENOENT || Alcedo.attributes(ofPath: path) == nil { return nil }
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
