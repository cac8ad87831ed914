package import Foundation

/// A new, empty folder with mode 0700; `deinit` removes it.
package final class TemporaryDirectory: Sendable {
    /// The folder's URL, inside the system's temporary folder.
    package let url: URL

    package init() throws {
        let template = FileManager.default.temporaryDirectory.appendingPathComponent("alcedo-XXXXXX").path
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

    /// The URL of a file inside; does not create it.
    package func file(_ name: String) -> URL { url.appendingPathComponent(name) }
}
