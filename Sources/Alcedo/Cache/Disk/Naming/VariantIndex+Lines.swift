import Foundation

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

    /// Longest identifier that is recorded, in bytes; the variants of a longer one are listed without it.
    static let longestIdentifier = 2048
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
