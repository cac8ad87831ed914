/// The media types of an `Accept` header with their weights (RFC 9110, 12.4.2 and 12.5.1).
///
/// Ranges such as `*/*` don't count: browsers send them for formats that they can't show.
struct AcceptedTypes {
    private var weights: [String: Double] = [:]

    init(_ header: String) {
        for range in header.lowercased().utf8.unquotedParts(by: ",") {
            let parts = range.unquotedParts(by: ";")
            guard let type = parts.first?.trimmed, !type.isEmpty else { continue }
            var weight = 1.0
            for part in parts.dropFirst() where part.trimmed.hasPrefix("q=") {
                weight = Self.weight(String(part.trimmed.dropFirst(2)))
            }
            // The most that some range allows.
            weights[type] = max(weights[type] ?? 0, weight)
        }
    }

    /// From 0, for what is not accepted, to 1.
    subscript(type: String) -> Double { weights[type] ?? 0 }

    /// 0 for what is no weight.
    private static func weight(_ text: String) -> Double {
        guard text.utf8.count <= 5, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
            let weight = Double(text), weight <= 1
        else { return 0 }
        return weight
    }
}

extension BidirectionalCollection<UInt8> {
    /// The parts between separators that are not in quotes, in which a backslash escapes a quote (RFC 9110, 5.6.4).
    func unquotedParts(by separator: Unicode.Scalar) -> [SubSequence] {
        var (isQuoted, isEscaped) = (false, false)
        return split(omittingEmptySubsequences: false) { byte in
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && byte == UInt8(ascii: "\\") && !isEscaped
            return byte == UInt8(ascii: separator) && !isQuoted
        }
    }

    /// The text without white space around it.
    var trimmed: String {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let text = drop(while: isSpace)
        let end = text.lastIndex { !isSpace($0) }.map { text.index(after: $0) } ?? text.startIndex
        return String(decoding: text[..<end], as: UTF8.self)
    }
}
