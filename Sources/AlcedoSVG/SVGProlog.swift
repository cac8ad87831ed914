/// The prolog of an XML file.
enum SVGProlog {
    /// Whether the first element of `text` is `svg`, with or without a prefix.
    static func endsInSVG(_ text: [UInt8]) -> Bool {
        var scanner = SVGScanner(text)
        scanner.skipSpace()
        guard scanner.peek == UInt8(ascii: "<") else { return false }
        while true {
            scanner.skipSpace()
            if scanner.take("<?") {
                guard scanner.skip(past: "?>") else { return false }
            } else if scanner.take("<!--") {
                guard scanner.skip(past: "-->") else { return false }
            } else if scanner.take("<!DOCTYPE") {
                guard (try? scanner.doctype()) != nil else { return false }
            } else {
                guard scanner.take("<") else { return false }
                return local(scanner.name()) == "svg"
            }
        }
    }

    /// The encoding that the XML declaration names, lower case.
    static func encoding(of text: [UInt8]) -> String? {
        var scanner = SVGScanner(text)
        guard scanner.take("<?xml") else { return nil }
        while true {
            scanner.skipSpace()
            let name = scanner.name()
            guard !name.isEmpty, let value = scanner.attributeValue() else { return nil }
            if name == "encoding" { return String(decoding: value, as: UTF8.self).lowercased() }
        }
    }

    /// A name without its prefix.
    static func local(_ name: String) -> String {
        name.split(separator: ":", omittingEmptySubsequences: false).last.map(String.init) ?? name
    }
}
