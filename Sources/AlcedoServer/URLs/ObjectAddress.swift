/// An object in a bucket of an object store, such as `s3://bucket/key?version`; other stores call a bucket a container.
///
/// In ASCII: keys that Swift finds equal, such as an é of one scalar and of two, may be two objects.
package struct ObjectAddress: Sendable, Hashable {
    package enum Scheme: String, Sendable, CaseIterable { case s3, gs, abs, swift }

    let scheme: Scheme

    /// Letters, digits, `.`, `-` and `_`, or one of Azure's own containers.
    let bucket: String

    /// Percent-encoded but for letters, digits, `-._~` and `/`; never empty.
    let key: String

    /// Encoded in the same way, with `/`; nil for the newest.
    let version: String?

    /// The URL, which reads as the same address.
    package var text: String { "\(scheme.rawValue)://\(bucket)/\(key)" + (version.map { "?\($0)" } ?? "") }
}

/// The buckets that URLs may name; all by default.
package struct BucketRules: Sendable, Equatable {
    var allowed: Set<String>?
    var denied: Set<String> = []

    package init() {}

    func allows(_ bucket: String) -> Bool { !denied.contains(bucket) && allowed?.contains(bucket) != false }
}

extension ObjectAddress {
    /// Reads what follows `s3://`; `compared` is the URL without encoding and version, which prefixes are compared with.
    init(
        _ scheme: Scheme, _ url: ArraySlice<UInt8>, compared: inout [UInt8]
    ) throws(URLFailure) {
        let name = scheme.rawValue
        let bucket = url.prefix { $0 != .slash && $0 != UInt8(ascii: "?") }
        guard Self.isBucket(bucket) || scheme == .abs && Self.azureContainers.contains(bucket.text) else {
            throw URLFailure(.forbiddenSource, "the source has no name of a bucket behind \(name)://")
        }
        // As in imgproxy, the query is the version. What looks like a fragment belongs to the key.
        let rest = url[bucket.endIndex...]
        let path = rest.prefix { $0 != UInt8(ascii: "?") }
        let key = path.dropFirst().percentDecodedWherePossible
        guard !key.isEmpty, key.exactText != nil, !key.contains(where: \.isControl) else {
            throw URLFailure(
                .forbiddenSource,
                "the source names no object: \(name)://BUCKET/KEY, in UTF-8 without control characters")
        }
        // Clients of HTTP resolve them, and would load another object than the one that is signed.
        guard !key.parts(by: .slash).contains(where: { $0.text == "." || $0.text == ".." }) else {
            throw URLFailure(.forbiddenSource, "the source contains . or .. as a part of its key")
        }
        var version: ArraySlice<UInt8> = rest[path.endIndex...].dropFirst()
        let parameter = Array("\(scheme.versionParameter)=".utf8)
        if version.starts(with: parameter) { version = version.dropFirst(parameter.count) }
        self.init(
            scheme: scheme, bucket: bucket.text, key: Self.encoded(key) { $0 == .slash },
            version: version.isEmpty ? nil : Self.encoded(version.percentDecodedWherePossible) { _ in false })
        compared = Array("\(name)://\(bucket.text)/".utf8) + key
    }

    /// What Azure has beside those that users create: a web site, and the objects without a container.
    private static let azureContainers = ["$web", "$root"]

    /// Pairs of `NAME=VALUE` with encoded values.
    static func query(_ parameters: [(name: String, value: String)]) -> String {
        parameters.map { "\($0.name)=\(encoded(Array($0.value.utf8)) { _ in false })" }.joined(separator: "&")
    }

    static func encoded(_ bytes: [UInt8], keeping isKept: (UInt8) -> Bool) -> String {
        bytes.percentEncoded { $0.isLetter || $0.isDigit || "-._~".utf8.contains($0) || isKept($0) }.text
    }

    /// Whether it can be a part of a host and of a path, and of nothing else.
    static func isBucket(_ name: ArraySlice<UInt8>) -> Bool {
        guard name.count <= 255, let first = name.first, first.isLetter || first.isDigit else { return false }
        return name.allSatisfy { $0.isLetter || $0.isDigit || ".-_".utf8.contains($0) }
    }
}

extension ObjectAddress.Scheme {
    /// The parameter of a request for one version of an object.
    var versionParameter: String {
        switch self {
        case .s3: "versionId"
        case .gs: "generation"
        case .abs: "versionid"
        case .swift: "version-id"
        }
    }

    /// The setting that turns its sources on.
    var setting: String {
        switch self {
        case .s3: "USE_S3"
        case .gs: "USE_GCS"
        case .abs: "USE_ABS"
        case .swift: "USE_SWIFT"
        }
    }
}
