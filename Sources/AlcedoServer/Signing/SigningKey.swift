/// A key and a salt that sign URLs.
package struct SigningKey: Sendable, Equatable {
    private let key: [UInt8]
    private let salt: [UInt8]

    package init(key: [UInt8], salt: [UInt8]) {
        self.key = key
        self.salt = salt
    }

    /// Reads keys and salts in hexadecimal, each list separated by commas; `names` are the settings', for errors.
    package static func pairs(
        keys: String, salts: String,
        names: (keys: String, salts: String) = ("IMGPROXY_KEY", "IMGPROXY_SALT")
    ) throws(SettingFailure) -> [SigningKey] {
        let keys = try bytes(of: keys, in: names.keys)
        let salts = try bytes(of: salts, in: names.salts)
        guard keys.count == salts.count else {
            throw SettingFailure(
                "\(names.keys) has \(keys.count) keys and \(names.salts) \(salts.count) salts; give each key a salt."
            )
        }
        return zip(keys, salts).map { SigningKey(key: $0, salt: $1) }
    }

    private static func bytes(of list: String, in name: String) throws(SettingFailure) -> [[UInt8]] {
        var all: [[UInt8]] = []
        let texts = Array(list.utf8).parts(by: UInt8(ascii: ","))
        guard texts.count > 1 || !texts[0].isEmpty else { return [] }
        for (index, text) in texts.enumerated() {
            guard let bytes = hexBytes(text), !bytes.isEmpty else {
                throw SettingFailure(
                    "\(name): entry \(index + 1) is not hexadecimal with two digits a byte; try `openssl rand -hex 32`."
                )
            }
            all.append(bytes)
        }
        return all
    }

    private static func hexBytes(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let digits = text.drop { $0 == 0x20 }.reversed().drop { $0 == 0x20 }.reversed().map(\.hexValue)
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// The signature of a path, which starts with `/`: the first `size` bytes of HMAC-SHA256 in Base64.
    ///
    /// `nil` if libcrypto fails.
    func signature(of path: some Collection<UInt8>, size: Int) -> [UInt8]? {
        MessageCode.code(of: salt + path, key: key).map { Base64URL.encoded($0.prefix(size)) }
    }
}
