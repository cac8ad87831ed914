import Foundation
import Glibc

/// An open folder; lists and removes files relative to it and never follows links.
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

    /// Calls `body` for every file and link, which it may remove.
    ///
    /// The name is valid only inside `body`. The attributes are nil if they can't be read. `vanished` gets the names and the
    /// inodes of files that were renamed or removed during the listing.
    func forEach(
        vanished: (UnsafePointer<CChar>, ino_t) -> Void, _ body: (UnsafePointer<CChar>, stat?) -> Void
    ) throws(ReadingFailed) {
        while true {
            DiskProgress.step()
            errno = 0
            guard let entry = readdir(stream) else {
                if errno == 0 { return }
                throw ReadingFailed(cause: lastPOSIXError())
            }
            // The record ends with its name, so a whole `dirent` must not be copied.
            guard entry.pointee.d_type != DT_DIR, let offset = MemoryLayout<dirent>.offset(of: \.d_name)
            else {
                continue
            }
            let name = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
            let attributes = attributes(ofPath: name, in: descriptor)
            // Some file systems don't tell the type in a listing.
            if attributes?.isDirectory == true { continue }
            if attributes == nil, errno == ENOENT {
                vanished(name, entry.pointee.d_ino)
            } else {
                body(name, attributes)
            }
        }
    }

    /// Removes a file or a link; false if that failed.
    @discardableResult
    func remove(_ name: UnsafePointer<CChar>) -> Bool {
        unlinkat(descriptor, name, 0) == 0 || errno == ENOENT
    }

    /// Removes a file if `shouldRemove` allows it; returns its bytes, or nil if it stays.
    func remove(_ name: UnsafePointer<CChar>, if shouldRemove: (stat) -> Bool) -> Int? {
        removeFile(name, aside: StagingName.next(bytes: 0), in: descriptor, if: shouldRemove)
    }
}

/// Removes a file if `shouldRemove` allows it, but no file that another process puts in its place meanwhile.
///
/// The file is renamed to `aside`, checked again, and renamed back if it should stay, unless a newer one has its name.
///
/// - Returns: the bytes removed; nil if nothing was.
func removeFile(
    _ name: UnsafePointer<CChar>, aside: UnsafePointer<CChar>, in folder: Int32 = AT_FDCWD,
    if shouldRemove: (stat) -> Bool
) -> Int? {
    guard let seen = attributes(ofPath: name, in: folder), shouldRemove(seen),
        renameat(folder, name, folder, aside) == 0
    else { return nil }
    if let taken = attributes(ofPath: aside, in: folder), shouldRemove(taken) {
        return unlinkat(folder, aside, 0) == 0 ? taken.st_size : nil
    }
    // Without hard links, a rename may replace the newer file.
    let isBack = linkat(folder, aside, folder, name, 0) == 0 || errno == EEXIST
    if isBack { unlinkat(folder, aside, 0) } else { renameat(folder, aside, folder, name) }
    return nil
}
