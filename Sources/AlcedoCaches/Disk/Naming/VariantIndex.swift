import AlcedoLocks
import CXXHash
import Foundation
import Glibc

/// The file names of a key's entries that can't be derived from the key: those with a processor or an extension.
///
/// The files `.alcedo-variants-00` to `-3f` have two lines for each such entry: the key's hash and the file's name, and the
/// same with the processor's identifier, which earlier versions ignore. All lines of a key are in one file. Any number of
/// processes append. A file that has doubled in size is rewritten without the lines whose entries are gone.
package final class VariantIndex: Sendable {
    /// A line whose entry is being stored; its shared lock keeps other processes from compacting the file.
    struct Record: ~Copyable {
        fileprivate let descriptor: Int32
        fileprivate let line: Line

        deinit { closeUnlocked(descriptor) }
    }

    /// How many files share the lines.
    static let shards: UInt64 = 64

    /// Bytes up to which a file is not compacted.
    static let smallFile = 1 << 14

    /// The index of an earlier format, whose entries can't be found.
    static let obsoleteFile = ".alcedo-variants"

    private let folder: DiskFolder

    private let lockWait: DiskLockWait

    /// The size from which each file is compacted.
    private let thresholds = Lock<[UInt64: Int]>([:])

    init(folder: DiskFolder, lockWait: DiskLockWait = .compaction) {
        (self.folder, self.lockWait) = (folder, lockWait)
    }

    /// The name of the file that has the lines of a key.
    static func fileName(ofKey key: String) -> String { fileName(of: hash(of: key)) }

    private static func fileName(of hash: UInt64) -> String {
        ".alcedo-variants-" + hexadecimal(hash % shards, digits: 2)
    }

    /// Appends a line; to be called before the entry is stored.
    ///
    /// - Throws: the reason why it can't be appended: a later removal would miss the entry. `EWOULDBLOCK` if a process
    ///   was stopped while it compacts the file.
    /// - Returns: what ``finish(_:)`` needs once the entry is stored.
    func add(_ name: String, ofKey key: String, identifier: String? = nil) throws(POSIXError) -> Record {
        let isRecorded = identifier.map { $0.utf8.count <= Self.longestIdentifier } == true
        return try add(
            Line(hash: Self.hash(of: key), name: name, identifier: isRecorded ? identifier : nil))
    }

    private func add(_ added: Line) throws(POSIXError) -> Record {
        let path = folder.path(of: Self.fileName(of: added.hash))
        var line = Line(hash: added.hash, name: added.name).bytes
        if added.identifier != nil { line += added.bytes }
        while true {
            let flags = O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
            let descriptor = open(path, flags, 0o600)
            guard descriptor >= 0 else { throw lastPOSIXError() }
            let record = Record(descriptor: descriptor, line: added)
            var attributes = stat()
            guard fstat(descriptor, &attributes) == 0 else { throw lastPOSIXError() }
            guard attributes.isRegularFile else { throw POSIXError(.EINVAL) }
            // A file system without locks has no compaction either.
            guard lockWait.lock(descriptor, LOCK_SH) != EWOULDBLOCK else { throw POSIXError(.EWOULDBLOCK) }
            if isReplaced(descriptor, path) { continue }
            // One write, so that lines of several processes don't mix.
            let written = write(descriptor, line, line.count)
            guard written == line.count else { throw written < 0 ? lastPOSIXError() : POSIXError(.ENOSPC) }
            return record
        }
    }

    /// Adds the lines again if the index was cleared since, and compacts the file if it is due.
    func finish(_ record: borrowing Record) throws(POSIXError) {
        let path = folder.path(of: Self.fileName(of: record.line.hash))
        guard !isReplaced(record.descriptor, path) else {
            _ = try add(record.line)
            return
        }
        let shard = record.line.hash % Self.shards
        let threshold = thresholds.withLock { $0[shard] ?? Self.smallFile }
        var attributes = stat()
        guard fstat(record.descriptor, &attributes) == 0, attributes.st_size > threshold,
            let size = compact(record.descriptor, path)
        else { return }
        thresholds.withLock { $0[shard] = max(Self.smallFile, 2 * size) }
    }

    /// The names of all entries ever added for a key; most of them may be gone.
    func names(ofKey key: String) -> Set<String> { Set(identifiers(ofKey: key).keys) }

    /// The names of all entries ever added for a key, with the identifiers of their processors as far as they are known.
    package func identifiers(ofKey key: String) -> [String: String?] {
        let hash = Self.hash(of: key)
        let path = folder.path(of: Self.fileName(of: hash))
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return [:] }
        defer { close(descriptor) }
        let own = lines(in: readAll(descriptor)).lazy.filter { $0.hash == hash }
        return Dictionary(own.map { ($0.name, $0.identifier) }) { $1 ?? $0 }
    }

    /// Removes the index of a folder that is being cleared.
    func clear() {
        for shard in 0..<Self.shards { unlink(folder.path(of: Self.fileName(of: shard))) }
    }

    private static func hash(of key: String) -> UInt64 {
        var key = key
        return key.withUTF8 { XXH3_64bits($0.baseAddress, $0.count) }
    }

    /// Rewrites a file without duplicates and without the lines whose entries are gone.
    ///
    /// - Returns: the new size; nil if another process uses the file, or it can't be rewritten.
    private func compact(_ descriptor: Int32, _ path: String) -> Int? {
        // Making a shared lock an exclusive one gives it up in between, when another process may compact the file.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, !isReplaced(descriptor, path) else { return nil }
        var seen: Set<Line> = []
        let kept = lines(in: readAll(descriptor)).filter { line in
            seen.insert(line).inserted && attributes(ofPath: folder.path(of: line.name)) != nil
        }
        let data = Data(kept.flatMap(\.bytes))
        guard let (staging, file) = try? folder.makeStagingFile(bytes: 0) else { return nil }
        defer { closeUnlocked(file) }
        guard (try? folder.fill(file, with: data)) != nil, rename(staging, path) == 0 else {
            unlink(staging)
            return nil
        }
        return data.count
    }
}

/// Whether the path of an open file is another file's, or no file's.
private func isReplaced(_ descriptor: Int32, _ path: String) -> Bool {
    var own = stat()
    guard fstat(descriptor, &own) == 0, let named = attributes(ofPath: path) else { return true }
    return own.st_ino != named.st_ino || own.st_dev != named.st_dev
}

/// All bytes of a file; none if it can't be read.
private func readAll(_ descriptor: Int32) -> [UInt8] {
    var attributes = stat()
    guard fstat(descriptor, &attributes) == 0, attributes.isRegularFile, attributes.st_size > 0 else {
        return []
    }
    return [UInt8](unsafeUninitializedCapacity: attributes.st_size) { buffer, count in
        while count < buffer.count {
            let step = pread(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count, count)
            if step > 0 { count += step } else if step == 0 || errno != EINTR { break }
        }
    }
}

extension VariantIndex {
    /// A line of the index.
    struct Line: Hashable {
        let hash: UInt64
        let name: String

        /// Nil in a line that removals read; such a line precedes each one with an identifier.
        var identifier: String?

        /// A newline, the key's hash, a tab, the escaped name, perhaps a tab and the escaped identifier, a newline.
        ///
        /// The first newline terminates the partial line of a killed process.
        var bytes: [UInt8] {
            let fields =
                [hexadecimal(hash, digits: 16), escaped(name)] + (identifier.map { [escaped($0)] } ?? [])
            return Array("\n\(fields.joined(separator: "\t"))\n".utf8)
        }
    }

    /// Longest identifier that is recorded, in bytes, so that the index stays small; the variants of a longer one are
    /// listed without it.
    private static let longestIdentifier = 2048
}

/// The valid lines in a file.
func lines(in bytes: [UInt8]) -> [VariantIndex.Line] {
    bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
        let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
        guard 2...3 ~= fields.count,
            let hash = UInt64(String(decoding: fields[0], as: UTF8.self), radix: 16),
            let name = unescaped(fields[1]), isEntryName(name)
        else { return nil }
        guard fields.count == 3 else { return VariantIndex.Line(hash: hash, name: name) }
        return unescaped(fields[2]).map { VariantIndex.Line(hash: hash, name: name, identifier: $0) }
    }
}

private func escaped(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: unescapedCharacters) ?? text
}

private func unescaped(_ field: ArraySlice<UInt8>) -> String? {
    String(validating: field, as: UTF8.self)?.removingPercentEncoding
}

/// Whether a name stays in the folder and is not hidden.
private func isEntryName(_ name: String) -> Bool {
    !name.isEmpty && !name.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") } && !name.hasPrefix(".")
}

func hexadecimal(_ number: UInt64, digits: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: digits - text.count) + text
}

/// Printable ASCII without the percent sign.
private let unescapedCharacters = CharacterSet(charactersIn: " "..."~")
    .subtracting(CharacterSet(charactersIn: "%"))
