import AlcedoPixels

/// Builds URLs that a server with the same settings accepts.
package struct URLSigner: Sendable {
    private let rules: URLRules

    package init(rules: URLRules) { self.rules = rules }

    /// How the source is written.
    package enum Form: String, Sendable, CaseIterable {
        case plain
        case base64
    }

    /// The path of a URL, with prefix and signature; `unsafe` is the signature without a key.
    ///
    /// Checks the form only; read the result as an ``ImageURL`` to check the options. `options` are as in URLs,
    /// such as `rs:fill:300:200/q:80`, or names of presets with `ONLY_PRESETS`; they may be empty. `format` is the
    /// extension at the end.
    package func url(
        options: String, source: String, form: Form = .plain, format: String? = nil
    ) throws(URLFailure) -> String {
        guard !source.isEmpty else { throw URLFailure(.invalidURL, "the source is empty") }
        if let format, EncodedFormat(urlName: format) == nil {
            throw URLFailure(.invalidURL, "“\(format)” is not a format")
        }
        var path = Array("/".utf8)
        for option in try segments(of: options) { path += option + [.slash] }
        let source = Array(source.utf8)
        switch form {
        case .plain:
            path += "plain/".utf8 + Self.escaped(source)
            if let format { path += "@\(format)".utf8 }
        case .base64:
            path += Base64URL.encoded(source)
            if let format { path += ".\(format)".utf8 }
        }
        let prefix = rules.pathPrefix.split(separator: "/").map { "/" + $0 }.joined()
        return prefix + "/" + (try signature(of: path)) + path.text
    }

    private func signature(of path: [UInt8]) throws(URLFailure) -> String {
        guard let key = rules.keys.first else { return "unsafe" }
        guard let signature = key.signature(of: path, size: min(max(rules.signatureSize, 1), 32)) else {
            throw URLFailure(.forbidden, "libcrypto could not sign the URL")
        }
        return signature.text
    }

    private func segments(of options: String) throws(URLFailure) -> [ArraySlice<UInt8>] {
        let segments = Array(options.utf8).parts(by: .slash).filter { !$0.isEmpty }
        let separator = Array(rules.argumentsSeparator.utf8)
        for segment in segments {
            guard segment.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !"?#".utf8.contains($0) }) else {
                throw URLFailure(
                    .invalidURL, "the option “\(segment.text)” has a character that URLs don't allow")
            }
            guard rules.onlyPresets || segment.firstIndex(of: separator) != nil else {
                throw URLFailure(.invalidURL, "the option “\(segment.text)” has no arguments")
            }
        }
        if rules.onlyPresets, segments.count != 1 {
            throw URLFailure(
                .invalidURL,
                "name the presets in one segment, such as small\(rules.argumentsSeparator)sharp")
        }
        return segments
    }

    /// Encodes characters with a meaning in paths, and the colon that a server would repair.
    private static func escaped(_ source: [UInt8]) -> [UInt8] {
        let kept = "!$&'()*+,-./:;=_~[]".utf8
        var escaped = source.percentEncoded { $0.isLetter || $0.isDigit || kept.contains($0) }
        guard let colon = escaped.firstIndex(of: .colon), escaped[(colon + 1)...].first == .slash,
            escaped[(colon + 1)...].dropFirst().first != .slash
        else { return escaped }
        escaped.replaceSubrange(colon...colon, with: "%3A".utf8)
        return escaped
    }
}
