import CCurl

/// An absolute URL as libcurl reads it, so that what is checked here is what is connected to.
struct WebURL: Sendable {
    /// The whole URL.
    let text: String

    /// `http`, `https` or whatever else, in lower case.
    let scheme: String

    /// The host, without the brackets of an IPv6 address.
    let host: String

    /// The port, that of the scheme if the URL names none.
    let port: Int

    /// Scheme, host and port: equal for two URLs exactly when they go to the same server.
    let origin: String

    /// Bytes of ``text`` up to the path, if they are a scheme, a host and a port and nothing else; 0 if not.
    private let rootLength: Int

    var isSecure: Bool { scheme == "https" }

    /// Reads an absolute `http` or `https` URL.
    init(_ text: String) throws(TransportError) {
        let parts = try URLParts(text)
        try self.init(parts, text: text)
    }

    /// `text` as a URL of the same server: nil unless it begins as this one does and goes on with a plain path.
    ///
    /// Spares libcurl's reading of URLs that only differ in their paths, as those of a gallery do.
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

    /// The length of `scheme://host:port` at the start of `text`; 0 if there is more to it, such as a user.
    private static func rootLength(of text: String, scheme: String) -> Int {
        let start = scheme.utf8.count + 3
        guard text.prefix(start).lowercased() == scheme + "://" else { return 0 }
        let authority = text.utf8.dropFirst(start).prefix { !"/?#".utf8.contains($0) }
        return authority.allSatisfy { $0.isVisibleASCII && !"@\\%".utf8.contains($0) }
            ? start + authority.count : 0
    }

    /// The host as name servers and certificates write it: international names in ASCII.
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
        // libcurl would take each reading for another host.
        guard !host.contains("%") else {
            throw .invalidURL(text, reason: "its host has percent signs in it")
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
    private static let leniency = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE | CURLU_ALLOW_SPACE)

    private let handle: OpaquePointer

    init(_ text: String) throws(TransportError) {
        guard let handle = curl_url() else {
            throw .invalidURL(text, reason: "there is no memory to read it")
        }
        let status = curl_url_set(handle, CURLUPART_URL, text, Self.leniency)
        guard status == CURLUE_OK else {
            curl_url_cleanup(handle)
            throw .invalidURL(text, reason: String(cString: curl_url_strerror(status)))
        }
        self.handle = handle
    }

    deinit { curl_url_cleanup(handle) }

    /// Goes to where `reference` leads from here; false if that is nowhere.
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
