/// A header field that `--header` adds to requests.
struct HeaderField: Sendable {
    let name: String
    let value: String

    /// Parses `Name: value` (RFC 9110, section 5).
    ///
    /// - Throws: `UsageError`, without the text, which may be a credential.
    init(_ text: String) throws {
        guard !FileName.hasControlCharacters(text) else {
            throw UsageError(message: "--header takes 'Name: value' without control characters")
        }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.allSatisfy(Self.isTokenByte),
            !parts[1].trimmed.isEmpty
        else {
            throw UsageError(message: "--header takes 'Name: value', such as 'Accept-Language: de'")
        }
        name = String(parts[0])
        value = String(parts[1].trimmed)
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        let character = Character(UnicodeScalar(byte))
        return character.isASCII && (character.isLetter || character.isNumber)
            || "!#$%&'*+-.^_`|~".contains(character)
    }
}
