/// Characters that are written as references or in base64.
enum SVGCharacters {
    /// An attribute's value as a program sees it: references resolved, no white space at the ends.
    static func decoded(_ raw: [UInt8]) -> [UInt8] { trimmed(resolved(raw)[...]) }

    /// Text with its references resolved.
    static func resolved(_ raw: [UInt8]) -> [UInt8] {
        guard raw.contains(UInt8(ascii: "&")) else { return raw }
        var result: [UInt8] = []
        var index = 0
        while index < raw.count {
            // A number may start with any number of zeros.
            if raw[index] == UInt8(ascii: "&"),
                let end = raw[(index + 1)...].firstIndex(where: { !isReference($0) }),
                raw[end] == UInt8(ascii: ";"),
                let scalar = scalar(String(decoding: raw[(index + 1)..<end], as: UTF8.self))
            {
                result += Array(String(scalar).utf8)
                index = end + 1
            } else {
                result.append(raw[index])
                index += 1
            }
        }
        return result
    }

    /// The same text as XML has it, in an element or between quotation marks.
    static func escaped(_ text: some Collection<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        for byte in text {
            switch byte {
            case UInt8(ascii: "&"): result += "&amp;".utf8
            case UInt8(ascii: "<"): result += "&lt;".utf8
            case UInt8(ascii: ">"): result += "&gt;".utf8
            case UInt8(ascii: "\""): result += "&quot;".utf8
            default: result.append(byte)
            }
        }
        return result
    }

    private static func isReference(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "#"), 48...57, 65...90, 97...122: true
        default: false
        }
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let start: Int = bytes.firstIndex { $0 > 32 } ?? bytes.endIndex
        let end: Int = bytes.lastIndex { $0 > 32 }.map { $0 + 1 } ?? start
        return Array(bytes[start..<max(start, end)])
    }

    private static func scalar(_ name: String) -> Unicode.Scalar? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard name.hasPrefix("#") else { return nil }
            let isHexadecimal = name.hasPrefix("#x")
            let digits = name.dropFirst(isHexadecimal ? 2 : 1)
            return UInt32(digits, radix: isHexadecimal ? 16 : 10).flatMap { Unicode.Scalar($0) }
        }
    }

    // MARK: - Data URLs

    /// The bytes after the comma of a `data:` URL; nil if they are not well-formed.
    static func payload(ofDataURL url: [UInt8]) -> [UInt8]? {
        guard let comma = url.firstIndex(of: UInt8(ascii: ",")) else { return nil }
        let header = String(decoding: url[..<comma], as: UTF8.self).lowercased()
        let plain = unescaped(url[(comma + 1)...])
        return header.hasSuffix(";base64") ? fromBase64(plain) : plain
    }

    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        guard bytes.contains(UInt8(ascii: "%")) else { return Array(bytes) }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.endIndex,
                let upper = nibble(bytes[index + 1]), let lower = nibble(bytes[index + 2])
            {
                result.append(upper << 4 | lower)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    private static func nibble(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 48...57: digit - 48
        case 65...70, 97...102: (digit | 32) - 87
        default: nil
        }
    }

    private static let digits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static let values: [UInt32?] = {
        var values = [UInt32?](repeating: nil, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt32(value) }
        return values
    }()

    private static func fromBase64(_ text: [UInt8]) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(text.count / 4 * 3)
        var (bits, count): (UInt32, Int) = (0, 0)
        for byte in text where !SVGScanner.isSpace(byte) {
            if byte == UInt8(ascii: "=") { break }
            guard let value = values[Int(byte)] else { return nil }
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                result.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return result
    }

    static func base64(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let bits = part.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - part.count))
            for place in 0..<4 {
                let digit = digits[Int(bits >> UInt32(18 - 6 * place)) & 63]
                result.append(place <= part.count ? digit : UInt8(ascii: "="))
            }
        }
        return result
    }
}
