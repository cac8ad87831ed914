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
            let attributes = attributes(of: name)
            if attributes?.isDirectory == true { continue }
            if attributes == nil, errno == ENOENT { continue }
            body(name, attributes)
        }
    }

    func attributes(of name: UnsafePointer<CChar>) -> stat? {
        var attributes = stat()
        return fstatat(dirfd(stream), name, &attributes, AT_SYMLINK_NOFOLLOW) == 0 ? attributes : nil
    }

    /// Removes a file or a link; false if it is there still.
    @discardableResult
    func remove(_ name: UnsafePointer<CChar>) -> Bool {
        unlinkat(dirfd(stream), name, 0) == 0 || errno == ENOENT
    }
}

/// What a folder holds, kept small: the names are one buffer.
struct DiskListing {
    struct Entry {
        fileprivate let name: Int
        let size: Int
        let modified: timespec
        let accessed: timespec
        let inode: UInt
    }

    private var names: [CChar] = []
    private(set) var entries: [Entry] = []

    /// The sum of all sizes, in bytes.
    private(set) var totalSize = 0

    init() {}

    mutating func append(_ name: UnsafePointer<CChar>, _ attributes: stat) {
        entries.append(
            Entry(
                name: names.count,
                size: attributes.st_size,
                modified: attributes.st_mtim,
                accessed: attributes.st_atim,
                inode: attributes.st_ino
            )
        )
        names.append(contentsOf: UnsafeBufferPointer(start: name, count: strlen(name) + 1))
        totalSize += attributes.st_size
    }

    func withName<Result>(of entry: Entry, _ body: (UnsafePointer<CChar>) -> Result) -> Result? {
        names.withUnsafeBufferPointer { names in names.baseAddress.map { body($0 + entry.name) } }
    }

    /// Removes an entry unless it was stored, read or removed since it was listed.
    func remove(_ entry: Entry, from directory: borrowing DiskDirectory) -> String? {
        withName(of: entry) { name in
            guard let now = directory.attributes(of: name), now.st_ino == entry.inode,
                now.st_mtim == entry.modified, now.st_atim == entry.accessed, directory.remove(name)
            else { return nil }
            return String(cString: name)
        } ?? nil
    }

    mutating func sortByAccess() {
        entries.sort { $0.accessed < $1.accessed }
    }
}

extension timespec {
    fileprivate static func == (left: timespec, right: timespec) -> Bool {
        left.tv_sec == right.tv_sec && left.tv_nsec == right.tv_nsec
    }

    fileprivate static func < (left: timespec, right: timespec) -> Bool {
        (left.tv_sec, left.tv_nsec) < (right.tv_sec, right.tv_nsec)
    }
}
