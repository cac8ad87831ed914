/// The schemes that need no network.
enum LocalScheme: String {
    case file
    case data

    /// The scheme of `url`; nil if it is not one of these.
    init?(of url: String) {
        guard let name = Self.name(in: url) else { return nil }
        self.init(rawValue: name)
    }

    /// Any scheme of `url`, in lower case; nil if it has none.
    static func name(in url: String) -> String? {
        let bytes = url.utf8.prefix(32)
        guard let colon = bytes.firstIndex(of: .colon), colon != bytes.startIndex else { return nil }
        return String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
    }
}
