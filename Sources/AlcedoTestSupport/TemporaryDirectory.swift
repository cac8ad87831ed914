package import Foundation

/// A new, empty folder with mode 0700; `deinit` removes it.
package final class TemporaryDirectory: Sendable {
    package let url: URL

    /// Creates a folder in the system's temporary folder.
    package convenience init() throws { try self.init(in: FileManager.default.temporaryDirectory) }

    /// Creates a folder that never hangs together with those in the temporary folder, whatever is mounted there.
    package static func inMemory() throws -> TemporaryDirectory {
        try TemporaryDirectory(in: URL(fileURLWithPath: "/dev/shm"))
    }

    private init(in parent: URL) throws {
        let template = parent.appendingPathComponent("alcedo-XXXXXX").path
        var bytes = template.utf8CString.map { $0 }
        guard mkdtemp(&bytes) != nil else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        let path = String(decoding: bytes.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        url = URL(fileURLWithPath: path, isDirectory: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The folder's path, without a slash at the end.
    package var path: String { url.path }

    /// Moves a file to a name that is not UTF-8, `before` with the byte 0xFF and `after`, and returns its URL.
    package func renameToBytes(_ file: URL, _ before: String, _ after: String) throws -> URL {
        let target = Array("\(path)/\(before)".utf8) + [0xFF] + Array(after.utf8) + [0]
        let encoded = after.replacing(" ", with: "%20")
        let status = target.withUnsafeBytes { bytes in
            bytes.bindMemory(to: CChar.self).baseAddress.map { rename(file.path, $0) }
        }
        guard status == 0, let url = URL(string: "file://\(path)/\(before)%FF\(encoded)") else {
            throw CocoaError(.fileWriteUnknown)
        }
        return url
    }

    /// The URL of a file inside; does not create it.
    package func file(_ name: String) -> URL { url.appendingPathComponent(name) }
}
