/// Text of a URL as bytes, which needn't be UTF-8.
extension Collection<UInt8> where SubSequence == ArraySlice<UInt8>, Index == Int {
    /// The parts between occurrences of `separator`; as many as there are occurrences, plus one.
    func parts(by separator: UInt8) -> [ArraySlice<UInt8>] {
        split(separator: separator, omittingEmptySubsequences: false)
    }

    /// The parts between occurrences of `separator`, which isn't empty.
    func parts(by separator: [UInt8]) -> [ArraySlice<UInt8>] {
        if separator.count == 1, let only = separator.first { return parts(by: only) }
        var parts: [ArraySlice<UInt8>] = []
        var rest = self[startIndex..<endIndex]
        while let start = rest.firstIndex(of: separator) {
            parts.append(rest[..<start])
            rest = rest[(start + separator.count)...]
        }
        return parts + [rest]
    }

    /// The index of the first `sequence`.
    func firstIndex(of sequence: [UInt8]) -> Int? {
        guard let first = sequence.first else { return nil }
        var rest = self[startIndex..<endIndex]
        while let start = rest.firstIndex(of: first) {
            if rest[start...].starts(with: sequence) { return start }
            rest = rest[(start + 1)...]
        }
        return nil
    }

    /// The text, with U+FFFD for what isn't UTF-8.
    var text: String { String(decoding: self, as: UTF8.self) }

    /// The text, or `nil` if it isn't UTF-8.
    var exactText: String? { String(validating: self, as: UTF8.self) }

    /// The bytes with each `%XX` decoded; `nil` if a `%` isn't followed by two hexadecimal digits.
    var percentDecoded: [UInt8]? { percentDecoded(isStrict: true) }

    /// The bytes with each `%XX` decoded; other `%` stay.
    var percentDecodedWherePossible: [UInt8] { percentDecoded(isStrict: false) ?? Array(self) }

    private func percentDecoded(isStrict: Bool) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(count)
        var index = startIndex
        while index < endIndex {
            let byte = self[index]
            index += 1
            guard byte == .percent else {
                decoded.append(byte)
                continue
            }
            if endIndex - index >= 2, let high = self[index].hexValue, let low = self[index + 1].hexValue {
                decoded.append(high << 4 | low)
                index += 2
            } else if isStrict {
                return nil
            } else {
                decoded.append(byte)
            }
        }
        return decoded
    }

    /// The bytes with `%XX` for each that `isKept` rejects.
    func percentEncoded(keeping isKept: (UInt8) -> Bool) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(count)
        for byte in self {
            if isKept(byte) {
                encoded.append(byte)
            } else {
                encoded += [.percent, .hexDigit(byte >> 4), .hexDigit(byte & 15)]
            }
        }
        return encoded
    }
}

extension UInt8 {
    static let slash = UInt8(ascii: "/")
    static let percent = UInt8(ascii: "%")
    static let colon = UInt8(ascii: ":")
    static let dot = UInt8(ascii: ".")

    var isControl: Bool { self < 0x20 || self == 0x7f }

    var isLetter: Bool { (0x61...0x7a).contains(self | 0x20) }

    var isDigit: Bool { (0x30...0x39).contains(self) }

    /// In lower case if it is an ASCII letter.
    var asciiLowercased: UInt8 { (0x41...0x5a).contains(self) ? self | 0x20 : self }

    /// The value of a hexadecimal digit.
    var hexValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x37
        case 0x61...0x66: self - 0x57
        default: nil
        }
    }

    /// The upper-case digit of a value below 16.
    static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? value + 0x30 : value + 0x37 }
}
