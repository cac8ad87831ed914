import AlcedoConsole
import Foundation
import Glibc

/// Writes files whole or not at all.
enum FileWriter {
    /// Writes a staging file and renames it; other targets than regular files, such as pipes, are written directly.
    ///
    /// Creates missing folders. Follows links; a replaced file keeps its mode.
    static func write(_ data: Data, to name: String) throws(Failure) {
        let resolved = realpath(name, nil)
        defer { free(resolved) }
        let path = resolved.map { String(cString: $0) } ?? name
        var status = stat()
        let exists = stat(path, &status) == 0
        if exists, status.st_mode & S_IFMT != S_IFREG { return try writeDirectly(data, to: path) }
        try FolderMaker.makeFolder(ofFileAt: path)
        let temporary = path + ".\(getpid()).part"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw failure(path) }
        if exists { fchmod(descriptor, status.st_mode & 0o7777) }
        let isWritten = data.withUnsafeBytes { Terminal.write($0, to: descriptor) }
        let isClosed = close(descriptor) == 0
        guard isWritten, isClosed, rename(temporary, path) == 0 else {
            let failure = failure(path)
            unlink(temporary)
            throw failure
        }
    }

    private static func writeDirectly(_ data: Data, to path: String) throws(Failure) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        guard data.withUnsafeBytes({ Terminal.write($0, to: descriptor) }) else { throw failure(path) }
    }

    private static func failure(_ path: String) -> Failure {
        Failure("\(path): cannot be written (\(String(cString: strerror(errno))))")
    }
}
