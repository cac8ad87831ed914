/// Parses `WWW-Authenticate` and `Proxy-Authenticate`: the scheme to use, and its realm.
///
/// One pass over arbitrary bytes. Invalid syntax ends the field; the challenges before it are used.
struct ChallengeParser {
    private var bytes: ArraySlice<UInt8>

    private init(_ field: String) { bytes = Array(field.utf8)[...] }

    /// The strongest supported scheme, the first of its kind; nil if there is none.
    static func best(of fields: [String]) -> (scheme: HTTPChallenge.Scheme, realm: String?)? {
        var best: (scheme: HTTPChallenge.Scheme, realm: String?)?
        for field in fields {
            var parser = ChallengeParser(field)
            parser.read { scheme, parameters in
                switch scheme {
                case "basic" where best == nil: best = (.basic, parameters["realm"])
                case "digest" where best?.scheme != .digest && isFeasible(parameters):
                    best = (.digest, parameters["realm"])
                default: break
                }
            }
        }
        return best
    }

    /// Whether libcurl supports the algorithm, and there is a nonce.
    private static func isFeasible(_ parameters: [String: String]) -> Bool {
        let algorithm = parameters["algorithm"]?.lowercased() ?? "md5"
        return parameters["nonce"] != nil
            && ["md5", "md5-sess", "sha-256", "sha-256-sess"].contains(algorithm)
    }

    // MARK: - RFC 9110, 11.6.1

    private mutating func read(_ report: (_ scheme: String, _ parameters: [String: String]) -> Void) {
        var scheme: String?
        var parameters: [String: String] = [:]
        func end() {
            if let scheme { report(scheme, parameters) }
        }
        while true {
            skip { $0.isBlank || $0 == UInt8(ascii: ",") }
            guard let name = token()?.lowercased() else { return end() }
            skip(\.isBlank)
            if scheme != nil, take(UInt8(ascii: "=")) {
                skip(\.isBlank)
                guard let value = take(UInt8(ascii: "\"")) ? quoted() : token() ?? "" else { return end() }
                if parameters[name] == nil { parameters[name] = value }
                // A token of 68 characters, which other schemes have, may end in more of these.
                skip { $0 == UInt8(ascii: "=") }
            } else {
                end()
                (scheme, parameters) = (name, [:])
            }
        }
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        while let first = bytes.first, isSkipped(first) { bytes.removeFirst() }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard bytes.first == byte else { return false }
        bytes.removeFirst()
        return true
    }

    private mutating func token() -> String? {
        let token = bytes.prefix { !$0.isBlank && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=") }
        guard !token.isEmpty else { return nil }
        bytes = bytes.dropFirst(token.count)
        return String(decoding: token, as: UTF8.self)
    }

    /// The rest of a quoted string, without its escapes; nil if it has no end.
    private mutating func quoted() -> String? {
        var text: [UInt8] = []
        while var byte = bytes.popFirst() {
            if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = bytes.popFirst() else { return nil }
                byte = escaped
            }
            text.append(byte)
        }
        return nil
    }
}
