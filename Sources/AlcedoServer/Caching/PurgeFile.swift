import AlcedoCaches
import Foundation
import Glibc

/// The file with the purges, in the folder of the disk cache, whose trims leave it alone.
///
/// It is an entry of no cache: a purge must not be forgotten before the results that it is about.
struct PurgeFile: Sendable {
    struct Failure: Error, Sendable {
        let reason: String

        fileprivate init(_ call: String) { reason = "\(call): \(String(cString: strerror(errno)))" }
        fileprivate init(reason: String) { self.reason = reason }
    }

    let path: String

    /// Hidden files are none of the cache's entries.
    init(folder: String) { path = folder + "/.alcedo-purges" }

    /// The purges; nil without a file.
    func read() throws(Failure) -> Purges.List? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw Failure("open")
        }
        let data: Data?
        do { data = try FileHandle(fileDescriptor: file, closeOnDealloc: true).readToEnd() } catch {
            throw Failure(reason: "\(error)")
        }
        guard let list = Purges.List(data: data ?? Data()) else { throw Failure(reason: "it is damaged") }
        return list
    }

    /// Replaces the purges by those that `change` makes of the present ones, under a lock that all processes respect.
    ///
    /// Returns once they are on the disk. Those that can't be read count as `lost`.
    func update(
        insteadOf lost: Purges.List, _ change: (Purges.List?) -> (list: Purges.List, generation: Int)
    ) throws(Failure) -> Int {
        // The file itself is replaced, and its lock with it.
        let lock = open(path + "-lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw Failure("open") }
        defer { close(lock) }
        // Without one on file systems that have none.
        while flock(lock, LOCK_EX) != 0, errno == EINTR {}
        defer { flock(lock, LOCK_UN) }
        let present: Purges.List?
        do { present = try read() } catch { present = lost }
        let (list, generation) = change(present)
        try write(list.data)
        return generation
    }

    private func write(_ data: Data) throws(Failure) {
        let staging = path + "-new"
        let file = open(staging, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Failure("open") }
        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: data)
            // Before the rename, so that a power cut leaves the old purges or the new ones.
            try handle.synchronize()
        } catch { throw Failure(reason: "\(error)") }
        guard rename(staging, path) == 0 else { throw Failure("rename") }
        let folder = open((path as NSString).deletingLastPathComponent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw Failure("open") }
        defer { close(folder) }
        // For the rename; some file systems have no such call for folders.
        guard fsync(folder) == 0 || errno == EINVAL else { throw Failure("fsync") }
    }
}
