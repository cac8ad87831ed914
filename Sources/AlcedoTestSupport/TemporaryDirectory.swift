package import Foundation

/// A new, empty folder that only this user can enter (0700); it goes away with the object.
package final class TemporaryDirectory: Sendable {
    /// Where it is; inside the system's folder for temporary files.
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

    /// A place inside; nothing is created there.
    package func file(_ name: String) -> URL { url.appendingPathComponent(name) }
}
