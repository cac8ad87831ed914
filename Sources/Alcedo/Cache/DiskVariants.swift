import AlcedoLocks
import Foundation
import Glibc

/// Which kinds of entries a folder may hold for a key: what processors made of it, under which extensions.
///
/// A file's name is a hash, so a key's files can't be found by looking at the folder. But a program uses few processors
/// and extensions: the file `.alcedo-variants` has a line for each pair ever used, by any process. It begins with the
/// first one; an entry without a processor and an extension needs no line. It goes when the folder is cleared.
final class DiskVariants: Sendable {
    /// How the file of a key is named, but for the key.
    struct Variant: Hashable {
        let identifier: String

        /// The extension; nil for none, or one that comes from the key.
        let suffix: String?

        /// Whether the name is a hash.
        let isHashed: Bool

        static let original = Variant(identifier: "", suffix: nil, isHashed: true)
    }

    static let fileName = ".alcedo-variants"

    /// Most bytes of the file: ten thousand pairs or so.
    ///
    /// A pair beyond them is refused, and so not stored on disk.
    static let largestFile = 1 << 20

    private struct State {
        var descriptor: Int32 = -1
        var known: Set<Variant> = []

        /// A file that somebody has removed knows nothing.
        mutating func forgetRemovedFile() {
            var attributes = stat()
            guard descriptor >= 0, fstat(descriptor, &attributes) != 0 || attributes.st_nlink == 0 else {
                return
            }
            close(descriptor)
            self = State()
        }

        mutating func openFile(_ path: String) throws(POSIXError) {
            guard descriptor < 0 else { return }
            let flags = O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
            descriptor = open(path, flags, 0o600)
            guard descriptor >= 0 else { throw lastPOSIXError() }
            known = read(descriptor)
        }

        /// One write, so that what several processes write does not mix.
        mutating func append(_ variant: Variant) throws(POSIXError) {
            var attributes = stat()
            let line = variant.line
            guard fstat(descriptor, &attributes) == 0 else { throw lastPOSIXError() }
            guard attributes.isRegularFile else { throw POSIXError(.EINVAL) }
            guard attributes.st_size + line.count <= largestFile else { throw POSIXError(.EDQUOT) }
            let written = write(descriptor, line, line.count)
            guard written == line.count else { throw written < 0 ? lastPOSIXError() : POSIXError(.ENOSPC) }
            known.insert(variant)
        }
    }

    private let path: String
    private let state = Lock(State())

    init(folder: DiskFolder) {
        path = folder.path(of: Self.fileName)
    }

    deinit { state.withLock { if $0.descriptor >= 0 { close($0.descriptor) } } }

    /// Writes a variant down unless it has been; to be called before and after an entry of it is stored.
    ///
    /// - Throws: the reason why it can't be; then a later run of the program would not find the entry.
    func note(_ variant: Variant) throws(POSIXError) {
        guard variant != .original else { return }
        try state.withLock { state throws(POSIXError) in
            state.forgetRemovedFile()
            guard !state.known.contains(variant) else { return }
            try state.openFile(path)
            guard !state.known.contains(variant) else { return }
            try state.append(variant)
        }
    }

    /// All variants that an entry may have, those of other processes included, and that of an original.
    func all() -> Set<Variant> {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        let found = read(descriptor).union([.original])
        // Under the lock, for it grows in place (decision 0009).
        return state.withLock { found.union($0.known) }
    }

    /// Removes the file: there are no entries any more.
    func clear() {
        unlink(path)
    }
}

// MARK: - Lines

/// All variants that a file of lines names; none if it can't be read.
private func read(_ descriptor: Int32) -> Set<DiskVariants.Variant> {
    var attributes = stat()
    guard descriptor >= 0, fstat(descriptor, &attributes) == 0, attributes.isRegularFile else { return [] }
    var bytes = [UInt8](repeating: 0, count: min(attributes.st_size, DiskVariants.largestFile))
    let count = max(0, pread(descriptor, &bytes, bytes.count, 0))
    return Set(
        bytes[..<count].split(separator: UInt8(ascii: "\n")).compactMap(DiskVariants.Variant.init(line:)))
}

extension DiskVariants.Variant {
    /// `h` or `n` for a hashed name or not, a tab, the identifier, a tab, the extension.
    ///
    /// It begins with the end of a line, too: what a process that was killed has left of its own must not harm this one.
    fileprivate var line: [UInt8] {
        Array("\n\(isHashed ? "h" : "n")\t\(escaped(identifier))\t\(escaped(suffix ?? ""))\n".utf8)
    }

    /// Nil for a line that no variant has.
    fileprivate init?(line: ArraySlice<UInt8>) {
        let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
        guard fields.count == 3, ["h", "n"].contains(String(decoding: fields[0], as: UTF8.self)),
            let identifier = unescaped(fields[1]), let suffix = unescaped(fields[2])
        else { return nil }
        self.identifier = identifier
        self.suffix = suffix.isEmpty ? nil : suffix
        isHashed = fields[0].first == UInt8(ascii: "h")
    }
}

/// The text on one line: with control characters, `%` and whatever is not ASCII percent-encoded.
private func escaped(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: plain) ?? text
}

private func unescaped(_ bytes: ArraySlice<UInt8>) -> String? {
    String(validating: bytes, as: UTF8.self)?.removingPercentEncoding
}

private let plain = CharacterSet(charactersIn: " "..."~").subtracting(CharacterSet(charactersIn: "%"))
