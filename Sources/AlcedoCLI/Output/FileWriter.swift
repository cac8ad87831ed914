import Alcedo
import AlcedoConsole
import Foundation
import Glibc

/// Writes files whole or not at all.
enum FileWriter {
    /// Writes a file that does not exist yet: a staging file that gets its name once it is complete.
    ///
    /// - Throws: ``Failure``, also if anything has that name: a link to nowhere, or what another program has just created.
    static func create(_ data: Data, at path: String) throws(Failure) {
        try stage(data, for: path, mode: nil) { temporary in
            // Unlike rename, link replaces nothing.
            if link(temporary.systemBytes, path.systemBytes) == 0 {
                return unlink(temporary.systemBytes) == 0
            }
            guard [EPERM, ENOSYS, EOPNOTSUPP].contains(errno) else { return false }
            // FAT has no hard links: an empty file reserves the name.
            let reservation = open(path.systemBytes, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            guard reservation >= 0 else { return false }
            close(reservation)
            if rename(temporary.systemBytes, path.systemBytes) == 0 { return true }
            // `stage` reports the error of `rename`, which `unlink` may replace.
            let code = errno
            unlink(path.systemBytes)
            errno = code
            return false
        }
    }

    /// Writes a file, in place of one that exists; what is no regular file, such as a pipe, is written directly.
    ///
    /// Follows links; a replaced file keeps its mode.
    static func replace(_ data: Data, at name: String) throws(Failure) {
        let resolved = realpath(name.systemBytes, nil)
        defer { free(resolved) }
        let path = resolved.map { String(systemBytes: $0) } ?? name
        var status = stat()
        let exists = stat(path.systemBytes, &status) == 0
        if exists, status.st_mode & S_IFMT != S_IFREG { return try writeDirectly(data, to: path) }
        try stage(data, for: path, mode: exists ? status.st_mode & 0o7777 : nil) { temporary in
            rename(temporary.systemBytes, path.systemBytes) == 0
        }
    }

    /// Writes to standard output, wherever its position is in a file.
    static func print(_ data: Data) throws(Failure) {
        guard data.withUnsafeBytes({ Terminal.write($0, to: STDOUT_FILENO) }) else {
            throw failure("standard output")
        }
    }

    /// Writes a staging file in the folder of `path`, which is made if it is missing, and has `publish` name it.
    private static func stage(
        _ data: Data, for path: String, mode: mode_t?, publish: (String) -> Bool
    ) throws(Failure) {
        try FolderMaker.makeFolder(ofFileAt: path)
        let temporary = path + ".\(getpid()).part"
        let descriptor = open(temporary.systemBytes, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            // Only a process of the same number can have left it.
            guard errno != EEXIST else {
                throw Failure("\(temporary): it is a staging file of an earlier run; delete it")
            }
            throw failure(path)
        }
        // The umask restricts only the mode that `open` gets.
        if let mode { fchmod(descriptor, mode) }
        let isWritten = data.withUnsafeBytes { Terminal.write($0, to: descriptor) }
        let isClosed = close(descriptor) == 0
        guard isWritten, isClosed, publish(temporary) else {
            let failure = failure(path)
            unlink(temporary.systemBytes)
            throw failure
        }
    }

    private static func writeDirectly(_ data: Data, to path: String) throws(Failure) {
        let descriptor = open(path.systemBytes, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        guard data.withUnsafeBytes({ Terminal.write($0, to: descriptor) }) else { throw failure(path) }
    }

    private static func failure(_ path: String) -> Failure {
        if errno == EEXIST {
            return Failure(
                "\(path): it exists already; name it with -o, or replace existing files with --force")
        }
        return Failure("\(path): cannot be written (\(String(cString: strerror(errno))))")
    }
}
