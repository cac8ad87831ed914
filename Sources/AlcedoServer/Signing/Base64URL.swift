/// Base64 with `-` and `_` (RFC 4648, section 5), without padding.
enum Base64URL {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static let values: [UInt8] = {
        var values = [UInt8](repeating: .max, count: 256)
        for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    static func encoded(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var letters: [UInt8] = []
        var pending: UInt32 = 0
        var bits: UInt32 = 0
        for byte in bytes {
            pending = pending << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                letters.append(alphabet[Int(pending >> bits & 63)])
            }
        }
        if bits > 0 { letters.append(alphabet[Int(pending << (6 - bits) & 63)]) }
        return letters
    }

    /// The bytes, or `nil` if a letter is foreign or one is left over.
    static func decoded(_ letters: some Collection<UInt8>) -> [UInt8]? {
        guard letters.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(letters.count * 3 / 4)
        var pending: UInt32 = 0
        var bits: UInt32 = 0
        for letter in letters {
            let value = values[Int(letter)]
            guard value < 64 else { return nil }
            pending = pending << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> bits))
            }
        }
        return bytes
    }
}
