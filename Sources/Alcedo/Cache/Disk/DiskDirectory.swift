import Foundation
import Glibc

/// An open folder, whose files are listed, looked at and removed without going through paths again.
///
/// Links are never followed: what is removed is what lies in the folder.
struct DiskDirectory: ~Copyable {
    struct OpeningFailed: Error { let cause: POSIXError }
    struct ReadingFailed: Error { let cause: POSIXError }

    private let stream: OpaquePointer

    /// Opens the folder at `path`; nil if there is none.
    init?(path: String) throws(OpeningFailed) {
        guard let stream = opendir(path) else {
            if errno == ENOENT { return nil }
            throw OpeningFailed(cause: lastPOSIXError())
        }
        self.stream = stream
    }

    deinit { closedir(stream) }

    var descriptor: Int32 { dirfd(stream) }

    /// Calls `body` for everything in the folder but folders; it may remove what it is called with.
    ///
    /// The name is valid only inside `body`. The attributes are nil if they can't be read.
    func forEach(_ body: (UnsafePointer<CChar>, stat?) -> Void) throws(ReadingFailed) {
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno == 0 { return }
                throw ReadingFailed(cause: lastPOSIXError())
            }
            // The record is only as long as the name needs: it is never to be copied as a whole `dirent`.
            guard entry.pointee.d_type != DT_DIR, let offset = MemoryLayout<dirent>.offset(of: \.d_name)
            else {
                continue
            }
            let name = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
            let attributes = attributes(ofPath: name, in: descriptor)
            if attributes?.isDirectory == true { continue }
            if attributes == nil, errno == ENOENT { continue }
            body(name, attributes)
        }
    }

    /// Removes a file or a link; false if it is there still.
    @discardableResult
    func remove(_ name: UnsafePointer<CChar>) -> Bool {
        unlinkat(descriptor, name, 0) == 0 || errno == ENOENT
    }

    /// Removes a file if it still is as it should be; how many bytes that were, or nil if nothing was removed.
    func remove(_ name: UnsafePointer<CChar>, if isDoomed: (stat) -> Bool) -> Int? {
        removeFile(name, aside: TemporaryName.next(), in: descriptor, if: isDoomed)
    }
}

/// Removes a file if it is as it should be, and no other that takes its place meanwhile.
///
/// Between a look at a file and its removal another may get its name. So it is taken aside first: what has no name can't be
/// replaced. One that should not have been gets its name back, unless that is taken.
///
/// - Parameters:
///   - name: its name in the folder, or its path.
///   - aside: another, which nobody else uses.
///   - folder: the open folder.
///   - isDoomed: whether a file with these attributes is to go.
/// - Returns: how many bytes that were; nil if nothing was removed.
func removeFile(
    _ name: UnsafePointer<CChar>,
    aside: UnsafePointer<CChar>,
    in folder: Int32 = AT_FDCWD,
    if isDoomed: (stat) -> Bool
) -> Int? {
    guard let seen = attributes(ofPath: name, in: folder), isDoomed(seen),
        renameat(folder, name, folder, aside) == 0
    else { return nil }
    if let taken = attributes(ofPath: aside, in: folder), isDoomed(taken) {
        return unlinkat(folder, aside, 0) == 0 ? taken.st_size : nil
    }
    // Where files can't have two names, it may replace what has come.
    let isBack = linkat(folder, aside, folder, name, 0) == 0 || errno == EEXIST
    if isBack { unlinkat(folder, aside, 0) } else { renameat(folder, aside, folder, name) }
    return nil
}
