import Foundation

/// A newline, the key's hash, a tab, the escaped name, a newline.
///
/// The first newline terminates the partial line of a killed process.
func line(of name: String, _ hash: UInt64) -> [UInt8] {
    let escaped = name.addingPercentEncoding(withAllowedCharacters: unescapedCharacters) ?? name
    return Array("\n\(hexadecimal(hash, digits: 16))\t\(escaped)\n".utf8)
}

/// The valid lines in a file.
func lines(in bytes: [UInt8]) -> [(hash: UInt64, name: String)] {
    bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
        let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
        guard fields.count == 2, let hash = UInt64(String(decoding: fields[0], as: UTF8.self), radix: 16),
            let name = String(validating: fields[1], as: UTF8.self)?.removingPercentEncoding,
            isEntryName(name)
        else { return nil }
        return (hash, name)
    }
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
