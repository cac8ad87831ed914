/// The settings that decide how URLs are read.
package struct URLRules: Sendable {
    /// Pairs of key and salt, of which any may sign; without one every signature passes.
    package var keys: [SigningKey] = []
    /// Bytes of a signature, 1–32.
    package var signatureSize = 32
    /// Signatures that pass as they are.
    package var trustedSignatures: [String] = []
    /// Precedes the signature, such as `/img`; with or without a `/` at its end.
    package var pathPrefix = ""
    package var argumentsSeparator = ":"
    /// Options by name; `default` is applied to all.
    package var presets: [String: Preset] = [:]
    package var onlyPresets = false
    /// Names of options that URLs may use, as URLs write them; `nil` allows all.
    package var allowedOptions: Set<String>?
    package var allowsSecurityOptions = false
    /// Put in front of sources that don't start with it.
    package var baseURL = ""
    package var replacements: [URLReplacement] = []
    package var base64IncludesFilename = false
    /// Prefixes of allowed sources; `nil` allows all.
    package var allowedSources: [SourcePattern]?
    /// The buckets of the object stores; sources of other schemes are rejected.
    package var buckets: [ObjectAddress.Scheme: BucketRules] = [:]
    /// The options before presets and URL.
    package var defaults = ProcessingOptions()

    package init() {}
}

extension URLRules {
    /// The source that a URL means, after replacements, if it is allowed.
    func source(of url: [UInt8]) throws(URLFailure) -> ImageSource {
        var url = url
        for replacement in replacements { url = try replacement.applied(to: url) }
        let base = SourcePrefix(bytes: Array(baseURL.utf8))
        if !base.isPrefix(of: url) { url = base.followed(by: url[...]) }
        guard !url.contains(where: \.isControl) else {
            throw URLFailure(.forbiddenSource, "the source contains a control character")
        }
        if allowedSources != nil || !baseURL.isEmpty, Self.hasDotSegments(url) {
            throw URLFailure(.forbiddenSource, "the source contains . or .. as a part of its path")
        }
        let scheme = url.prefix { $0 != .colon }
        let rest = url[scheme.endIndex...]
        // The check compares the URL or path that is loaded, not the text of the request.
        let source: ImageSource
        var compared = url
        switch scheme.map(\.asciiLowercased) {
        case _ where !rest.starts(with: "://".utf8):
            throw URLFailure(.unsupportedScheme, "the source has no scheme, such as https://")
        case Array("http".utf8), Array("https".utf8):
            source = .http(try Self.webURL(url, host: rest.startIndex + 3))
        case Array("local".utf8):
            let path = try Self.path(rest.dropFirst(3))
            source = .local(path: path)
            compared = Array("local://".utf8) + path.utf8
        case let name:
            source = .object(try object(name.text, rest.dropFirst(3), compared: &compared))
        }
        guard allowedSources?.contains(where: { $0.allows(compared) }) != false else {
            throw URLFailure(.forbiddenSource, "the source is not among the allowed ones")
        }
        return source
    }

    /// The object of a URL with a scheme of object stores.
    private func object(
        _ name: String, _ url: ArraySlice<UInt8>, compared: inout [UInt8]
    ) throws(URLFailure) -> ObjectAddress {
        guard let scheme = ObjectAddress.Scheme(rawValue: name) else {
            throw URLFailure(
                .unsupportedScheme,
                "the source's scheme is not http, https, local, s3, gs, abs or swift")
        }
        guard let buckets = buckets[scheme] else {
            throw URLFailure(.unsupportedScheme, "\(name) sources are off: set \(scheme.setting)")
        }
        let object = try ObjectAddress(scheme, url, compared: &compared)
        guard buckets.allows(object.bucket) else {
            throw URLFailure(.forbiddenSource, "the bucket \(object.bucket) is not among the allowed ones")
        }
        return object
    }

    /// Encodes what may not be in a URL, apart from the host, which is left to the resolver.
    private static func webURL(_ url: [UInt8], host: Int) throws(URLFailure) -> String {
        let end = url[host...].firstIndex { "/?#\\".utf8.contains($0) } ?? url.endIndex
        guard end > host, let server = url[..<end].exactText else {
            throw URLFailure(.forbiddenSource, "the source has no host, or one that is not UTF-8")
        }
        // Encoded, it would belong to the user info before another host.
        guard url.dropFirst(end).first != UInt8(ascii: "\\") else {
            throw URLFailure(.forbiddenSource, "the source has a backslash behind its host")
        }
        var rest = url[end...].percentEncoded {
            $0 > 0x20 && $0 < 0x7f && !"\"<>\\^`{|}".utf8.contains($0)
        }
        var index = 0
        while let percent = rest[index...].firstIndex(of: .percent) {
            let digits = rest[(percent + 1)...].prefix(2)
            index = percent + 1
            if digits.count < 2 || digits.contains(where: { $0.hexValue == nil }) {
                rest.insert(contentsOf: "25".utf8, at: index)
            }
        }
        return server + rest.text
    }

    /// The path of a `local` URL, below the root.
    private static func path(_ url: ArraySlice<UInt8>) throws(URLFailure) -> String {
        let path = url.prefix { !"?#".utf8.contains($0) }.percentDecodedWherePossible
        guard path.first == .slash else {
            throw URLFailure(.forbiddenSource, "a local source has three slashes: local:///path")
        }
        let segments = path.parts(by: .slash).map(Array.init)
        var names: [[UInt8]] = []
        for segment in segments {
            if segment == dots {
                _ = names.popLast()
            } else if !segment.isEmpty, segment != dot {
                names.append(segment)
            }
        }
        guard let last = segments.last, last == names.last, !path.contains(where: \.isControl),
            let text = Array(names.joined(separator: [.slash])).exactText
        else {
            throw URLFailure(.forbiddenSource, "the local source is no path of a file")
        }
        return "/" + text
    }

    private static let dot = Array(".".utf8)
    private static let dots = Array("..".utf8)

    /// Whether the URL means another path than it shows.
    private static func hasDotSegments(_ url: [UInt8]) -> Bool {
        let path = url.prefix { !"?#".utf8.contains($0) }
        guard path.contains(.dot) || path.contains(.percent) else { return false }
        return path.percentDecodedWherePossible.split { "/\\".utf8.contains($0) }.contains {
            $0.elementsEqual(dot) || $0.elementsEqual(dots)
        }
    }
}

extension URLRules {
    /// Checks the signature of a path, which starts with `/`.
    ///
    /// Takes as long for every wrong signature of one length.
    ///
    /// - Returns: the number of the key that signed it, from 1; nil without keys and for a trusted signature.
    @discardableResult
    func check(_ signature: ArraySlice<UInt8>, of path: [UInt8]) throws(URLFailure) -> Int? {
        guard !keys.isEmpty else {
            guard !signature.contains(.colon),
                signature.firstIndex(of: Array(argumentsSeparator.utf8)) == nil
            else {
                throw URLFailure(.forbidden, "the signature is missing: the path starts with an option")
            }
            return nil
        }
        var number: Int?
        var isValid = false
        for trusted in trustedSignatures where MessageCode.isEqual(signature, Array(trusted.utf8)) {
            isValid = true
        }
        let size = min(max(signatureSize, 1), 32)
        for (index, key) in keys.enumerated() {
            guard let expected = key.signature(of: path, size: size) else {
                throw URLFailure(.forbidden, "the signature could not be checked: libcrypto failed")
            }
            if MessageCode.isEqual(signature, expected) { (isValid, number) = (true, index + 1) }
        }
        guard isValid else { throw URLFailure(.forbidden, "the signature is wrong") }
        return number
    }
}
