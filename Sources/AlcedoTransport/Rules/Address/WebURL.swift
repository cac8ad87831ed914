import CCurl

/// An absolute URL as libcurl parses it, so that checks see the server that libcurl connects to.
struct WebURL: Sendable {
    let text: String

    /// `http`, `https` or another scheme, in lower case.
    let scheme: String

    /// The host, without the brackets of an IPv6 address.
    let host: String

    /// The port, that of the scheme if the URL names none.
    let port: Int

    /// Scheme, host and port.
    let origin: String

    /// Bytes of ``text`` before the path, if these are only a scheme, a host and a port; 0 otherwise.
    private let rootLength: Int

    var isSecure: Bool { scheme == "https" }

    /// Whether both are of one server; by bytes, as hosts that Swift finds equal may be two names.
    func isSameOrigin(as other: WebURL) -> Bool { origin.utf8.elementsEqual(other.origin.utf8) }

    /// Reads an absolute `http` or `https` URL.
    init(_ text: String) throws(TransportError) {
        let parts = try URLParts(text)
        try self.init(parts, text: text)
    }

    /// `text` as a URL of the same server; nil unless it has the same scheme and authority and a plain path.
    ///
    /// Avoids libcurl's parser for URLs that differ only in their paths, such as those of a gallery.
    func sibling(_ text: String) -> WebURL? {
        guard rootLength > 0 else { return nil }
        let isSibling = text.utf8.withContiguousStorageIfAvailable { bytes in
            self.text.utf8.withContiguousStorageIfAvailable { own in
                bytes.count > rootLength && bytes.prefix(rootLength).elementsEqual(own.prefix(rootLength))
                    && bytes[rootLength] == .slash && bytes[rootLength...].allSatisfy(\.isVisibleASCII)
            }
        }
        guard isSibling == true else { return nil }
        return WebURL(sibling: self, text: text)
    }

    private init(sibling: WebURL, text: String) {
        self.text = text
        (scheme, host, port) = (sibling.scheme, sibling.host, sibling.port)
        (origin, rootLength) = (sibling.origin, sibling.rootLength)
    }

    /// The length of `scheme://host:port` at the start of `text`; 0 if it has more parts, such as a user.
    private static func rootLength(of text: String, scheme: String) -> Int {
        let start = scheme.utf8.count + 3
        guard text.utf8.prefix(start).map(\.asciiLowercased).elementsEqual((scheme + "://").utf8) else {
            return 0
        }
        let authority = text.utf8.dropFirst(start).prefix { !"/?#".utf8.contains($0) }
        return authority.allSatisfy { $0.isVisibleASCII && !"@\\%".utf8.contains($0) }
            ? start + authority.count : 0
    }

    /// The host in ASCII (Punycode), as in DNS and certificates.
    var asciiHost: String {
        guard let parts = try? URLParts(text), let host = parts[CURLUPART_HOST, UInt32(CURLU_PUNYCODE)] else {
            return host
        }
        let name = host.lowercased()
        return name.hasPrefix("[") ? String(name.dropFirst().dropLast()) : name
    }

    /// Resolves a reference, such as a `Location` header, against this URL (RFC 3986).
    func resolving(_ reference: String) throws(TransportError) -> WebURL {
        let parts = try URLParts(text)
        guard parts.resolve(reference), let resolved = parts[CURLUPART_URL] else {
            throw .invalidURL(reference, reason: "it cannot be resolved against \(text)")
        }
        return try WebURL(parts, text: resolved)
    }

    private init(_ parts: borrowing URLParts, text: String) throws(TransportError) {
        guard let scheme = parts[CURLUPART_SCHEME]?.lowercased() else {
            throw .invalidURL(text, reason: "it has no scheme")
        }
        guard let host = parts[CURLUPART_HOST]?.lowercased(), !host.isEmpty else {
            guard scheme == "http" || scheme == "https" else { throw .unsupportedScheme(scheme, url: text) }
            throw .invalidURL(text, reason: "it has no host")
        }
        // libcurl would decode it to another host.
        guard !host.utf8.contains(.percent) else {
            throw .invalidURL(text, reason: "its host contains a percent sign")
        }
        self.text = text
        self.scheme = scheme
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        let port = parts.port ?? ""
        self.port = Int(port) ?? 0
        origin = "\(scheme)://\(host):\(port)"
        rootLength = Self.rootLength(of: text, scheme: scheme)
    }
}

/// libcurl's URL parser.
private struct URLParts: ~Copyable {
    /// Spaces and other stray bytes, common in Location headers, are percent-encoded, as browsers do.
    ///
    /// Other schemes are read, so that an error can name them.
    private static let leniency = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE | CURLU_ALLOW_SPACE)

    private let handle: OpaquePointer

    init(_ text: String) throws(TransportError) {
        guard let handle = curl_url() else {
            throw .invalidURL(text, reason: "out of memory")
        }
        let status = curl_url_set(handle, CURLUPART_URL, text, Self.leniency)
        guard status == CURLUE_OK else {
            curl_url_cleanup(handle)
            let reason = String(cString: curl_url_strerror(status))
            let advice = text.hasPrefix("/") ? "; URL(fileURLWithPath:) makes the URL of a file" : ""
            throw .invalidURL(text, reason: reason + advice)
        }
        self.handle = handle
    }

    deinit { curl_url_cleanup(handle) }

    /// Resolves `reference` against this URL; false if it is invalid.
    func resolve(_ reference: String) -> Bool {
        curl_url_set(handle, CURLUPART_URL, reference, Self.leniency) == CURLUE_OK
    }

    var port: String? { self[CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)] }

    subscript(part: CURLUPart, flags: UInt32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
