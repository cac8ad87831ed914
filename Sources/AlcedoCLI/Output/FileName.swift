/// File names from untrusted URLs.
enum FileName {
    /// File systems allow 255 bytes; the rest is for a number, an extension and the suffix of a staging file.
    private static let mostBytes = 200

    /// `text` as the name of a file, without its extension.
    ///
    /// Control characters, line breaks and direction overrides become `_`.
    static func stem(_ text: String) -> String {
        let scalars = text.unicodeScalars.filter { $0 != "/" }.map { isPlain($0) ? $0 : "_" }
        var stem = ""
        var count = 0
        for character in String(String.UnicodeScalarView(scalars)) {
            count += character.utf8.count
            guard count <= mostBytes else { break }
            stem.append(character)
        }
        return stem.isEmpty || stem == "." || stem == ".." ? "image" : stem
    }

    /// Whether `text` has control characters, such as a line break.
    static func hasControlCharacters(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    private static func isPlain(_ scalar: UnicodeScalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: !(0x202A...0x202E).contains(scalar.value) && !(0x2066...0x2069).contains(scalar.value)
        }
    }
}
