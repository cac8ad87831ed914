import Foundation

/// A request's URL, checked and parsed.
package struct ImageURL: Sendable, Equatable {
    package var source: ImageSource
    package var options: ProcessingOptions

    /// The number of the key that signed it, from 1; nil if none has.
    package var key: Int?

    package init(source: ImageSource, options: ProcessingOptions, key: Int? = nil) {
        self.source = source
        self.options = options
        self.key = key
    }
}

/// Where the bytes of an image are.
package enum ImageSource: Sendable, Equatable {
    /// An `http` or `https` URL in ASCII apart from its host.
    case http(String)
    /// An absolute path below the root of local files: `/` first, without `.` and `..`, not empty.
    case local(path: String)
    /// An object in a bucket.
    case object(ObjectAddress)
}

extension ImageSource {
    /// The local root's ``origin``; no host can have this name.
    static let localOrigin = "local:///"

    /// For keys and messages: equal for equal sources only.
    var text: String {
        switch self {
        case .http(let url): url
        case .object(let object): object.text
        // In ASCII: texts that Swift finds equal, such as an é of one scalar and of two, may be two files.
        case .local(let path):
            "local://" + Array(path.utf8).percentEncoded { $0 > 0x20 && $0 < 0x7f && $0 != .percent }.text
        }
    }

    /// Host and port of the URL, in lower case; for a file the folder in the local root, for an object its bucket.
    var origin: String {
        let url: String
        switch self {
        case .http(let text): url = text
        case .object(let object): return "\(object.scheme.rawValue)://\(object.bucket)/"
        case .local(let path):
            let names = path.split(separator: "/", omittingEmptySubsequences: true)
            return "\(Self.localOrigin)\(names.count > 1 ? names[0] : ".")/"
        }
        let bytes = Array(url.utf8)
        guard let slashes = bytes.firstIndex(of: Array("//".utf8)) else { return "" }
        let authority = bytes[(slashes + 2)...].prefix { !"/?#".utf8.contains($0) }
        return authority.split(separator: UInt8(ascii: "@")).last?.text.lowercased() ?? ""
    }
}

/// The client hints of a request: they replace defaults, and options of the URL win over them.
package struct ClientHints: Sendable, Equatable {
    /// The value of `Sec-CH-DPR` or `DPR`; used from above 0 to 8.
    package var dpr: String?
    /// The value of `Sec-CH-Width` or `Width`, in pixels of the device.
    package var width: String?

    package init(dpr: String? = nil, width: String? = nil) {
        self.dpr = dpr
        self.width = width
    }

    package static let none = ClientHints()
}

extension ImageURL {
    /// Checks and reads the target of a request: `/SIGNATURE/OPTIONS…/SOURCE`.
    ///
    /// The target is as received, not percent-decoded; a query is ignored. `hints` are the request's client hints,
    /// if the server uses them. `now` is Unix time, for `expires`.
    package init(
        requestTarget: [UInt8], rules: URLRules, hints: ClientHints = .none, now: Int
    ) throws(URLFailure) {
        let path = try RequestPath(requestTarget, prefix: rules.pathPrefix)
        let key = try rules.check(path.signature, of: path.signed)
        let segments = path.signed.dropFirst().parts(by: .slash)
        var reader = OptionReader(rules: rules, hints: hints, now: now)
        try reader.applyDefaultPreset()
        let start = try rules.onlyPresets ? reader.applyPresets(segments) : reader.applyOptions(segments)
        let source = try SourceText(segments[start...], rules: rules)
        if let format = source.format { try reader.apply(format: format.text) }
        self.init(source: try rules.source(of: source.url), options: reader.options, key: key)
    }

    /// Checks and reads the target of a request.
    package init(
        requestTarget: String, rules: URLRules, hints: ClientHints = .none, now: Int
    ) throws(URLFailure) {
        try self.init(requestTarget: Array(requestTarget.utf8), rules: rules, hints: hints, now: now)
    }
}

extension ClientHints {
    /// The options with the values of the hints; invalid hints are ignored.
    func applied(to defaults: ProcessingOptions) -> ProcessingOptions {
        var options = defaults
        if let text = dpr, let dpr = Double(text), dpr > 0, dpr <= 8 { options.dpr = dpr }
        if let text = width, let width = Int(text), width > 0 {
            options.width = Rounding.halfAway(Double(width) / options.dpr)
        }
        return options
    }
}
