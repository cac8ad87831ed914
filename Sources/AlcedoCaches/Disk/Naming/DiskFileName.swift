extension DiskStorage.Config {
    /// The name of the file for `key`: always one that stays in the folder and does not start with a dot.
    package func fileName(forKey key: String, forcedExtension: String?) -> String {
        let base = usesHashedFileName ? sha256Hex(key) : key
        let suffix =
            forcedExtension ?? pathExtension
            ?? (usesHashedFileName && autoExtAfterHashedFileName ? apparentExtension(of: key) : nil)
        guard let suffix, !suffix.isEmpty else { return usesHashedFileName ? base : safeName(base) }
        return safeName(base + "." + suffix)
    }
}

private let longestName = 255

/// The extension of the key's part before the processor's identifier.
private func apparentExtension(of key: String) -> String? {
    let resource = key.prefix { $0 != "@" }
    guard let dot = resource.lastIndex(of: ".") else { return nil }
    let suffix = resource[resource.index(after: dot)...]
    guard 1...20 ~= suffix.count, suffix.allSatisfy({ $0.isLetter || $0.isNumber }) else { return nil }
    return String(suffix)
}

private func safeName(_ name: String) -> String {
    var bytes: [UInt8] = []
    for byte in name.utf8 {
        switch byte {
        case UInt8(ascii: "%"), UInt8(ascii: "/"), 0: bytes.append(percentEncoding: byte)
        case UInt8(ascii: ".") where bytes.isEmpty: bytes.append(percentEncoding: byte)
        default: bytes.append(byte)
        }
    }
    return 1...longestName ~= bytes.count ? String(decoding: bytes, as: UTF8.self) : sha256Hex(name)
}

extension [UInt8] {
    fileprivate mutating func append(percentEncoding byte: UInt8) {
        let digits = Array("0123456789ABCDEF".utf8)
        self += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}
