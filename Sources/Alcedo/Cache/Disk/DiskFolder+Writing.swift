import Foundation
import Glibc

extension DiskFolder {
    enum WriteError: Error {
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
        guard close(descriptor) == 0 else { throw .content(lastPOSIXError()) }
        let replaced = try publish(staging, as: file)
        isPublished = true
        return replaced
    }

    private func publish(_ staging: String, as file: NewFile) throws(WriteError) -> Int {
        let target = path(of: file.name)
        guard file.replaces else {
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
    func fill(_ descriptor: Int32, with data: Data) throws(WriteError) {
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
