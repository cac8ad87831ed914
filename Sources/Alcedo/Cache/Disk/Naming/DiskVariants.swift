import AlcedoLocks
import CXXHash
import Foundation
import Glibc

/// Which files of a folder belong to a key, besides the one of the bare original: an index for removing them.
///
/// A file's name is a hash, so a key's files can't be found by looking at the folder. The files `.alcedo-variants-00` to
/// `-3f` have a line for each entry that was made by a processor or has an extension: the key's hash and the entry's name.
/// All lines of a key are in the same file. A line is appended before the entry is stored, by any number of processes.
/// What has become of the entries shows when a file has grown to twice its size: then it is written anew without the lines
/// of those that are gone. See the decision record on variants.
final class DiskVariants: Sendable {
    /// A line that was written down, and the open file that it is in.
    struct Note: ~Copyable {
        fileprivate let descriptor: Int32
        fileprivate let name: String
        fileprivate let hash: UInt64

        deinit { close(descriptor) }
    }

    /// Over how many files the lines are spread, so that a removal reads few that it does not want.
    static let shards: UInt64 = 64

    /// Bytes of a file that is never written anew.
    static let smallFile = 1 << 14

    /// What the name of a file ends with that is just being written anew, until the new one has all lines.
    static let previous = ".old"

    private let folder: DiskFolder

    /// At which size a file is written anew.
    private let sizes = Lock<[UInt64: Int]>([:])

    init(folder: DiskFolder) {
        self.folder = folder
    }

    /// The name of the file that has the lines of a key.
    static func fileName(ofKey key: String) -> String { fileName(of: hash(of: key)) }

    private static func fileName(of hash: UInt64) -> String {
        ".alcedo-variants-" + hexadecimal(hash % shards, digits: 2)
    }

    /// Writes down that a file belongs to a key; to be called before the file is stored.
    ///
    /// - Throws: the reason why it can't be; then a later removal would not find the file.
    /// - Returns: what ``confirm(_:)`` is to be called with when the file is stored.
    func note(_ name: String, ofKey key: String) throws(POSIXError) -> Note {
        try note(name, Self.hash(of: key))
    }

    private func note(_ name: String, _ hash: UInt64) throws(POSIXError) -> Note {
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = open(folder.path(of: Self.fileName(of: hash)), flags, 0o600)
        guard descriptor >= 0 else { throw lastPOSIXError() }
        let note = Note(descriptor: descriptor, name: name, hash: hash)
        var attributes = stat()
        guard fstat(descriptor, &attributes) == 0 else { throw lastPOSIXError() }
        guard attributes.isRegularFile else { throw POSIXError(.EINVAL) }
        // One write, so that what several processes write does not mix.
        let line = line(of: name, hash)
        let written = write(descriptor, line, line.count)
        guard written == line.count else { throw written < 0 ? lastPOSIXError() : POSIXError(.ENOSPC) }
        return note
    }

    /// Writes a stored file down again if the line has been lost meanwhile, and tidies up when it is time.
    func confirm(_ note: borrowing Note) throws(POSIXError) {
        let path = folder.path(of: Self.fileName(of: note.hash))
        // It has been removed, or written anew by somebody who may not have seen the entry.
        if isReplaced(note.descriptor, path) { return try confirm(self.note(note.name, note.hash)) }
        let shard = note.hash % Self.shards
        var attributes = stat()
        let limit = sizes.withLock { $0[shard] ?? Self.smallFile }
        guard fstat(note.descriptor, &attributes) == 0, attributes.st_size > limit else { return }
        let size = compact(path) ?? attributes.st_size
        sizes.withLock { $0[shard] = max(Self.smallFile, 2 * size) }
    }

    /// The names of all files that were noted for a key; most of them may be gone.
    func names(ofKey key: String) -> Set<String> {
        let hash = Self.hash(of: key)
        let path = folder.path(of: Self.fileName(of: hash))
        let current = openToRead(path)
        defer { close(current) }
        // In this order: as long as the current file may lack lines, the one before it is there.
        let previous = openToRead(path + Self.previous)
        defer { close(previous) }
        return Set(lines(in: read(previous) + read(current)).lazy.filter { $0.hash == hash }.map(\.name))
    }

    /// Removes the index: there are no entries any more.
    func clear() {
        unlink(folder.path(of: DiskVariantKinds.fileName))
        for shard in 0..<Self.shards {
            let path = folder.path(of: Self.fileName(of: shard))
            unlink(path)
            unlink(path + Self.previous)
        }
    }

    private static func hash(of key: String) -> UInt64 {
        var key = key
        return key.withUTF8 { XXH3_64bits($0.baseAddress, $0.count) }
    }
}

// MARK: - Writing a file anew

extension DiskVariants {
    /// Leaves out the lines whose files are gone, and those that are there twice.
    ///
    /// Nobody waits for it. Who appends to the old file meanwhile finds that its name is another's now, and appends to the new
    /// one. What was appended before is taken over, and so are entries that were stored since they were looked for.
    ///
    /// - Returns: the new size; nil where another is at it, or it can't be done.
    private func compact(_ path: String) -> Int? {
        let old = open(path, O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard old >= 0 else { return nil }
        defer { close(old) }
        let previous = path + Self.previous
        guard flock(old, LOCK_EX | LOCK_NB) == 0, !isReplaced(old, path), takeOver(previous, to: old),
            // Some file systems have no links; without a name it has been cleared.
            link(path, previous) == 0 || errno != EEXIST && errno != ENOENT
        else { return nil }
        let bytes = read(old)
        var seen: Set<String> = []
        var all = lines(in: bytes).filter { seen.insert("\($0.hash) \($0.name)").inserted }
        let stored = all.partition { isStored($0.name) }
        let data = text(of: all[stored...])
        // It is locked, so that nobody writes this one anew before it has all lines.
        guard let (temporary, descriptor) = try? folder.makeTemporary() else { return nil }
        defer { close(descriptor) }
        guard (try? folder.fill(descriptor, with: data)) != nil,
            // From then on others append to it as well.
            fcntl(descriptor, F_SETFL, O_APPEND) == 0, rename(temporary, path) == 0
        else {
            unlink(temporary)
            return nil
        }
        let rest = read(old, from: bytes.count) + text(of: all[..<stored].filter { isStored($0.name) })
        guard (try? folder.fill(descriptor, with: Data(rest))) != nil else { return nil }
        unlink(previous)
        return data.count + rest.count
    }

    /// Appends the lines of a file that was left by a process that was killed, or had no room, and removes it.
    private func takeOver(_ left: String, to descriptor: Int32) -> Bool {
        let previous = openToRead(left)
        guard previous >= 0 else { return true }
        defer { close(previous) }
        // It may be this very file, if the new one did not get its name.
        guard
            !isReplaced(descriptor, left) || (try? folder.fill(descriptor, with: Data(read(previous)))) != nil
        else { return false }
        return unlink(left) == 0
    }

    private func isStored(_ name: String) -> Bool { attributes(ofPath: folder.path(of: name)) != nil }
}

private func openToRead(_ path: String) -> Int32 {
    open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
}

/// Whether another file, or none, has the name that an open one had.
private func isReplaced(_ descriptor: Int32, _ path: String) -> Bool {
    var own = stat()
    guard fstat(descriptor, &own) == 0, let named = attributes(ofPath: path) else { return true }
    return own.st_ino != named.st_ino || own.st_dev != named.st_dev
}

// MARK: - Lines

/// The key's hash, a tab, and the name.
///
/// It begins with the end of a line, too: what a process that was killed has left of its own must not harm this one.
private func line(of name: String, _ hash: UInt64) -> [UInt8] {
    Array("\n\(hexadecimal(hash, digits: 16))\t\(escaped(name))\n".utf8)
}

private func text(of lines: ArraySlice<(hash: UInt64, name: String)>) -> Data {
    Data(lines.flatMap { line(of: $0.name, $0.hash) })
}

/// What makes sense of the lines in a file.
private func lines(in bytes: [UInt8]) -> [(hash: UInt64, name: String)] {
    bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
        let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
        guard fields.count == 2, let hash = UInt64(String(decoding: fields[0], as: UTF8.self), radix: 16),
            let name = unescaped(fields[1]), isEntryName(name)
        else { return nil }
        return (hash, name)
    }
}

/// Whether an entry may be called so: it lies in the folder, and is not hidden.
private func isEntryName(_ name: String) -> Bool {
    !name.isEmpty && !name.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") } && !name.hasPrefix(".")
}

/// All bytes of a file from `start` on; none if it can't be read.
private func read(_ descriptor: Int32, from start: Int = 0) -> [UInt8] {
    var attributes = stat()
    guard fstat(descriptor, &attributes) == 0, attributes.isRegularFile, attributes.st_size > start else {
        return []
    }
    return [UInt8](unsafeUninitializedCapacity: attributes.st_size - start) { buffer, count in
        while count < buffer.count {
            let step = pread(
                descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count, start + count)
            if step > 0 { count += step } else if step == 0 || errno != EINTR { break }
        }
    }
}

private func hexadecimal(_ number: UInt64, digits: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: digits - text.count) + text
}
