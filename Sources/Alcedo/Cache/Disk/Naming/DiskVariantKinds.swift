import Foundation
import Glibc

/// The index of variants as it was before: a line for each pair of processor and extension ever used in a folder.
///
/// Folders that have such a file, `.alcedo-variants`, are served still; nothing is added to it. It goes when the folder is
/// cleared.
enum DiskVariantKinds {
    /// How the file of a key is named, but for the key.
    struct Kind: Hashable {
        let identifier: String

        /// The extension; nil for none, or one that comes from the key.
        let suffix: String?

        /// Whether the name is a hash.
        let isHashed: Bool
    }

    static let fileName = ".alcedo-variants"

    /// Most bytes of the file.
    static let largestFile = 1 << 20

    /// All kinds that the file of a folder names; none if it can't be read.
    static func all(in folder: DiskFolder) -> Set<Kind> {
        let descriptor = open(
            folder.path(of: fileName), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var attributes = stat()
        guard fstat(descriptor, &attributes) == 0, attributes.isRegularFile else { return [] }
        var bytes = [UInt8](repeating: 0, count: min(attributes.st_size, largestFile))
        let count = max(0, pread(descriptor, &bytes, bytes.count, 0))
        return Set(bytes[..<count].split(separator: UInt8(ascii: "\n")).compactMap(Kind.init(line:)))
    }
}

extension DiskVariantKinds.Kind {
    /// `h` or `n` for a hashed name or not, a tab, the identifier, a tab, the extension; nil for another line.
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
func escaped(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: plain) ?? text
}

func unescaped(_ bytes: ArraySlice<UInt8>) -> String? {
    String(validating: bytes, as: UTF8.self)?.removingPercentEncoding
}

private let plain = CharacterSet(charactersIn: " "..."~").subtracting(CharacterSet(charactersIn: "%"))
