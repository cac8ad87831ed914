import Foundation
import Glibc

/// The files of a folder that changes while it is listed.
///
/// One listing is not a snapshot: it can show an evicted file beside the one that replaced it, and a file before and after
/// its rename. A file that two successive listings show under one name and inode existed between them, with the smaller of
/// both sizes, because a file that is being written grows.
public struct FolderListing {
    private var files: [String: (inode: ino_t, bytes: Int)] = [:]

    /// Lists the regular files, hidden ones too.
    public init(of folder: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            var attributes = stat()
            guard lstat("\(folder)/\(name)", &attributes) == 0, attributes.st_mode & S_IFMT == S_IFREG
            else { continue }
            files[name] = (attributes.st_ino, attributes.st_size)
        }
    }

    /// The bytes of all files at the moment between an earlier listing and this one.
    public func bytes(since earlier: FolderListing) -> Int {
        files.reduce(0) { total, file in
            guard let before = earlier.files[file.key], before.inode == file.value.inode else { return total }
            return total + min(before.bytes, file.value.bytes)
        }
    }
}
